/** Positions chosen by hand, and drags in the editor. */

import { describe, expect, it } from 'vitest'
import { Dragging, placeOf, snapped } from '../src/edit/grip.svelte'
import type { Graph } from '../src/file/graph'
import { isIn, renamed } from '../src/names'
import type { Point } from '../src/picture/geometry'
import { layout } from '../src/picture/layout'
import type { Layout } from '../src/picture/layout'
import { systemOfGraph } from '../src/picture/system'
import graphs from './graphs.json'
import { NESTED } from './nested'

const FOLDING = { chosen: new Map<string, boolean>(), most: 160 }
const system = systemOfGraph(NESTED)
const plain = layout(system, FOLDING)
const at = (found: Layout, id: string): Point => placeOf(found, id)!

describe('a position', () => {
  it('moves one component alone, and its wires with it', () => {
    const found = layout(system, FOLDING, new Map([['controller', { x: -300, y: 220 }]]))
    expect(at(found, 'controller')).toEqual({ x: -300, y: 220 })
    for (const node of plain.nodes) {
      if (node.id !== 'controller') expect(at(found, node.id)).toEqual(at(plain, node.id))
    }
    const box = found.nodes.find((node) => node.id === 'controller')!
    const number = found.nodes.indexOf(box)
    const own = [...found.nodeOfPort.entries()].filter(([, node]) => node === number).map(([port]) => port)
    const ends = found.wires.filter((wire) => wire.from !== null && own.includes(wire.from))
    expect(ends.length).toBe(3)
    for (const { path } of ends) {
      const { x, y } = path.points[1]!
      const onEdge = [x - box.x, box.x + box.w - x, y - box.y, box.y + box.h - y]
      expect(Math.min(...onEdge.map(Math.abs))).toBeLessThan(1e-6)
      expect(Math.min(...onEdge)).toBeGreaterThan(-1e-6)
    }
    expect(found.bounds.x).toBeLessThanOrEqual(box.x)
  })

  it('of a loop takes along what is at it alone, but not what has a position of its own', () => {
    const [before, disk] = [at(plain, 'front'), at(plain, 'disks[0]')]
    const chosen = new Map([['front', { x: before.x + 100, y: before.y - 50 }]])
    const found = layout(system, FOLDING, chosen)
    expect(at(found, 'host')).toEqual({ x: at(plain, 'host').x + 100, y: at(plain, 'host').y - 50 })
    // The controller is at three loops, the disks are at the two others.
    expect(at(found, 'controller')).toEqual(at(plain, 'controller'))
    expect(at(found, 'disks[0]')).toEqual(disk)
    const port = system.ports.findIndex((one) => one.name === 'host')
    const on = (one: Layout): Point => one.wires.find((wire) => wire.from === port)!.path.points[0]!
    expect(on(found)).toEqual({ x: on(plain).x + 100, y: on(plain).y - 50 })
    const fixed = layout(system, FOLDING, new Map([...chosen, ['host', { x: 7, y: 9 }]]))
    expect(at(fixed, 'host')).toEqual({ x: 7, y: 9 })
    expect(on(fixed)).toEqual(on(found))
  })

  it('of a switch, a hub or a folded group is that of its box', () => {
    for (const [name, kind, chosen] of [
      ['two-hosts-one-switch', 'switch', []],
      ['nas', 'bus', []],
      ['wang-2005-base', 'group', [['drives', true]]],
    ] as [keyof typeof graphs, string, [string, boolean][]][]) {
      const of = systemOfGraph(graphs[name] as Graph)
      const folding = { chosen: new Map(chosen), most: 120 }
      const { id } = layout(of, folding).nodes.find((node) => node.kind === kind)!
      const found = layout(of, folding, new Map([[id, { x: 5, y: 6 }]]))
      expect(at(found, id)).toEqual({ x: 5, y: 6 })
      expect(found.nodes.filter((node) => node.id === id).length).toBe(1)
    }
  })

  it('of a name that is not drawn changes nothing', () => {
    const found = layout(system, FOLDING, new Map([['gone', { x: 5, y: 6 }]]))
    expect(found.nodes).toEqual(plain.nodes)
  })
})

