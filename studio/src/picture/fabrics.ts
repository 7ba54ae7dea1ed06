/** A fabric: its switches in columns between those that start requests and those that answer; or a box with one hub. */

import { textWidth } from './drawing'
import type { Block, Drawing } from './drawing'
import { GAP, placeUnit, stationsOf } from './units'

/** A fabric, or a box with everything at one hub. */
export function fabricBlock(drawing: Drawing, network: number, level: number, own: ReadonlySet<number>): Block {
  const { system } = drawing
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
  for (const { unit, ports } of stationsOf(drawing, network)) {
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
    const cw = Math.max(0, ...units.map((unit) => drawing.units[unit]!.w)) + GAP
    const ch = Math.max(0, ...units.map((unit) => drawing.units[unit]!.h)) + GAP
    return { w: units.length === 0 ? 0 : columns * cw + 70, h: rows * ch, columns, rows, cw, ch }
  }
  const label = (number: number): string =>
    number < 0 ? system.networks[network]!.name : `${system.networks[network]!.name}.${system.switches[number]!.name}`
  // Switches of several fabrics may have the same names.
  const several = system.switches.some((other) => other.network !== network)
  const short = (number: number): string => {
    const last = label(number).split('.')
    return several && number >= 0 ? `${last[0]!}.${last.at(-1)!}` : last.at(-1)!
  }
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
          drawing.nodes.push({
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
          if (cell.number < 0) drawing.hubs.set(network, drawing.nodes.length - 1)
          for (const [side, units] of [cell.left, cell.right].entries()) {
            const g = cell.grids[side]!
            for (const [n, unit] of units.entries()) {
              const [col, row] = [Math.floor(n / g.rows), n % g.rows]
              const out = 60 + g.cw / 2 + col * g.cw
              const ux = side === 0 ? cx - cell.w / 2 - out : cx + cell.w / 2 + out
              placeUnit(drawing, unit, ux, cy - g.h / 2 + (row + 0.5) * g.ch)
            }
          }
          top += cell.cellH
        }
        left += a! + b! + d! + apart
      }
    },
  }
}
