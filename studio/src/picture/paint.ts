/** Draws the picture: still parts on one canvas, what moves on another. */

import { first } from '../file/intervals'
import type { Recording } from '../file/recording'
import type { Moving } from '../player/pace'
import { FONT, inkOn, loadColour, mix } from '../theme.svelte'
import type { Colours } from '../theme.svelte'
import type { Layout, Node } from './layout'
import type { Load } from './load'
import type { Model } from './model'

export interface View {
  x: number
  y: number
  k: number
}

export interface Still {
  layout: Layout
  colours: Colours
  load: Load | null
  selected: string | null
  hover: string | null
}

type Context = CanvasRenderingContext2D

export function enter(ctx: Context, view: View): void {
  ctx.translate(view.x, view.y)
  ctx.scale(view.k, view.k)
}

function trace(ctx: Context, points: readonly { x: number; y: number }[]): void {
  ctx.beginPath()
  for (const [n, point] of points.entries()) {
    if (n === 0) ctx.moveTo(point.x, point.y)
    else ctx.lineTo(point.x, point.y)
  }
}

function clipped(ctx: Context, text: string, width: number): string {
  if (ctx.measureText(text).width <= width) return text
  const fits = first(text.length, (n) => ctx.measureText(`${text.slice(0, n + 1)}…`).width > width)
  return width < 12 ? '' : `${text.slice(0, fits)}…`
}

function useOf(node: Node, load: Load): number {
  if (node.switch !== null) return load.switches[node.switch] ?? 0
  return node.things.reduce((most, thing) => Math.max(most, load.things[thing] ?? 0), 0)
}

export function paintStill(ctx: Context, still: Still): void {
  const { layout, colours, load } = still
  ctx.lineCap = 'round'
  ctx.lineJoin = 'round'
  for (const wire of layout.wires) {
    const request = wire.kind === 'request'
    let use = 0
    if (load !== null && wire.kind === 'cable' && wire.from !== null && wire.to !== null) {
      use = Math.max(load.links.get(wire.from * 65536 + wire.to) ?? 0, load.links.get(wire.to * 65536 + wire.from) ?? 0)
    }
    ctx.setLineDash(request ? [5, 5] : [])
    ctx.lineWidth = request ? 1 : 2 + 5 * use
    ctx.strokeStyle = load === null || wire.kind !== 'cable' ? colours.line : loadColour(use, colours)
    trace(ctx, wire.path.points)
    ctx.stroke()
  }
  ctx.setLineDash([])
  for (const place of layout.rings) {
    const { ring, at } = place
    const use = load?.rings.get(place.network)
    if (use === undefined || use.ports.length < 2) {
      ctx.lineWidth = 3
      ctx.strokeStyle = colours.line
      trace(ctx, ring.outline.points)
      ctx.closePath()
      ctx.stroke()
    } else {
      for (const [n, port] of use.ports.entries()) {
        const next = use.ports[(n + 1) % use.ports.length]!
        const share = Math.min(1, use.use[n]!)
        ctx.lineWidth = 3 + 5 * share
        ctx.strokeStyle = loadColour(share, colours)
        const [a, b] = [at.get(port)!, at.get(next)!]
        if (a === b) continue
        trace(ctx, ring.way(a, b).points)
        ctx.stroke()
      }
    }
    // The direction of the words.
    ctx.fillStyle = colours.faint
    for (const share of [0.25, 0.75]) {
      const all = ring.outline.length
      const [p, q] = [ring.point(share * all), ring.point(share * all + 2)]
      const angle = Math.atan2(q.y - p.y, q.x - p.x)
      const n = ring.normal(share * all)
      ctx.save()
      ctx.translate(p.x - n.x * 11, p.y - n.y * 11)
      ctx.rotate(angle)
      ctx.beginPath()
      ctx.moveTo(5, 0)
      ctx.lineTo(-4, -4)
      ctx.lineTo(-4, 4)
      ctx.fill()
      ctx.restore()
    }
    ctx.fillStyle = load?.fullest?.name === place.label ? '#d5400a' : colours.faint
    ctx.font = `600 14px ${FONT}`
    ctx.textAlign = 'center'
    ctx.textBaseline = 'middle'
    ctx.fillText(clipped(ctx, place.label, ring.width - 30), ring.centre.x, ring.centre.y)
    ctx.fillStyle = colours.line
    for (const length of new Set(at.values())) {
      const point = ring.point(length)
      ctx.beginPath()
      ctx.arc(point.x, point.y, 4, 0, 7)
      ctx.fill()
    }
  }
  for (const node of layout.nodes) paintNode(ctx, node, still)
  ctx.fillStyle = colours.ink
  for (const dot of layout.dots) {
    ctx.beginPath()
    ctx.arc(dot.x, dot.y, 2.5, 0, 7)
    ctx.fill()
  }
}