describe('names', () => {
  const named = (change: (name: string) => string): Graph => ({
    components: NESTED.components.map((one) => ({ ...one, name: change(one.name) })),
    links: [],
  })
  const positions = new Map([
    ['disks[2]', { x: 1, y: 2 }],
    ['disks at disks[4]', { x: 3, y: 4 }],
    ['diskshelf', { x: 5, y: 6 }],
    ['host', { x: 7, y: 8 }],
  ])

  it('of a renamed component keep their positions', () => {
    const after = named((name) => (name === 'disks' ? 'drives' : name))
    expect([...renamed(positions, NESTED, after)]).toEqual([
      ['drives[2]', { x: 1, y: 2 }],
      ['drives at drives[4]', { x: 3, y: 4 }],
    ])
    expect(renamed(positions, NESTED, NESTED).size).toBe(0)
    expect(
      renamed(
        positions,
        NESTED,
        named((name) => `${name}x`),
      ).size,
    ).toBe(0)
    // One that is gone and one of another kind are two things.
    const other = named((name) => (name === 'disks' ? 'drives' : name))
    other.components.find((one) => one.name === 'drives')!.kind = 'y'
    expect(renamed(positions, NESTED, other).size).toBe(0)
  })

  it('of components that are gone are known', () => {
    expect([...positions.keys()].filter((name) => isIn(NESTED, name))).toEqual([
      'disks[2]',
      'disks at disks[4]',
      'host',
    ])
  })
})

describe('a drag', () => {
  const did: string[] = []
  const places = new Map<string, Point>()
  const dragging = new Dragging({
    layout: () => layout(system, FOLDING, places),
    place: (id, to) => places.set(id, to),
    keep: (id) => did.push(`keep ${id}`),
    join: (from, to) => did.push(`join ${from} ${to}`),
  })

  it('of a body moves it to a multiple of ten', () => {
    const from = at(plain, 'controller')
    expect(dragging.down({ x: from.x + 3, y: from.y - 2 }, 1)).toBe(true)
    dragging.move({ x: from.x + 44, y: from.y - 2 })
    dragging.up({ x: from.x + 44, y: from.y - 2 })
    expect(places.get('controller')).toEqual(snapped({ x: from.x + 41, y: from.y }))
    expect(did.splice(0)).toEqual(['keep controller'])
  })

  it('of the line of a loop moves the loop', () => {
    const ring = plain.rings.find((one) => one.label === 'front')!.ring
    const from = ring.point(ring.outline.length * 0.4)
    expect(dragging.down(from, 1)).toBe(true)
    dragging.move({ x: from.x, y: from.y - 30 })
    dragging.up({ x: from.x, y: from.y - 30 })
    expect(places.get('front')).toEqual(snapped({ x: ring.centre.x, y: ring.centre.y - 30 }))
    expect(did.splice(0)).toEqual(['keep front'])
  })

  it('from a handle joins, whatever the zoom, and ends at a component or a loop', () => {
    const node = layout(system, FOLDING, places).nodes.find((one) => one.id === 'host')!
    for (const k of [0.3, 1, 2]) {
      const handle = { x: node.x + node.w + 7 / k, y: node.y + node.h / 2 }
      expect(dragging.reach(handle, k)?.id).toBe('host')
      expect(dragging.down(handle, k)).toBe(true)
      dragging.move({ x: 0, y: 0 })
      dragging.up(at(plain, 'disks[0]'))
    }
    expect(did.splice(0)).toEqual(Array(3).fill('join host disks[0]'))
    expect(dragging.down({ x: node.x + node.w + 7, y: node.y + node.h / 2 }, 1)).toBe(true)
    dragging.up(null)
    expect(did).toEqual([])
  })

  it('of nothing is one of the view', () => {
    expect(dragging.down({ x: -9000, y: 0 }, 1)).toBe(false)
  })
})
