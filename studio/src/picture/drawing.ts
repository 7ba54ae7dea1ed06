/** What a layout is made of while it is made: boxes, rings and wires, and where each port and thing is. */

import type { Box, Path, Point, Ring } from './geometry'
import type { System } from './system'

export interface Node extends Box {
  id: string
  kind: 'thing' | 'group' | 'switch' | 'bus'
  label: string
  /** Things that it stands for. */
  things: number[]
  switch: number | null
  network: number | null
  parts: string[]
  /** The group that can be folded or unfolded here. */
  fold: string | null
  count: number
}

export interface Wire {
  /** Ports at its ends; null at the hub of a box. */
  from: number | null
  to: number | null
  path: Path
  kind: 'stub' | 'cable' | 'request'
}

export interface RingPlace {
  network: number
  ring: Ring
  label: string
  /** The places of the ports on the ring by port. */
  at: Map<number, number>
  /** The nodes that are at this ring alone, by number. */
  own: number[]
}

/** A box before it has a place. */
export interface Unit {
  id: string
  things: number[]
  label: string
  fold: string | null
  w: number
  h: number
  parts: string[]
  count: number
}

/** Units that are placed together: a network with what is at it alone, or components of one level. */
export interface Block {
  level: number
  w: number
  h: number
  place: (x: number, y: number) => void
}

export interface Drawing {
  readonly system: System
  readonly folded: ReadonlySet<string>
  readonly units: readonly Unit[]
  readonly unitOfThing: Int32Array
  readonly nodes: Node[]
  readonly rings: RingPlace[]
  readonly wires: Wire[]
  /** The place of each port. */
  readonly anchors: (Point | null)[]
  /** The node at which each port is, by number; -1 if none. */
  readonly nodeOfPort: Int32Array
  readonly nodeOfThing: Int32Array
  /** The node in the middle of each network that has one. */
  readonly hubs: Map<number, number>
}

/** The width of a text in a box, about. */
export function textWidth(text: string): number {
  return text.length * 6.7
}

export function middle(box: Box): Point {
  return { x: box.x + box.w / 2, y: box.y + box.h / 2 }
}