function paintNode(ctx: Context, node: Node, still: Still): void {
  const { colours, load } = still
  const use = load === null ? 0 : useOf(node, load)
  const selected = still.selected === node.id
  const { x, y, w, h } = node
  if (node.kind === 'group') {
    for (const shift of [6, 3]) {
      ctx.beginPath()
      ctx.roundRect(x + shift, y - shift, w, h, 5)
      ctx.fillStyle = colours.box
      ctx.fill()
      ctx.lineWidth = 1
      ctx.strokeStyle = colours.line
      ctx.stroke()
    }
  }
  ctx.beginPath()
  ctx.roundRect(x, y, w, h, node.kind === 'switch' || node.kind === 'bus' ? 8 : 5)
  ctx.fillStyle = load !== null && use > 0 ? mix(colours.box, loadColour(use, colours), 0.28 + 0.3 * use) : colours.box
  ctx.fill()
  ctx.lineWidth = selected ? 3 : still.hover === node.id ? 2 : 1.2
  ctx.strokeStyle = selected ? colours.select : still.hover === node.id ? colours.ink : colours.faint
  if (node.kind === 'switch' || node.kind === 'bus') ctx.lineWidth += 0.8
  ctx.stroke()
  ctx.fillStyle = colours.ink
  ctx.textBaseline = 'middle'
  const compact = w < 40
  ctx.font = `${node.kind === 'thing' && !compact ? '' : '600 '}${compact ? '10' : '12'}px ${FONT}`
  const tall = node.kind === 'switch' || node.kind === 'bus'
  const top = node.parts.length > 0 ? y + 12 : tall ? y + h / 2 : y + h / 2
  const label = node.kind === 'group' ? `${node.label} ×${String(node.count)}` : node.label
  ctx.textAlign = 'center'
  const folds = node.kind === 'group' && !compact
  ctx.fillText(clipped(ctx, label, w - (folds ? 18 : compact ? 1 : 6)), x + w / 2 - (folds ? 5 : 0), top)
  if (folds) {
    ctx.strokeStyle = colours.faint
    ctx.lineWidth = 1.4
    ctx.beginPath()
    ctx.moveTo(x + w - 14, top)
    ctx.lineTo(x + w - 6, top)
    ctx.moveTo(x + w - 10, top - 4)
    ctx.lineTo(x + w - 10, top + 4)
    ctx.stroke()
  }
  ctx.font = `11px ${FONT}`
  for (const [n, part] of node.parts.entries()) {
    const py = y + 23 + n * 19
    ctx.beginPath()
    ctx.roundRect(x + 5, py, w - 10, 16, 3)
    ctx.fillStyle = still.selected === part ? colours.select : mix(colours.box, colours.line, 0.28)
    ctx.fill()
    ctx.fillStyle = still.selected === part ? colours.box : colours.ink
    ctx.fillText(clipped(ctx, part, w - 18), x + w / 2, py + 8.5)
  }
  const fullest = load?.fullest
  if (fullest != null && fullest.thing !== null && node.things.includes(fullest.thing) && fullest.use > 0.01) {
    ctx.lineWidth = 2.5
    ctx.strokeStyle = '#d5400a'
    ctx.setLineDash([4, 3])
    ctx.beginPath()
    ctx.roundRect(x - 4, y - 4, w + 8, h + 8, 8)
    ctx.stroke()
    ctx.setLineDash([])
  }
}

