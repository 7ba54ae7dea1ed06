import { describe, expect, it } from 'vitest'
import { layout, nodeAt } from '../src/picture/layout'
import type { Layout } from '../src/picture/layout'
import { Path, Ring } from '../src/picture/geometry'
import { systemOfGraph, systemOfHeader } from '../src/picture/system'
import type { Graph } from '../src/file/graph'
import { NESTED } from './nested'
import { crowdDemo, fabricDemo, ringDemo } from './demo'

const PLAIN = { chosen: new Map<string, boolean>(), most: 160 }

function overlaps(found: Layout): string[] {
  const wrong: string[] = []
  const { nodes } = found
  for (let a = 0; a < nodes.length; a += 1) {
    for (let b = a + 1; b < nodes.length; b += 1) {
      const [one, other] = [nodes[a]!, nodes[b]!]
      const apart =
        one.x + one.w <= other.x || other.x + other.w <= one.x || one.y + one.h <= other.y || other.y + other.h <= one.y
      if (!apart) wrong.push(`${one.id} ${other.id}`)
    }
  }
  return wrong
}

describe('paths', () => {
  it('are walked by share', () => {
    const path = new Path([
      { x: 0, y: 0 },
      { x: 10, y: 0 },
      { x: 10, y: 30 },
    ])
    expect(path.length).toBe(40)
    expect(path.at(0.5)).toEqual({ x: 10, y: 10 })
    expect(path.part(0.125, 0.5)).toEqual([
      { x: 5, y: 0 },
      { x: 10, y: 0 },
      { x: 10, y: 10 },
    ])
    expect(path.distance({ x: 5, y: 3 })).toBe(3)
  })

  it('go round a ring clockwise, and over its begin', () => {
    const ring = new Ring({ x: 0, y: 0 }, 300, 100, 50)
    const all = ring.outline.length
    expect(ring.way(10, 60).length).toBeCloseTo(50, 6)
    expect(ring.way(all - 20, 30).length).toBeCloseTo(50, 0)
    expect(ring.way(7, 7).length).toBeCloseTo(all, 0)
    expect(ring.point(all / 4).y).toBeLessThan(0)
  })
})

describe('the layout', () => {
  it('puts a ring into the order of its stations', () => {
    const found = layout(systemOfHeader(ringDemo(16, 100_000).header), PLAIN)
    expect(overlaps(found)).toEqual([])
    const ring = found.rings[0]!
    const places = [...ring.at.entries()].sort((a, b) => a[0] - b[0]).map(([, at]) => at)
    expect(places.length).toBe(17)
    for (let n = 1; n < places.length; n += 1) expect(places[n]!).toBeGreaterThan(places[n - 1]!)
    const host = found.nodes.find((node) => node.id === 'controller')!
    expect(host.x).toBe(Math.min(...found.nodes.map((node) => node.x)))
    expect(host.parts).toEqual(['workload'])
    expect(nodeAt(found.nodes, { x: host.x + 3, y: host.y + 3 })).toBe(host)
  })

  it('puts hosts on one side and devices on the other of a fabric', () => {
    const found = layout(systemOfHeader(fabricDemo(100_000).header), PLAIN)
    expect(overlaps(found)).toEqual([])
    const x = (id: string): number => found.nodes.find((node) => node.id === id)!.x
    expect(x('host')).toBeLessThan(x('san.switches.near'))
    expect(x('san.switches.near')).toBeLessThan(x('san.switches.far'))
    expect(x('san.switches.far')).toBeLessThan(x('drives[3]'))
    expect(found.anchors.every((anchor) => anchor !== null)).toBe(true)
  })

  it('draws 130 stations, and folds their group when the user chooses so', () => {
    const { header } = crowdDemo(10)
    const wide = layout(systemOfHeader(header), PLAIN)
    expect(overlaps(wide)).toEqual([])
    expect(wide.nodes.length).toBe(130)
    const folded = layout(systemOfHeader(header), { chosen: new Map([['drives', true]]), most: 160 })
    expect(folded.nodes.map((node) => [node.kind, node.count])).toEqual([
      ['thing', 1],
      ['group', 129],
    ])
  })

  it('draws a component with ports on two rings once, and what is inside another in it', () => {
    const found = layout(systemOfGraph(NESTED), PLAIN)
    expect(overlaps(found)).toEqual([])
    expect(found.rings.length).toBe(3)
    expect(found.nodes.filter((node) => node.id.startsWith('disks')).length).toBe(5)
    const controller = found.nodes.find((node) => node.id === 'controller')!
    expect(controller.parts).toEqual(['cache', 'back-end'])
    expect(found.nodes.some((node) => node.id === 'cache')).toBe(false)
    const disk = found.nodes.find((node) => node.id === 'disks[0]')!
    expect(controller.x).toBeLessThan(disk.x)
  })

  it('folds the groups of 1,000 nodes by itself', () => {
    const graph: Graph = {
      components: [
        { name: 'san', kind: 'f', members: 1, ports: [], inside: { places: ['switches.a'], links: [], nodes: [] } },
        { name: 'hosts', kind: 'h', members: 40, ports: [], inside: null },
        { name: 'disks', kind: 'd', members: 960, ports: [], inside: null },
      ],
      links: [],
    }
    for (const [name, members, side] of [
      ['hosts', 40, 'initiator'],
      ['disks', 960, 'target'],
    ] as const) {
      graph.components.find((one) => one.name === name)!.ports.push({ name, flows: 'frames', side, on: 'san' })
      for (let n = 0; n < members; n += 1) {
        graph.components[0]!.inside!.nodes.push({ name: `${name}[${String(n)}]`, listed: name, at: 'switches.a' })
      }
    }
    const system = systemOfGraph(graph)
    expect(layout(system, PLAIN).nodes.length).toBe(3)
    const begin = performance.now()
    const open = layout(system, { chosen: new Map([['disks', false]]), most: 160 })
    expect(open.nodes.length).toBe(962)
    expect(overlaps(open)).toEqual([])
    expect(performance.now() - begin).toBeLessThan(2000)
  })
})
