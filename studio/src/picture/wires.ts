/** Dots at the sides of boxes, spread over the side, and the cables and stubs between them. */

import { middle } from './drawing'
import type { Drawing } from './drawing'
import { Path } from './geometry'
import type { Box, Point } from './geometry'
import type { Port } from './system'

/** A dot that is wanted at the side of a box, towards a point; `apply` gets its place. */
interface Dot {
  port: number
  to: Point
  apply: (point: Point) => void
}

/** Where cables end that are at no port: the ends of stubs at a ring, and of cables at a hub, by port. */
interface Ends {
  stubs: { port: number; end: Point }[]
  hubs: Map<number, Point>
}

/** Draws what joins boxes and rings, which have their places. */
export function joinUp(drawing: Drawing): void {
  const switchNode = new Map<number, number>()
  for (const [n, node] of drawing.nodes.entries()) if (node.switch !== null) switchNode.set(node.switch, n)
  const nodeOf = (port: Port): number => {
    if (port.thing !== null) return drawing.nodeOfThing[port.thing]!
    return port.switch === null ? -1 : (switchNode.get(port.switch) ?? -1)
  }
  for (const [n, port] of drawing.system.ports.entries()) drawing.nodeOfPort[n] = nodeOf(port)
  const ends = placePorts(drawing)
  drawCables(drawing, ends)
  for (const [a, b] of drawing.system.cables) {
    const [one, other] = [switchNode.get(a), switchNode.get(b)]
    if (one === undefined || other === undefined) continue
    drawing.wires.push({
      from: null,
      to: null,
      kind: 'cable',
      path: between(drawing.nodes[one]!, drawing.nodes[other]!),
    })
  }
  drawRequests(drawing)
}

/** Gives each port its place at the side of its box. */
function placePorts(drawing: Drawing): Ends {
  const { system, nodes, anchors, nodeOfPort } = drawing
  const wanted = new Map<number, Dot[]>()
  const want = (node: number, port: number, to: Point, apply: (point: Point) => void): void => {
    const list = wanted.get(node) ?? []
    list.push({ port, to, apply })
    wanted.set(node, list)
  }
  const ends: Ends = { stubs: [], hubs: new Map() }
  /** The stubs and places that the folded members of a group share. */
  const stubs = new Set<string>()
  const shared = new Map<string, Point>()
  for (const [n, port] of system.ports.entries()) {
    const node = nodeOfPort[n]!
    if (node < 0 || port.network === null) continue
    if (system.networks[port.network]!.drawn === 'ring') {
      const end = anchors[n]
      if (end == null) continue
      const key = `${String(node)} ${String(end.x)} ${String(end.y)}`
      if (stubs.has(key)) continue
      stubs.add(key)
      want(node, n, end, (point) => ends.stubs.push({ port: n, end: point }))
      continue
    }
    const hub = drawing.hubs.get(port.network)
    const peer = port.peer === null ? -1 : (nodeOfPort[port.peer] ?? -1)
    const other = peer >= 0 && peer !== node ? peer : (hub ?? -1)
    if (other < 0) continue
    const key = port.thing !== null && nodes[node]!.kind === 'group' ? `${String(node)} ${String(other)}` : null
    want(node, n, middle(nodes[other]!), (point) => {
      if (key !== null && !shared.has(key)) shared.set(key, point)
      anchors[n] = (key === null ? undefined : shared.get(key)) ?? point
    })
    if (hub !== undefined && other === hub) {
      want(hub, n, middle(nodes[node]!), (point) => ends.hubs.set(n, point))
    }
  }
  for (const [node, dots] of wanted) spread(nodes[node]!, dots)
  // A station at no network, such as a bus inside a controller, is drawn at the middle of its component.
  for (const [n, port] of system.ports.entries()) {
    if (port.network === null && nodeOfPort[n]! >= 0) anchors[n] = middle(nodes[nodeOfPort[n]!]!)
  }
  return ends
}

/** Spreads dots over the sides of a box that are nearest to where they lead. */
function spread(box: Box, dots: Dot[]): void {
  const mid = middle(box)
  const sides: Record<string, Dot[]> = { l: [], r: [], t: [], b: [] }
  for (const one of dots) {
    const [dx, dy] = [(one.to.x - mid.x) / (box.w / 2), (one.to.y - mid.y) / (box.h / 2)]
    const flat = Math.abs(one.to.x - mid.x) > box.w / 2 + 4 || (Math.abs(dy) < 1 && Math.abs(dx) > 0)
    sides[flat ? (dx < 0 ? 'l' : 'r') : dy < 0 ? 't' : 'b']!.push(one)
  }
  for (const [side, members] of Object.entries(sides)) {
    const upright = side === 'l' || side === 'r'
    members.sort((a, b) => (upright ? a.to.y - b.to.y : a.to.x - b.to.x) || a.port - b.port)
    for (const [n, one] of members.entries()) {
      const share = (n + 1) / (members.length + 1)
      if (upright) one.apply({ x: side === 'l' ? box.x : box.x + box.w, y: box.y + share * box.h })
      else one.apply({ x: box.x + share * box.w, y: side === 't' ? box.y : box.y + box.h })
    }
  }
}

/** Stubs to rings, and cables to hubs and from port to port. */
function drawCables(drawing: Drawing, ends: Ends): void {
  const { system, anchors, wires } = drawing
  for (const { port, end } of ends.stubs) {
    wires.push({ from: port, to: null, kind: 'stub', path: new Path([anchors[port]!, end]) })
  }
  for (const [n, port] of system.ports.entries()) {
    const a = anchors[n]
    if (a == null || port.network === null || system.networks[port.network]!.drawn === 'ring') continue
    const end = ends.hubs.get(n)
    if (end !== undefined) wires.push({ from: n, to: null, kind: 'cable', path: new Path([a, end]) })
    else if (port.peer !== null) {
      const back = system.ports[port.peer]?.peer === n
      const b = anchors[port.peer]
      if (b != null && (!back || n < port.peer)) {
        wires.push({ from: n, to: port.peer, kind: 'cable', path: new Path([a, b]) })
      }
    }
  }
}

/** One line for the requests between two boxes. */
function drawRequests(drawing: Drawing): void {
  const { nodes, nodeOfThing, wires } = drawing
  const drawn = new Set<string>()
  for (const [a, b] of drawing.system.joins) {
    const [one, other] = [nodeOfThing[a]!, nodeOfThing[b]!]
    const key = `${String(one)} ${String(other)}`
    if (one < 0 || other < 0 || drawn.has(key)) continue
    drawn.add(key)
    wires.push({ from: null, to: null, kind: 'request', path: between(nodes[one]!, nodes[other]!) })
  }
}

/** The straight way from the edge of one box to the edge of another. */
function between(a: Box, b: Box): Path {
  const edge = (box: Box, from: Point, to: Point): Point => {
    const [dx, dy] = [to.x - from.x, to.y - from.y]
    const scale = Math.min(
      dx === 0 ? Infinity : box.w / 2 / Math.abs(dx),
      dy === 0 ? Infinity : box.h / 2 / Math.abs(dy),
      1,
    )
    return { x: from.x + dx * scale, y: from.y + dy * scale }
  }
  return new Path([edge(a, middle(a), middle(b)), edge(b, middle(b), middle(a))])
}