export interface Action {
  layout: Layout
  model: Model
  recording: Recording
  colours: Colours
  time: number
  moving: readonly Moving[]
  view: View
  family: ReadonlySet<number>
  follow: boolean
  frame: number | null
  /** The node at which the selected request is. */
  holds: number | null
}

function paintStates(ctx: Context, action: Action): void {
  const { layout, model, recording, time } = action
  const { system } = model
  ctx.textAlign = 'center'
  ctx.textBaseline = 'middle'
  const drawn = new Set<string>()
  const small = 6 * action.view.k < 3.4
  ctx.font = `700 9px ${FONT}`
  for (const [station, port] of system.ports.entries()) {
    const lane = model.stateLane[station]!
    const anchor = layout.anchors[station]
    if (lane < 0 || anchor == null) continue
    const value = recording.steps.at(lane, time)
    const look = model.looks[lane]?.[value]
    if (look === undefined) continue
    const node = layout.nodeOfPort[station]!
    const folded = node >= 0 && layout.nodes[node]!.kind === 'group'
    const key = `${String(anchor.x)} ${String(anchor.y)}`
    // A folded group shows the state of a member that is not at rest, if it has one.
    if (folded && value === 0 && drawn.has(key)) continue
    drawn.add(key)
    const ring = port.network !== null && system.networks[port.network]!.drawn === 'ring'
    const radius = value === 0 && ring ? 5 : 8
    ctx.beginPath()
    ctx.arc(anchor.x, anchor.y, radius, 0, 7)
    ctx.fillStyle = look.colour
    ctx.fill()
    if (!small && radius > 6) {
      ctx.fillStyle = inkOn(look.colour)
      ctx.fillText(look.letter, anchor.x, anchor.y + 0.5)
    }
  }
}

/** Bars at the bottom of boxes whose blocks work, and numbers of what waits. */
function paintWork(ctx: Context, action: Action): void {
  const { layout, model, recording, time } = action
  for (const node of layout.nodes) {
    let busy = 0
    let waiting = 0
    let colour = action.colours.accent
    const lists =
      node.switch !== null ? [model.lanesOfSwitch[node.switch]!] : node.things.map((n) => model.lanesOfThing[n]!)
    for (const lanes of lists) {
      for (const lane of lanes) {
        const { what } = model.header.lanes[lane]!
        if (what === 'state' || what === 'gauge') continue
        const open = recording.jobsAt(lane, time)
        if (what === 'buffers') waiting += open.length
        else busy += open.length
      }
    }
    for (const thing of node.things) {
      for (const component of model.devicesOfThing[thing]!) {
        const row = recording.phaseAt(component, time)
        if (row < 0) continue
        busy += 1
        colour = model.header.lines[recording.dwells.line[row]!]!.colour
      }
    }
    const { x, y, w, h } = node
    if (busy > 0) {
      ctx.fillStyle = colour
      ctx.beginPath()
      ctx.roundRect(x + 3, y + h - 5, w - 6, 4, 2)
      ctx.fill()
    }
    if (waiting > 0 && node.switch !== null) {
      ctx.font = `600 11px ${FONT}`
      const text = `${String(waiting)} held`
      const width = ctx.measureText(text).width + 10
      ctx.fillStyle = action.colours.ink
      ctx.beginPath()
      ctx.roundRect(x + w / 2 - width / 2, y + h + 3, width, 16, 8)
      ctx.fill()
      ctx.fillStyle = action.colours.ground
      ctx.textAlign = 'center'
      ctx.textBaseline = 'middle'
      ctx.fillText(text, x + w / 2, y + h + 11)
    }
  }
}

