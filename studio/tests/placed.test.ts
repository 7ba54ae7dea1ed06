/** The positions of everything in the pictures of five shipped scenarios, as `sansim graph --json` describes them. */

import { describe, expect, it } from 'vitest'
import { layout } from '../src/picture/layout'
import { systemOfGraph } from '../src/picture/system'
import type { Graph } from '../src/file/graph'
import graphs from './graphs.json'

const short = (value: number): string => String(Math.round(value * 100) / 100)
const point = ({ x, y }: { x: number; y: number }): string => `${short(x)},${short(y)}`

describe('the pictures of shipped scenarios', () => {
  for (const [name, graph] of Object.entries(graphs)) {
    it(`are as they were: ${name}`, () => {
      for (const chosen of [[], ...['disks', 'drives'].map((group) => [[group, true]] as [string, boolean][])]) {
        const found = layout(systemOfGraph(graph as Graph), { chosen: new Map(chosen), most: 120 })
        expect([
          ...found.nodes.map((node) => `${node.id} ${node.kind} ${point(node)} ${short(node.w)}x${short(node.h)}`),
          ...found.rings.map(({ label, ring }) => `ring ${label} ${point(ring.centre)} ${short(ring.outline.length)}`),
          ...found.wires.map(({ kind, path }) => `${kind} ${path.points.map(point).join(' ')}`),
          ...found.anchors.map((anchor, n) => `port ${String(n)} ${anchor === null ? '-' : point(anchor)}`),
          `bounds ${point(found.bounds)} ${short(found.bounds.w)}x${short(found.bounds.h)}`,
          `ways ${[...found.anchors.keys()].map((n) => short(found.path(0, n).length)).join(' ')}`,
        ]).toMatchSnapshot()
      }
    })
  }
})
