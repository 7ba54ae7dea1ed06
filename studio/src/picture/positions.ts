/** Positions that were chosen by hand, instead of derived ones. */

import type { Drawing } from './drawing'
import { Ring } from './geometry'
import type { Point } from './geometry'

/** The middle of a box by the id of its node, or of a ring by the name of its network. */
export type Positions = ReadonlyMap<string, Point>

/** Puts what has a position there. A ring takes along the boxes that are at it alone and have none of their own. */
export function applyPositions(drawing: Drawing, positions: Positions): void {
  for (const place of drawing.rings) {
    const { ring } = place
    const to = positions.get(place.label)
    if (to === undefined) continue
    place.ring = new Ring(to, ring.width, ring.height, ring.radius)
    for (const [port, length] of place.at) drawing.anchors[port] = place.ring.point(length)
    for (const n of place.own) {
      drawing.nodes[n]!.x += to.x - ring.centre.x
      drawing.nodes[n]!.y += to.y - ring.centre.y
    }
  }
  for (const node of drawing.nodes) {
    const to = positions.get(node.id)
    if (to === undefined) continue
    node.x = to.x - node.w / 2
    node.y = to.y - node.h / 2
  }
}