export function paintMoving(ctx: Context, action: Action): void {
  const { layout, model, recording, colours, time } = action
  const { moves } = recording
  paintWork(ctx, action)
  const { view } = action
  // Where very much moves, what is hardly seen is left out: it would cost the smoothness.
  const dense = action.moving.length > 60
  const labels = action.moving.length <= 14 || (view.k > 1.3 && action.moving.length <= 80)
  ctx.lineCap = 'butt'
  ctx.lineJoin = 'round'
  const taken: { x: number; y: number }[] = []
  for (const item of action.moving) {
    const { row } = item
    const path = layout.path(moves.from[row]!, moves.to[row]!)
    const kind = model.header.kinds[moves.kind[row]!]
    const colour = kind?.colour ?? colours.accent
    const own = action.family.size > 0 && action.family.has(moves.request[row]!)
    const chosen = action.frame !== null && moves.frame[row] === action.frame
    const dim = action.family.size > 0 && !own && !action.follow
    ctx.globalAlpha = dim ? 0.6 : 1
    const points = path.part(item.tail, item.head)
    if (kind?.signal !== true) {
      if (own || chosen) {
        trace(ctx, points)
        ctx.lineWidth = 12
        ctx.strokeStyle = mix(colours.ground, colours.select, 0.55)
        ctx.stroke()
      }
      trace(ctx, points)
      ctx.lineWidth = 6
      ctx.strokeStyle = colour
      if (item.lost) ctx.setLineDash([3, 3])
      ctx.stroke()
      ctx.setLineDash([])
      if (!dense && item.head === 1 && item.tail === 0 && path.length > 4 && !item.lost) {
        // The whole way is lit: dashes run in the direction of the words as it is sent.
        trace(ctx, points)
        ctx.lineWidth = 2
        ctx.strokeStyle = inkOn(colour)
        const sent = (time - moves.t0[row]!) / Math.max(1, moves.end[row]! - moves.t0[row]!)
        ctx.setLineDash([5, 13])
        ctx.lineDashOffset = -sent * Math.max(36, path.length)
        ctx.stroke()
        ctx.setLineDash([])
        ctx.lineDashOffset = 0
      }
    }
    const head = points[points.length - 1]!
    ctx.fillStyle = colour
    ctx.beginPath()
    if (kind?.signal === true) {
      ctx.moveTo(head.x, head.y - 6)
      ctx.lineTo(head.x + 6, head.y)
      ctx.lineTo(head.x, head.y + 6)
      ctx.lineTo(head.x - 6, head.y)
      ctx.closePath()
    } else ctx.arc(head.x, head.y, 5.5, 0, 7)
    ctx.fill()
    if (!dense) {
      ctx.lineWidth = 1.2
      ctx.strokeStyle = colours.ground
      ctx.stroke()
    }
    if (item.lost) {
      ctx.strokeStyle = colours.ink
      ctx.lineWidth = 2
      ctx.beginPath()
      ctx.moveTo(head.x - 5, head.y - 5)
      ctx.lineTo(head.x + 5, head.y + 5)
      ctx.moveTo(head.x + 5, head.y - 5)
      ctx.lineTo(head.x - 5, head.y + 5)
      ctx.stroke()
    }
    if (labels && kind !== undefined && !dim) {
      const on = item.head === 1 ? path.at((item.head + item.tail) / 2) : head
      // Inside a ring there are no names.
      const network = model.system.ports[moves.from[row]!]?.network ?? null
      const centre = layout.rings.find((one) => one.network === network)?.ring.centre
      const at = { x: on.x, y: centre !== undefined && on.y < centre.y ? on.y + 35 : on.y }
      if (!taken.some((other) => Math.abs(other.x - at.x) < 90 && Math.abs(other.y - at.y) < 18)) {
        taken.push(at)
        ctx.font = `600 ${String(Math.max(9, 11 / Math.max(0.7, view.k)))}px ${FONT}`
        const width = ctx.measureText(kind.name).width + 8
        ctx.fillStyle = colours.panel
        ctx.globalAlpha = 0.88
        ctx.beginPath()
        ctx.roundRect(at.x - width / 2, at.y - 24, width, 15, 3)
        ctx.fill()
        ctx.globalAlpha = 1
        ctx.fillStyle = colours.ink
        ctx.textAlign = 'center'
        ctx.textBaseline = 'middle'
        ctx.fillText(kind.name, at.x, at.y - 16)
      }
    }
    ctx.globalAlpha = 1
  }
  paintStates(ctx, action)
  if (action.holds !== null) {
    const node = layout.nodes[action.holds]!
    ctx.strokeStyle = colours.select
    ctx.lineWidth = 3
    ctx.beginPath()
    ctx.roundRect(node.x - 5, node.y - 5, node.w + 10, node.h + 10, 9)
    ctx.stroke()
  }
}
