/** Where everything is: pure, from the system, what is folded, and positions that were chosen. */

import type { Block, Drawing, Node, RingPlace, Wire } from './drawing'
import { fabricBlock } from './fabrics'
import type { Box, Path, Point } from './geometry'
import { foldedGroups, levels } from './levels'
import type { Folding } from './levels'
import { applyPositions } from './positions'
import type { Positions } from './positions'
import { ringBlock } from './rings'
import type { System } from './system'
import { columnBlock, makeUnits } from './units'
import { ways } from './ways'
import { joinUp } from './wires'

export type { Node } from './drawing'

export interface Layout {
  nodes: Node[]
  rings: RingPlace[]
  wires: Wire[]
  /** Ports as they are drawn. */
  dots: Point[]
  /** The place of each port. */
  anchors: (Point | null)[]
  /** The node at which each port is, by number; -1 if none. */
  nodeOfPort: Int32Array
  nodeOfThing: Int32Array
  bounds: Box
  path: (from: number, to: number) => Path
}

function emptyDrawing(system: System, folding: Folding): Drawing {
  const folded = foldedGroups(system, folding)
  return {
    system,
    folded,
    ...makeUnits(system, folded),
    nodes: [],
    rings: [],
    wires: [],
    anchors: system.ports.map(() => null),
    nodeOfPort: new Int32Array(system.ports.length).fill(-1),
    nodeOfThing: new Int32Array(system.things.length).fill(-1),
    hubs: new Map(),
  }
}

/** The networks with what is at them alone, and the other components of each level. */
function blocksOf(drawing: Drawing): Block[] {
  const { system } = drawing
  const level = levels(system)
  const networksOf = new Map<number, Set<number>>()
  for (const port of system.ports) {
    if (port.thing === null || port.network === null) continue
    const unit = drawing.unitOfThing[port.thing]!
    const set = networksOf.get(unit) ?? new Set()
    set.add(port.network)
    networksOf.set(unit, set)
  }
  const levelOfUnit = (unit: number): number =>
    Math.max(...drawing.units[unit]!.things.slice(0, 200).map((thing) => level.things[thing]!))
  const blocks: Block[] = []
  for (const [network, { drawn }] of system.networks.entries()) {
    const own = new Set([...networksOf].filter(([, set]) => set.size === 1 && set.has(network)).map(([unit]) => unit))
    const at = level.networks[network]!
    blocks.push(
      drawn === 'ring' ? ringBlock(drawing, network, at, own, levelOfUnit) : fabricBlock(drawing, network, at, own),
    )
  }
  const free = new Map<number, number[]>()
  for (const [unit] of drawing.units.entries()) {
    if (networksOf.get(unit)?.size === 1) continue
    const list = free.get(levelOfUnit(unit)) ?? []
    list.push(unit)
    free.set(levelOfUnit(unit), list)
  }
  for (const [at, units] of free) blocks.push(columnBlock(drawing, units, at))
  // If one level has many networks, half of them are drawn on the other side of the components that they join.
  const last = Math.max(0, ...blocks.map((block) => block.level)) + 1
  for (const at of new Set(level.networks)) {
    const many = blocks.slice(0, system.networks.length).filter((block) => block.level === at)
    if (many.length > 4) for (const block of many.slice(Math.ceil(many.length / 2))) block.level = last
  }
  return blocks
}

/** Places blocks in columns from level to level. */
function placeBlocks(blocks: readonly Block[]): void {
  let x = 0
  for (const at of [...new Set(blocks.map((block) => block.level))].sort((a, b) => a - b)) {
    const column = blocks.filter((block) => block.level === at)
    const w = Math.max(...column.map((block) => block.w))
    const h = column.reduce((sum, block) => sum + block.h, 0) + 24 * (column.length - 1)
    let y = -h / 2
    for (const block of column) {
      block.place(x + w / 2, y + block.h / 2)
      y += block.h + 24
    }
    x += w + 90
  }
}

function boundsOf({ nodes, rings }: Drawing): Box {
  let [l, t, r, b] = [Infinity, Infinity, -Infinity, -Infinity]
  const cover = (box: Box): void => {
    l = Math.min(l, box.x)
    t = Math.min(t, box.y)
    r = Math.max(r, box.x + box.w)
    b = Math.max(b, box.y + box.h)
  }
  for (const node of nodes) cover(node)
  for (const { ring } of rings) {
    const { centre, width, height } = ring
    cover({ x: centre.x - width / 2, y: centre.y - height / 2, w: width, h: height })
  }
  return l > r ? { x: 0, y: 0, w: 100, h: 100 } : { x: l, y: t, w: r - l, h: b - t }
}

export function layout(system: System, folding: Folding, positions?: Positions): Layout {
  const drawing = emptyDrawing(system, folding)
  placeBlocks(blocksOf(drawing))
  if (positions !== undefined) applyPositions(drawing, positions)
  joinUp(drawing)
  const { nodes, rings, wires, anchors, nodeOfPort, nodeOfThing } = drawing
  const dots = anchors.filter((anchor, n) => anchor !== null && system.ports[n]!.network !== null) as Point[]
  return { nodes, rings, wires, anchors, dots, nodeOfPort, nodeOfThing, bounds: boundsOf(drawing), path: ways(drawing) }
}

/** The node at a point; of several the smallest. */
export function nodeAt(nodes: readonly Node[], point: Point): Node | undefined {
  let found: Node | undefined
  for (const node of nodes) {
    const inside = point.x >= node.x && point.x <= node.x + node.w && point.y >= node.y && point.y <= node.y + node.h
    if (inside && (found === undefined || node.w * node.h < found.w * found.h)) found = node
  }
  return found
}

/** The name of the ring at a point: of its line or its name. */
export function ringAt(rings: readonly RingPlace[], point: Point): string | null {
  for (const { ring, label } of rings) {
    const { centre, outline } = ring
    if (outline.distance(point) < 9) return label
    if (Math.abs(point.x - centre.x) < 60 && Math.abs(point.y - centre.y) < 14) return label
  }
  return null
}
