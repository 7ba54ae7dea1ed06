/** What the editor does when something of the picture is dragged. */

import type { Node } from './drawing'
import type { Point } from './geometry'

export interface Grip {
  /** Whether a drag that begins here is the editor's, and not one of the view; `k` is the zoom. */
  down: (point: Point, k: number) => boolean
  move: (point: Point) => void
  /** Ends the drag at a point; null if nothing was dragged after all. */
  up: (point: Point | null) => void
  /** The node beside which there is something to drag at this point. */
  reach: (point: Point, k: number) => Node | undefined
  /** Paints what can be dragged beside the node that is pointed at, and what is dragged. */
  paint: (ctx: CanvasRenderingContext2D, pointed: string | null, k: number) => void
}
