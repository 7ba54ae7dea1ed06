/** Where everything is: pure, from the system and what is folded. */

import { Path, Ring } from './geometry'
import type { Box, Point } from './geometry'
import { foldedGroups, levels } from './levels'
import type { Folding } from './levels'
import type { Port, System } from './system'

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
}

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

const LETTER = 6.7
const ROW = 24
const GAP = 10
const COLUMN = 16

interface Unit {
  id: string
  things: number[]
  label: string
  fold: string | null
  w: number
  h: number
  parts: string[]
  count: number
}

interface Block {
  level: number
  w: number
  h: number
  /** Where it wants to be among those of its level. */
  pull: number
  place: (x: number, y: number) => void
}

function textWidth(text: string): number {
  return text.length * LETTER
}

class Drawing {
  readonly nodes: Node[] = []
  readonly rings: RingPlace[] = []
  readonly wires: Wire[] = []
  readonly anchors: (Point | null)[]
  readonly nodeOfPort: Int32Array
  readonly nodeOfThing: Int32Array
  readonly units: Unit[] = []
  readonly unitOfThing: Int32Array
  readonly folded: Set<string>
  private readonly hubs = new Map<number, number>()
  private readonly paths = new Map<number, Path>()

  constructor(
    readonly system: System,
    folding: Folding,
  ) {
    this.anchors = system.ports.map(() => null)
    this.nodeOfPort = new Int32Array(system.ports.length).fill(-1)
    this.nodeOfThing = new Int32Array(system.things.length).fill(-1)
    this.unitOfThing = new Int32Array(system.things.length).fill(-1)
    this.folded = foldedGroups(system, folding)
    this.makeUnits()
  }

  /** Boxes before they have a place: one for a thing, one for a folded group at each place where its members are joined. */
  private makeUnits(): void {
    const joined = this.system.things.map(() => '')
    for (const port of this.system.ports) {
      if (port.thing === null) continue
      const peer = port.peer === null ? undefined : this.system.ports[port.peer]
      joined[port.thing] = `${joined[port.thing]!} ${String(port.network)}:${String(peer?.switch ?? '')}`
    }
    const many = new Map<string, number>()
    for (const thing of this.system.things) many.set(thing.group, (many.get(thing.group) ?? 0) + 1)
    const byKey = new Map<string, number>()
    for (const [number, thing] of this.system.things.entries()) {
      const folded = this.folded.has(thing.group)
      const key = folded ? `${thing.group} at${joined[number]!}` : thing.name
      let unit = byKey.get(key)
      if (unit === undefined) {
        unit = this.units.length
        byKey.set(key, unit)
        const size = many.get(thing.group) ?? 1
        const compact = !folded && size > 40
        const label = folded ? thing.group : compact ? (/\[(\d+)\]$/.exec(thing.name)?.[1] ?? thing.name) : thing.name
        const parts = thing.parts.map((part) => part.name)
        this.units.push({
          id: folded ? key : thing.name,
          things: [],
          label,
          fold: size > 1 ? thing.group : null,
          w: compact ? 26 : Math.max(48, textWidth(label) + 26, ...parts.map((part) => textWidth(part) + 34)),
          h: ROW + parts.length * 19 + (parts.length > 0 ? 4 : 0),
          parts,
          count: 0,
        })
      }
      this.units[unit]!.things.push(number)
      this.unitOfThing[number] = unit
    }
    for (const unit of this.units) {
      unit.count = unit.things.length
      if (this.folded.has(unit.fold ?? ''))
        unit.w = Math.max(unit.w, textWidth(`${unit.label} x${String(unit.count)}`) + 40)
    }
  }

  private addNode(node: Node): number {
    this.nodes.push(node)
    return this.nodes.length - 1
  }

  placeUnit(number: number, x: number, y: number): void {
    const unit = this.units[number]!
    const group = this.folded.has(unit.fold ?? '')
    const node = this.addNode({
      id: unit.id,
      kind: group ? 'group' : 'thing',
      label: unit.label,
      things: unit.things,
      switch: null,
      network: null,
      parts: unit.parts,
      fold: unit.fold,
      count: unit.count,
      x: x - unit.w / 2,
      y: y - unit.h / 2,
      w: unit.w,
      h: unit.h,
    })
    for (const thing of unit.things) this.nodeOfThing[thing] = node
  }

