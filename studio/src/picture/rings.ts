/** A ring with its stations in the order in which words pass them, and with the boxes that are at it alone. */

import type { Block, Drawing, RingPlace } from './drawing'
import { Ring } from './geometry'
import { GAP, placeUnit, stationsOf } from './units'

export function ringBlock(
  drawing: Drawing,
  network: number,
  level: number,
  own: ReadonlySet<number>,
  levelOfUnit: (unit: number) => number,
): Block {
  const slots = stationsOf(drawing, network)
  const placed = new Set<number>()
  const isOwn = slots.map(({ unit }) => {
    const first = own.has(unit) && !placed.has(unit)
    placed.add(unit)
    return first
  })
  const size = (n: number): number => (isOwn[n]! ? drawing.units[slots[n]!.unit]!.w + GAP : 26)
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
  const deepest = Math.max(0, ...slots.map(({ unit }, n) => (isOwn[n]! ? drawing.units[unit]!.h : 0)))
  const widest = Math.max(0, ...slots.map(({ unit }, n) => (isOwn[n]! ? drawing.units[unit]!.w : 0)))
  const margin = { x: widest > 0 ? widest + 34 : 16, y: deepest > 0 ? deepest + 34 : 16 }
  return {
    level,
    w: shape.width + 2 * margin.x,
    h: shape.height + 2 * margin.y,
    place: (x, y) => {
      const ring = new Ring({ x, y }, shape.width, shape.height, shape.radius)
      const shift = turned(drawing, ring, slots, centres, isOwn, (unit) => Math.sign(levelOfUnit(unit) - level))
      const place: RingPlace = { network, ring, label: drawing.system.networks[network]!.name, at: new Map(), own: [] }
      for (const [n, { unit, ports }] of slots.entries()) {
        const length = centres[n]! + shift
        const point = ring.point(length)
        for (const port of ports) {
          drawing.anchors[port] = point
          place.at.set(port, length)
        }
        if (!isOwn[n]!) continue
        const normal = ring.normal(length)
        const box = drawing.units[unit]!
        const reach = 16 + Math.abs(normal.x) * (box.w / 2) + Math.abs(normal.y) * (box.h / 2)
        place.own.push(drawing.nodes.length)
        placeUnit(drawing, unit, point.x + normal.x * reach, point.y + normal.y * reach)
      }
      drawing.rings.push(place)
    },
  }
}

/** How far the stations are turned, so that each is on the side of its component. */
function turned(
  drawing: Drawing,
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
      const starts = drawing.system.ports[ports[0]!]!.side === 'initiator'
      const wish = isOwn[n]! ? (starts ? -2 : 0) : 3 * side(unit)
      cost -= wish * (ring.point(centres[n]! + shift).x - ring.centre.x)
    }
    if (cost < least - 1e-6) [best, least] = [shift, cost]
  }
  return best
}
