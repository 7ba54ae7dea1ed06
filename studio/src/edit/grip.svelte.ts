/** Drags in the editor's picture: a component or a loop is moved by its body, and joined from its handle. */

import type { Grip } from '../picture/grip'
import type { Node } from '../picture/drawing'
import type { Point } from '../picture/geometry'
import { middle } from '../picture/drawing'
import { nodeAt, ringAt } from '../picture/layout'
import type { Layout } from '../picture/layout'
import { theme } from '../theme.svelte'

/** The radius of a handle on the screen. */
const RADIUS = 7
/** Positions are multiples of this, so that what is moved lines up. */
export const STEP = 10

export interface Hands {
  layout: () => Layout
  /** Shows something at a place while it is dragged. */
  place: (id: string, at: Point) => void
  /** Keeps where it was dragged to. */
  keep: (id: string) => void
  join: (from: string, to: string) => void
}

export function snapped(point: Point): Point {
  return { x: Math.round(point.x / STEP) * STEP, y: Math.round(point.y / STEP) * STEP }
}

/** The middle of the node or ring with an id; null if nothing that is drawn has it. */
export function placeOf(layout: Layout, id: string): Point | null {
  const node = layout.nodes.find((one) => one.id === id)
  if (node !== undefined) return middle(node)
  return layout.rings.find((one) => one.label === id)?.ring.centre ?? null
}

export class Dragging implements Grip {
  private held: { id: string; away: Point } | null = null
  private joining = $state.raw<{ from: string; to: Point } | null>(null)
  private from: string | null = null

  constructor(private readonly hands: Hands) {}

  private handle(node: Node, k: number): Point {
    return { x: node.x + node.w + RADIUS / k, y: node.y + node.h / 2 }
  }

  reach = (point: Point, k: number): Node | undefined =>
    this.hands.layout().nodes.find((node) => {
      const at = this.handle(node, k)
      return Math.hypot(point.x - at.x, point.y - at.y) <= (RADIUS + 2) / k
    })

  down = (point: Point, k: number): boolean => {
    const layout = this.hands.layout()
    const id = nodeAt(layout.nodes, point)?.id ?? null
    this.from = id === null ? (this.reach(point, k)?.id ?? null) : null
    if (this.from !== null) return true
    const held = id ?? ringAt(layout.rings, point)
    const at = held === null ? null : placeOf(layout, held)
    if (held === null || at === null) return false
    this.held = { id: held, away: { x: point.x - at.x, y: point.y - at.y } }
    return true
  }

  move = (point: Point): void => {
    const { held } = this
    if (this.from !== null) this.joining = { from: this.from, to: point }
    else if (held !== null) {
      this.hands.place(held.id, snapped({ x: point.x - held.away.x, y: point.y - held.away.y }))
    }
  }

  up = (point: Point | null): void => {
    const { held, from } = this
    this.held = this.from = this.joining = null
    if (point === null) return
    if (held !== null) this.hands.keep(held.id)
    const layout = this.hands.layout()
    const to = nodeAt(layout.nodes, point)?.id ?? ringAt(layout.rings, point)
    if (from !== null && to !== null && to !== from) this.hands.join(from, to)
  }

  paint = (ctx: CanvasRenderingContext2D, pointed: string | null, k: number): void => {
    const { nodes } = this.hands.layout()
    const { accent, ground } = theme.colours
    ctx.strokeStyle = ctx.fillStyle = accent
    ctx.lineWidth = 2 / k
    const { joining } = this
    const from = nodes.find((node) => node.id === (joining?.from ?? pointed))
    if (from === undefined) return
    const at = this.handle(from, k)
    if (joining !== null) {
      ctx.setLineDash([6 / k, 4 / k])
      ctx.beginPath()
      ctx.moveTo(at.x, at.y)
      ctx.lineTo(joining.to.x, joining.to.y)
      ctx.stroke()
      ctx.setLineDash([])
    }
    ctx.beginPath()
    ctx.arc(at.x, at.y, RADIUS / k, 0, 7)
    ctx.fill()
    ctx.strokeStyle = ground
    ctx.beginPath()
    ctx.moveTo(at.x - 3 / k, at.y)
    ctx.lineTo(at.x + 3 / k, at.y)
    ctx.moveTo(at.x, at.y - 3 / k)
    ctx.lineTo(at.x, at.y + 3 / k)
    ctx.stroke()
  }
}