  /** The ports of a network by unit, in order; switch ports left out. */
  private stations(network: number): { unit: number; ports: number[] }[] {
    const found: { unit: number; ports: number[] }[] = []
    const place = new Map<string, number>()
    for (const [number, port] of this.system.ports.entries()) {
      if (port.network !== network || port.thing === null) continue
      const unit = this.unitOfThing[port.thing]!
      // Folded members share a place; ports of one thing on one network have one each.
      const folded = this.folded.has(this.units[unit]!.fold ?? '')
      const key = folded ? `f${String(unit)}` : `p${String(number)}`
      const known = place.get(key)
      if (known === undefined) {
        place.set(key, found.length)
        found.push({ unit, ports: [number] })
      } else found[known]!.ports.push(number)
    }
    return found
  }

  ringBlock(network: number, level: number, own: Set<number>, levelOfUnit: (unit: number) => number): Block {
    const slots = this.stations(network)
    const placed = new Set<number>()
    const isOwn = slots.map(({ unit }) => {
      const first = own.has(unit) && !placed.has(unit)
      placed.add(unit)
      return first
    })
    const size = (n: number): number => (isOwn[n]! ? this.units[slots[n]!.unit]!.w + GAP : 26)
    const sum = slots.reduce((total, _, n) => total + size(n), 0)
    const shape = Ring.shape(sum)
    const perimeter = new Ring({ x: 0, y: 0 }, shape.width, shape.height, shape.radius).outline.length
    const stretch = sum === 0 ? 1 : perimeter / sum
    const centres: number[] = []
    let at = 0
    for (const [n] of slots.entries()) {
      const width = size(n) * stretch
      centres.push(at + width / 2)
      at += width
    }
    const deepest = Math.max(0, ...slots.map(({ unit }, n) => (isOwn[n]! ? this.units[unit]!.h : 0)))
    const widest = Math.max(0, ...slots.map(({ unit }, n) => (isOwn[n]! ? this.units[unit]!.w : 0)))
    const margin = { x: widest > 0 ? widest + 34 : 16, y: deepest > 0 ? deepest + 34 : 16 }
    return {
      level,
      pull: network,
      w: shape.width + 2 * margin.x,
      h: shape.height + 2 * margin.y,
      place: (x, y) => {
        const ring = new Ring({ x, y }, shape.width, shape.height, shape.radius)
        const shift = this.turned(ring, slots, centres, isOwn, (unit) => Math.sign(levelOfUnit(unit) - level))
        const place: RingPlace = { network, ring, label: this.system.networks[network]!.name, at: new Map() }
        for (const [n, { unit, ports }] of slots.entries()) {
          const length = centres[n]! + shift
          const point = ring.point(length)
          for (const port of ports) {
            this.anchors[port] = point
            place.at.set(port, length)
          }
          if (!isOwn[n]!) continue
          const normal = ring.normal(length)
          const box = this.units[unit]!
          const reach = 16 + Math.abs(normal.x) * (box.w / 2) + Math.abs(normal.y) * (box.h / 2)
          this.placeUnit(unit, point.x + normal.x * reach, point.y + normal.y * reach)
        }
        this.rings.push(place)
      },
    }
  }

  /** How far the stations are turned, so that each is on the side of its component. */
  private turned(
    ring: Ring,
    slots: { unit: number; ports: number[] }[],
    centres: number[],
    isOwn: boolean[],
    side: (unit: number) => number,
  ): number {
    let [best, least] = [-(centres[0] ?? 0), Infinity]
    for (let turn = 0; turn < 2 * slots.length; turn += 1) {
      // Each station once at the left end, and once at the right one.
      const shift = (turn % 2) * 0.5 * ring.outline.length - centres[turn >> 1]!
      let cost = 0
      for (const [n, { unit, ports }] of slots.entries()) {
        const starts = this.system.ports[ports[0]!]!.side === 'initiator'
        const wish = isOwn[n]! ? (starts ? -2 : 0) : 3 * side(unit)
        cost -= wish * (ring.point(centres[n]! + shift).x - ring.centre.x)
      }
      if (cost < least - 1e-6) [best, least] = [shift, cost]
    }
    return best
  }

