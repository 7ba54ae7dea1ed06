/** Writes playback files for the tests: rows in plain objects, cut into chunks as the recorder cuts them. */

import { deflateSync } from 'node:zlib'
import { FLAG_OPEN, NONE, NONE16 } from '../src/file/format'
import type { Names } from '../src/file/format'

export interface Rows {
  moves: {
    t0: number
    dt: number
    arrives: number
    bytes: number
    request: number
    frame: number
    from: number
    to: number
    receiver: number
    kind: number
  }[]
  steps: { t: number; value: number; lane: number }[]
  jobs: { t0: number; dt: number; request: number; frame: number; lane: number }[]
  dwells: { t0: number; dt: number; request: number; line: number; component?: number }[]
  requests: {
    t0: number
    dt: number
    request: number
    parent: number
    io: number
    bytes: number
    block: number
    block_high: number
    device: number
    workload: number
    flags: number
  }[]
}

export const TABLES: Names['tables'] = {
  moves: [
    ['t0', 'u4'],
    ['dt', 'u4'],
    ['arrives', 'u4'],
    ['bytes', 'u4'],
    ['request', 'u4'],
    ['frame', 'u4'],
    ['from', 'u2'],
    ['to', 'u2'],
    ['receiver', 'u2'],
    ['kind', 'u2'],
  ],
  steps: [
    ['t', 'u4'],
    ['value', 'u4'],
    ['lane', 'u4'],
  ],
  jobs: [
    ['t0', 'u4'],
    ['dt', 'u4'],
    ['request', 'u4'],
    ['frame', 'u4'],
    ['lane', 'u4'],
  ],
  dwells: [
    ['t0', 'u4'],
    ['dt', 'u4'],
    ['request', 'u4'],
    ['line', 'u4'],
    ['component', 'u2'],
  ],
  requests: [
    ['t0', 'u4'],
    ['dt', 'u4'],
    ['request', 'u4'],
    ['parent', 'u4'],
    ['io', 'u4'],
    ['bytes', 'u4'],
    ['block', 'u4'],
    ['block_high', 'u4'],
    ['device', 'u2'],
    ['workload', 'u2'],
    ['flags', 'u1'],
  ],
}

const WIDTHS: Record<string, number> = { u1: 1, u2: 2, u4: 4 }

export function emptyRows(): Rows {
  return { moves: [], steps: [], jobs: [], dwells: [], requests: [] }
}

/** The rows of the chunk from `from` to `to`, cut as the contract says; times are whole ns after `base`. */
function cut(rows: Rows, from: number, to: number): { rows: Rows; base: number } {
  const open = <T extends { t0: number; dt: number }>(list: T[]): T[] =>
    list.filter((row) => row.t0 < to && (row.t0 + row.dt > from || (row.dt === 0 && row.t0 >= from)))
  const requests = open(rows.requests)
  const base = requests.reduce((least, row) => Math.min(least, row.t0), from)
  const clip = <T extends { t0: number; dt: number }>(row: T): T => {
    const t0 = Math.max(row.t0, from)
    return { ...row, t0: t0 - base, dt: Math.min(row.t0 + row.dt, to) - t0 }
  }
  const before = new Map<number, { t: number; value: number; lane: number }>()
  for (const step of rows.steps) if (step.t < from) before.set(step.lane, step)
  const snapshot = [...before.values()].map((step) => ({ ...step, t: from - base }))
  return {
    base,
    rows: {
      moves: rows.moves.filter((row) => row.t0 >= from && row.t0 < to).map((row) => ({ ...row, t0: row.t0 - base })),
      steps: [
        ...snapshot,
        ...rows.steps.filter((row) => row.t >= from && row.t < to).map((row) => ({ ...row, t: row.t - base })),
      ],
      jobs: open(rows.jobs).map(clip),
      dwells: open(rows.dwells).map(clip),
      requests: requests.map((row) => {
        const ends = row.t0 + row.dt <= to
        const dt = Math.min(row.t0 + row.dt, to) - row.t0
        return { ...row, t0: row.t0 - base, dt, flags: ends ? row.flags : row.flags | FLAG_OPEN }
      }),
    },
  }
}

function body(rows: Rows): Buffer {
  const pieces: Buffer[] = []
  for (const [table, columns] of Object.entries(TABLES)) {
    const list = rows[table as keyof Rows] as unknown as Record<string, number>[]
    for (const [column, type] of columns) {
      const width = WIDTHS[type]!
      const piece = Buffer.alloc((list.length * width + 3) & ~3)
      for (const [n, row] of list.entries()) piece.writeUIntLE((row[column] ?? NONE16) >>> 0, n * width, width)
      pieces.push(piece)
    }
  }
  return deflateSync(Buffer.concat(pieces))
}

export function write(
  header: Names,
  rows: Rows,
  edges: number[],
  events: { t_ns: number; text: string }[] = [],
): Uint8Array<ArrayBuffer> {
  const { lanes, kinds, ...said } = header
  const head = Buffer.from(JSON.stringify(said))
  let offset = 12 + head.length
  const chunks: unknown[] = []
  const bodies: Buffer[] = []
  for (let n = 0; n + 1 < edges.length; n += 1) {
    const [from, to] = [edges[n]!, edges[n + 1]!]
    const part = cut(rows, from, to)
    const bytes = body(part.rows)
    const counts = Object.fromEntries(
      Object.entries(part.rows).map(([name, list]) => [name, (list as unknown[]).length]),
    )
    chunks.push({ offset, length: bytes.length, base_ns: part.base, from_ns: from, to_ns: to, rows: counts })
    bodies.push(bytes)
    offset += bytes.length
  }
  const index = Buffer.from(
    JSON.stringify({ windows: [[edges[0], edges[edges.length - 1]]], limited: false, events, lanes, kinds, chunks }),
  )
  const u4 = (value: number): Buffer => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32LE(value)
    return bytes
  }
  const magic = Buffer.from('SANP')
  const all = Buffer.concat([magic, u4(1), u4(head.length), head, ...bodies, index, u4(index.length), magic])
  const copy = new Uint8Array(all.length)
  copy.set(all)
  return copy
}

export const NO_REQUEST = NONE
export const NO_STATION = NONE16
