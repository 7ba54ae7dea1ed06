/** Boxes: one for a thing, one for a folded group. Their sizes, and those that are at several networks or at none. */

import { textWidth } from './drawing'
import type { Block, Drawing, Unit } from './drawing'
import type { System } from './system'

const ROW = 24
const COLUMN = 16
/** The room between boxes. */
export const GAP = 10

/** Boxes before they have a place: one for a thing, one for a folded group at each place where its members are joined. */
export function makeUnits(system: System, folded: ReadonlySet<string>): { units: Unit[]; unitOfThing: Int32Array } {
  const units: Unit[] = []
  const unitOfThing = new Int32Array(system.things.length).fill(-1)
  const joined = system.things.map(() => '')
  for (const port of system.ports) {
    if (port.thing === null) continue
    const peer = port.peer === null ? undefined : system.ports[port.peer]
    joined[port.thing] = `${joined[port.thing]!} ${String(port.network)}:${String(peer?.switch ?? '')}`
  }
  const many = new Map<string, number>()
  for (const thing of system.things) many.set(thing.group, (many.get(thing.group) ?? 0) + 1)
  const byKey = new Map<string, number>()
  const seen = new Set<string>()
  for (const [number, thing] of system.things.entries()) {
    const isFolded = folded.has(thing.group)
    const key = isFolded ? `${thing.group} at${joined[number]!}` : thing.name
    let unit = byKey.get(key)
    if (unit === undefined) {
      unit = units.length
      byKey.set(key, unit)
      const size = many.get(thing.group) ?? 1
      const compact = !isFolded && size > 40
      const label = isFolded ? thing.group : compact ? (/\[(\d+)\]$/.exec(thing.name)?.[1] ?? thing.name) : thing.name
      const parts = thing.parts.map((part) => part.name)
      units.push({
        // The first folded unit of a group has the name of the group, others that of their first member too.
        id: !isFolded ? thing.name : seen.has(thing.group) ? `${thing.group} at ${thing.name}` : thing.group,
        things: [],
        label,
        fold: size > 1 ? thing.group : null,
        w: compact ? 26 : Math.max(48, textWidth(label) + 26, ...parts.map((part) => textWidth(part) + 34)),
        h: ROW + parts.length * 19 + (parts.length > 0 ? 4 : 0),
        parts,
        count: 0,
      })
    }
    seen.add(thing.group)
    units[unit]!.things.push(number)
    unitOfThing[number] = unit
  }
  for (const unit of units) {
    unit.count = unit.things.length
    if (folded.has(unit.fold ?? '')) unit.w = Math.max(unit.w, textWidth(`${unit.label} x${String(unit.count)}`) + 40)
  }
  return { units, unitOfThing }
}

export function placeUnit(drawing: Drawing, number: number, x: number, y: number): void {
  const unit = drawing.units[number]!
  const group = drawing.folded.has(unit.fold ?? '')
  drawing.nodes.push({
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
  const node = drawing.nodes.length - 1
  for (const thing of unit.things) drawing.nodeOfThing[thing] = node
}

/** The ports of a network by unit, in order; switch ports left out. */
export function stationsOf(drawing: Drawing, network: number): { unit: number; ports: number[] }[] {
  const found: { unit: number; ports: number[] }[] = []
  const place = new Map<string, number>()
  for (const [number, port] of drawing.system.ports.entries()) {
    if (port.network !== network || port.thing === null) continue
    const unit = drawing.unitOfThing[port.thing]!
    // Folded members share a place; ports of one thing on one network have one each.
    const folded = drawing.folded.has(drawing.units[unit]!.fold ?? '')
    const key = folded ? `f${String(unit)}` : `p${String(number)}`
    const known = place.get(key)
    if (known === undefined) {
      place.set(key, found.length)
      found.push({ unit, ports: [number] })
    } else found[known]!.ports.push(number)
  }
  return found
}

/** Components that are at several networks, or at none. */
export function columnBlock(drawing: Drawing, units: number[], level: number): Block {
  const columns = Math.ceil(units.length / COLUMN)
  const rows = Math.ceil(units.length / columns)
  const cw = Math.max(...units.map((unit) => drawing.units[unit]!.w)) + 14
  const heights = Array.from({ length: columns }, (_, c) =>
    units.slice(c * rows, (c + 1) * rows).reduce((sum, unit) => sum + drawing.units[unit]!.h + 14, 0),
  )
  return {
    level,
    w: columns * cw,
    h: Math.max(...heights),
    place: (x, y) => {
      for (let c = 0; c < columns; c += 1) {
        let top = y - heights[c]! / 2
        for (const unit of units.slice(c * rows, (c + 1) * rows)) {
          const h = drawing.units[unit]!.h
          placeUnit(drawing, unit, x + (c - (columns - 1) / 2) * cw, top + 7 + h / 2)
          top += h + 14
        }
      }
    },
  }
}