  /** A fabric, or a box with everything at one hub. */
  placesBlock(network: number, level: number, own: Set<number>): Block {
    const { system } = this
    const hubbed = system.networks[network]!.drawn !== 'places'
    const switches = hubbed ? [-1] : [...system.switches.keys()].filter((n) => system.switches[n]!.network === network)
    if (switches.length === 0) switches.push(-1)
    const cells = switches.map((number) => ({
      number,
      left: [] as number[],
      right: [] as number[],
      starts: 0,
      ends: 0,
    }))
    const seen = new Set<number>()
    for (const { unit, ports } of this.stations(network)) {
      const port = system.ports[ports[0]!]!
      const peer = port.peer === null ? null : (system.ports[port.peer]?.switch ?? null)
      const cell = cells.find((one) => one.number === peer) ?? cells[0]!
      const starts = port.side === 'initiator'
      if (starts) cell.starts += 1
      else cell.ends += 1
      if (!own.has(unit) || seen.has(unit)) continue
      seen.add(unit)
      if (starts) cell.left.push(unit)
      else cell.right.push(unit)
    }
    const rank = (cell: (typeof cells)[number]): number =>
      cell.starts + cell.ends === 0 ? 1 : cell.ends === 0 ? 0 : cell.starts === 0 ? 3 : 2
    const grid = (units: number[]): { w: number; h: number; columns: number; rows: number; cw: number; ch: number } => {
      const columns = Math.max(1, Math.ceil(units.length / (units.length > 40 ? 20 : 14)))
      const rows = Math.ceil(units.length / columns)
      const cw = Math.max(0, ...units.map((unit) => this.units[unit]!.w)) + GAP
      const ch = Math.max(0, ...units.map((unit) => this.units[unit]!.h)) + GAP
      return { w: units.length === 0 ? 0 : columns * cw + 70, h: rows * ch, columns, rows, cw, ch }
    }
    const label = (number: number): string =>
      number < 0 ? system.networks[network]!.name : `${system.networks[network]!.name}.${system.switches[number]!.name}`
    const short = (number: number): string =>
      number < 0 ? system.networks[network]!.name : (system.switches[number]!.name.split('.').pop() ?? '')
    const measured = cells.map((cell) => {
      const [left, right] = [grid(cell.left), grid(cell.right)]
      const w = Math.max(hubbed ? 46 : 84, textWidth(short(cell.number)) + 26)
      const ports = Math.max(cell.starts, cell.ends)
      const h = Math.max(54, Math.min(400, ports * 15), Math.min(left.h, 300), Math.min(right.h, 300))
      return { ...cell, grids: [left, right] as const, w, h, cellH: Math.max(h, left.h, right.h) + 34 }
    })
    const ranks = [...new Set(measured.map(rank))].sort((a, b) => a - b)
    const columns = ranks.map((value) => measured.filter((cell) => rank(cell) === value))
    const widths = columns.map((column) => [
      Math.max(...column.map((cell) => cell.grids[0].w)),
      Math.max(...column.map((cell) => cell.w)),
      Math.max(...column.map((cell) => cell.grids[1].w)),
    ])
    const apart = 110
    const w = widths.reduce((sum, [a, b, c]) => sum + a! + b! + c!, 0) + apart * (columns.length - 1) + 30
    const heights = columns.map((column) => column.reduce((sum, cell) => sum + cell.cellH, 0))
    return {
      level,
      pull: network,
      w,
      h: Math.max(...heights) + 16,
      place: (x, y) => {
        let left = x - w / 2 + 15
        for (const [c, column] of columns.entries()) {
          const [a, b, d] = widths[c]!
          let top = y - heights[c]! / 2
          for (const cell of column) {
            const cy = top + cell.cellH / 2
            const cx = left + a! + b! / 2
            const node = this.addNode({
              id: label(cell.number),
              kind: cell.number < 0 ? 'bus' : 'switch',
              label: short(cell.number),
              things: [],
              switch: cell.number < 0 ? null : cell.number,
              network,
              parts: [],
              fold: null,
              count: 1,
              x: cx - cell.w / 2,
              y: cy - cell.h / 2,
              w: cell.w,
              h: cell.h,
            })
            if (cell.number < 0) this.hubs.set(network, node)
            for (const [side, units] of [cell.left, cell.right].entries()) {
              const g = cell.grids[side]!
              for (const [n, unit] of units.entries()) {
                const [col, row] = [Math.floor(n / g.rows), n % g.rows]
                const out = 60 + g.cw / 2 + col * g.cw
                const ux = side === 0 ? cx - cell.w / 2 - out : cx + cell.w / 2 + out
                this.placeUnit(unit, ux, cy - g.h / 2 + (row + 0.5) * g.ch)
              }
            }
            top += cell.cellH
          }
          left += a! + b! + d! + apart
        }
      },
    }
  }

  /** Components that are at several networks, or at none. */
  columnBlock(units: number[], level: number): Block {
    const columns = Math.ceil(units.length / COLUMN)
    const rows = Math.ceil(units.length / columns)
    const cw = Math.max(...units.map((unit) => this.units[unit]!.w)) + 14
    const heights = Array.from({ length: columns }, (_, c) =>
      units.slice(c * rows, (c + 1) * rows).reduce((sum, unit) => sum + this.units[unit]!.h + 14, 0),
    )
    return {
      level,
      pull: 0,
      w: columns * cw,
      h: Math.max(...heights),
      place: (x, y) => {
        for (let c = 0; c < columns; c += 1) {
          let top = y - heights[c]! / 2
          for (const unit of units.slice(c * rows, (c + 1) * rows)) {
            const h = this.units[unit]!.h
            this.placeUnit(unit, x + (c - (columns - 1) / 2) * cw, top + 7 + h / 2)
            top += h + 14
          }
        }
      },
    }
  }

  /** Dots at the sides of boxes, spread over the side, and the cables and stubs between them. */
  joinUp(): void {
    const { system } = this
    const wanted = new Map<number, { port: number; to: Point; apply: (point: Point) => void }[]>()
    const want = (node: number, port: number, to: Point, apply: (point: Point) => void): void => {
      const list = wanted.get(node) ?? []
      list.push({ port, to, apply })
      wanted.set(node, list)
    }
    const centre = (node: number): Point => {
      const box = this.nodes[node]!
      return { x: box.x + box.w / 2, y: box.y + box.h / 2 }
    }
    const switchNode = new Map<number, number>()
    for (const [n, node] of this.nodes.entries()) if (node.switch !== null) switchNode.set(node.switch, n)
    const nodeOf = (port: Port): number =>
      port.thing !== null
        ? this.nodeOfThing[port.thing]!
        : port.switch !== null
          ? (switchNode.get(port.switch) ?? -1)
          : -1
    for (const [n, port] of system.ports.entries()) this.nodeOfPort[n] = nodeOf(port)
    const stubs: { port: number; end: Point }[] = []
    const hubEnds = new Map<number, Point>()
    const shared = new Map<string, { port: number; end: Point }[]>()
    for (const [n, port] of system.ports.entries()) {
      const node = this.nodeOfPort[n]!
      if (node < 0 || port.network === null) continue
      const drawn = system.networks[port.network]!.drawn
      if (drawn === 'ring') {
        const end = this.anchors[n]
        if (end == null) continue
        // The folded members of a group have one stub.
        const key = `${String(node)} ${String(end.x)} ${String(end.y)}`
        if (shared.has(key)) continue
        shared.set(key, [])
        want(node, n, end, (point) => stubs.push({ port: n, end: point }))
        continue
      }
      const hub = this.hubs.get(port.network)
      const peer = port.peer === null ? -1 : (this.nodeOfPort[port.peer] ?? -1)
      const other = peer >= 0 && peer !== node ? peer : (hub ?? -1)
      if (other < 0) continue
      const key = port.thing !== null && this.nodes[node]!.kind === 'group' ? `${String(node)} ${String(other)}` : null
      want(node, n, centre(other), (point) => {
        this.anchors[n] = point
        if (key !== null) this.anchors[n] = this.shareAnchor(key, point)
      })
      if (hub !== undefined && other === hub) want(hub, n, centre(node), (point) => hubEnds.set(n, point))
    }
    for (const [number, list] of wanted) {
      const box = this.nodes[number]!
      const mid = centre(number)
      const sides: Record<string, typeof list> = { l: [], r: [], t: [], b: [] }
      for (const one of list) {
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
    // A station at no network, such as a bus inside a controller, is drawn at the middle of its component.
    for (const [n, port] of system.ports.entries()) {
      if (port.network === null && this.nodeOfPort[n]! >= 0) this.anchors[n] = centre(this.nodeOfPort[n]!)
    }
    for (const { port, end } of stubs) {
      this.wires.push({ from: port, to: null, kind: 'stub', path: new Path([this.anchors[port]!, end]) })
    }
    for (const [n, port] of system.ports.entries()) {
      const a = this.anchors[n]
      if (a == null || port.network === null || system.networks[port.network]!.drawn === 'ring') continue
      const end = hubEnds.get(n)
      if (end !== undefined) this.wires.push({ from: n, to: null, kind: 'cable', path: new Path([a, end]) })
      else if (port.peer !== null) {
        const back = system.ports[port.peer]?.peer === n
        const b = this.anchors[port.peer]
        if (b != null && (!back || n < port.peer)) {
          this.wires.push({ from: n, to: port.peer, kind: 'cable', path: new Path([a, b]) })
        }
      }
    }
    for (const [a, b] of system.cables) {
      const [one, other] = [switchNode.get(a), switchNode.get(b)]
      if (one === undefined || other === undefined) continue
      this.wires.push({ from: null, to: null, kind: 'cable', path: this.between(one, other) })
    }
    const drawn = new Set<string>()
    for (const [a, b] of system.joins) {
      const [one, other] = [this.nodeOfThing[a]!, this.nodeOfThing[b]!]
      const key = `${String(one)} ${String(other)}`
      if (one < 0 || other < 0 || drawn.has(key)) continue
      drawn.add(key)
      this.wires.push({ from: null, to: null, kind: 'request', path: this.between(one, other) })
    }
  }

  private readonly sharedAnchors = new Map<string, Point>()

  private shareAnchor(key: string, point: Point): Point {
    const known = this.sharedAnchors.get(key)
    if (known !== undefined) return known
    this.sharedAnchors.set(key, point)
    return point
  }

  private between(one: number, other: number): Path {
    const [a, b] = [this.nodes[one]!, this.nodes[other]!]
    const [ca, cb] = [a, b].map((box) => ({ x: box.x + box.w / 2, y: box.y + box.h / 2 })) as [Point, Point]
    const edge = (box: Box, from: Point, to: Point): Point => {
      const [dx, dy] = [to.x - from.x, to.y - from.y]
      const scale = Math.min(
        dx === 0 ? Infinity : box.w / 2 / Math.abs(dx),
        dy === 0 ? Infinity : box.h / 2 / Math.abs(dy),
        1,
      )
      return { x: from.x + dx * scale, y: from.y + dy * scale }
    }
    return new Path([edge(a, ca, cb), edge(b, cb, ca)])
  }

  path = (from: number, to: number): Path => {
    const key = from * 65536 + to
    let path = this.paths.get(key)
    if (path === undefined) {
      path = this.makePath(from, to)
      this.paths.set(key, path)
    }
    return path
  }

  private makePath(from: number, to: number): Path {
    const [a, b] = [this.anchors[from], this.anchors[to]]
    const network = this.system.ports[from]?.network ?? null
    if (network !== null && network === (this.system.ports[to]?.network ?? null)) {
      const ring = this.rings.find((one) => one.network === network)
      const [s, e] = [ring?.at.get(from), ring?.at.get(to)]
      if (ring !== undefined && s !== undefined && e !== undefined) {
        if (s === e && from !== to) return new Path([a!, a!])
        return ring.ring.way(s, e)
      }
      const hub = this.hubs.get(network)
      if (hub !== undefined && a != null && b != null) {
        const box = this.nodes[hub]!
        const x = box.x + box.w / 2
        return new Path([a, { x, y: a.y }, { x, y: b.y }, b])
      }
    }
    const points = [a, b].filter((point) => point != null)
    return new Path(points.length === 0 ? [{ x: 0, y: 0 }] : points.length === 1 ? [points[0]!, points[0]!] : points)
  }
}

export function layout(system: System, folding: Folding): Layout {
  const drawing = new Drawing(system, folding)
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
      drawn === 'ring' ? drawing.ringBlock(network, at, own, levelOfUnit) : drawing.placesBlock(network, at, own),
    )
  }
  const free = new Map<number, number[]>()
  for (const [unit] of drawing.units.entries()) {
    if (networksOf.get(unit)?.size === 1) continue
    const list = free.get(levelOfUnit(unit)) ?? []
    list.push(unit)
    free.set(levelOfUnit(unit), list)
  }
  for (const [at, units] of free) blocks.push(drawing.columnBlock(units, at))
  // If one level has many networks, half of them are drawn on the other side of the components that they join.
  const last = Math.max(0, ...blocks.map((block) => block.level)) + 1
  for (const at of new Set(level.networks)) {
    const many = blocks.slice(0, system.networks.length).filter((block) => block.level === at)
    if (many.length > 4) for (const block of many.slice(Math.ceil(many.length / 2))) block.level = last
  }
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
  drawing.joinUp()
  const { nodes, rings } = drawing
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
  if (l > r) [l, t, r, b] = [0, 0, 100, 100]
  return {
    nodes,
    rings,
    wires: drawing.wires,
    anchors: drawing.anchors,
    dots: drawing.anchors.filter((anchor, n) => anchor !== null && system.ports[n]!.network !== null) as Point[],
    nodeOfPort: drawing.nodeOfPort,
    nodeOfThing: drawing.nodeOfThing,
    bounds: { x: l, y: t, w: r - l, h: b - t },
    path: drawing.path,
  }
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
