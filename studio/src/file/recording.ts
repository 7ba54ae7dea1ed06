/** Several chunks joined to one recording: what is cut at the end of a chunk is one row again. */

import { NONE, NONE16 } from './format'
import type { FileIndex, Names } from './format'
import { Groups, Intervals, Steps, countUntil } from './intervals'
import type { Chunk, Column, PlaybackFile, Table } from './read'
import { Requests } from './requests'

/** Files of more rows are shown by the chunks round the shown time. */
export const ROWS_AT_ONCE = 4_000_000

export interface Moves {
  count: number
  t0: Float64Array
  /** When the last word has arrived; when it has been sent if the arrival is unknown. */
  end: Float64Array
  dt: Uint32Array
  arrives: Uint32Array
  bytes: Uint32Array
  request: Uint32Array
  frame: Uint32Array
  from: Uint16Array
  to: Uint16Array
  receiver: Uint16Array
  kind: Uint16Array
}

export interface Jobs {
  count: number
  t0: Float64Array
  end: Float64Array
  request: Uint32Array
  frame: Uint32Array
  lane: Uint16Array
}

export interface Dwells {
  count: number
  t0: Float64Array
  end: Float64Array
  request: Uint32Array
  line: Uint16Array
  /** The component at which the request is; 0xffff if it is not known. */
  component: Uint16Array
}

type Sink = Record<string, Float64Array | Column>

function sorted(column: Float64Array): boolean {
  for (let row = 1; row < column.length; row += 1) if (column[row]! < column[row - 1]!) return false
  return true
}

function order(sink: Sink, by: Float64Array): void {
  if (sorted(by)) return
  const rows = Uint32Array.from(by, (_, row) => row).sort((a, b) => by[a]! - by[b]! || a - b)
  for (const [name, column] of Object.entries(sink)) {
    const copy = column.slice()
    for (let row = 0; row < rows.length; row += 1) copy[row] = column[rows[row]!]!
    sink[name] = copy
  }
}

function shortened<T extends Sink>(sink: T, count: number): T {
  const short: Sink = {}
  for (const [name, column] of Object.entries(sink)) short[name] = column.subarray(0, count)
  return short as T
}

function total(chunks: Chunk[], table: string): number {
  return chunks.reduce((sum, chunk) => sum + (chunk.rows[table] ?? 0), 0)
}

function column(table: Table | undefined, name: string): Column {
  return table?.[name] ?? new Uint32Array(0)
}

function joinMoves(chunks: Chunk[]): Moves {
  const count = total(chunks, 'moves')
  const sink = {
    t0: new Float64Array(count),
    end: new Float64Array(count),
    dt: new Uint32Array(count),
    arrives: new Uint32Array(count),
    bytes: new Uint32Array(count),
    request: new Uint32Array(count),
    frame: new Uint32Array(count),
    from: new Uint16Array(count),
    to: new Uint16Array(count),
    receiver: new Uint16Array(count),
    kind: new Uint16Array(count),
  }
  let row = 0
  for (const chunk of chunks) {
    const table = chunk.tables['moves']
    const rows = chunk.rows['moves'] ?? 0
    for (const name of ['dt', 'arrives', 'bytes', 'request', 'frame', 'from', 'to', 'receiver', 'kind'] as const) {
      sink[name].set(column(table, name).subarray(0, rows), row)
    }
    const t0 = column(table, 't0')
    for (let n = 0; n < rows; n += 1, row += 1) {
      const begin = chunk.place.base_ns + t0[n]!
      const arrives = sink.arrives[row]!
      sink.t0[row] = begin
      sink.end[row] = begin + sink.dt[row]! + (arrives === NONE ? 0 : arrives)
    }
  }
  order(sink, sink.t0)
  return { count, ...sink }
}

/** Joins rows that were cut at the end of a chunk; `key` tells which go on. */
function joinCut<N extends string>(
  chunks: Chunk[],
  name: string,
  whole: readonly N[],
  make: (count: number) => Record<'t0' | 'end', Float64Array> & Record<N, Column>,
): Record<'t0' | 'end', Float64Array> & Record<N, Column> & { count: number } {
  const sink = make(total(chunks, name))
  let row = 0
  let cut = new Map<string, number>()
  let before = Number.NaN
  for (const chunk of chunks) {
    const table = chunk.tables[name]
    const columns = whole.map((column_) => column(table, column_))
    const t0 = column(table, 't0')
    const dt = column(table, 'dt')
    const goesOn = chunk.place.from_ns === before ? cut : new Map<string, number>()
    cut = new Map()
    const rows = chunk.rows[name] ?? 0
    for (let n = 0; n < rows; n += 1) {
      const begin = chunk.place.base_ns + t0[n]!
      const length = dt[n]!
      const end = length === NONE ? chunk.place.to_ns : begin + length
      const atBegin = begin === chunk.place.from_ns
      const atEnd = end >= chunk.place.to_ns
      const key = atBegin || atEnd ? columns.map((values) => values[n]).join(' ') : ''
      let into = atBegin ? goesOn.get(key) : undefined
      if (into === undefined) {
        into = row
        row += 1
        sink.t0[into] = begin
        for (let c = 0; c < whole.length; c += 1) sink[whole[c]!][into] = columns[c]![n] ?? NONE16
      } else {
        goesOn.delete(key)
      }
      sink.end[into] = end
      if (atEnd) cut.set(key, into)
    }
    before = chunk.place.to_ns
  }
  const short = shortened(sink, row)
  order(short, short.t0)
  return { ...short, count: row }
}

function joinJobs(chunks: Chunk[]): Jobs {
  return joinCut(chunks, 'jobs', ['request', 'frame', 'lane'] as const, (count) => ({
    t0: new Float64Array(count),
    end: new Float64Array(count),
    request: new Uint32Array(count),
    frame: new Uint32Array(count),
    lane: new Uint16Array(count),
  })) as Jobs
}

function joinDwells(chunks: Chunk[]): Dwells {
  return joinCut(chunks, 'dwells', ['request', 'line', 'component'] as const, (count) => ({
    t0: new Float64Array(count),
    end: new Float64Array(count),
    request: new Uint32Array(count),
    line: new Uint16Array(count),
    component: new Uint16Array(count).fill(NONE16),
  })) as Dwells
}

/** Joins steps, and leaves out the rows at the begin of a chunk that repeat a known value. */
function joinSteps(chunks: Chunk[], lanes: number): Steps {
  const count = total(chunks, 'steps')
  const sink = { t: new Float64Array(count), value: new Uint32Array(count), lane: new Uint16Array(count) }
  const known = new Map<number, number>()
  let row = 0
  let before = Number.NaN
  for (const chunk of chunks) {
    if (chunk.place.from_ns !== before) known.clear()
    before = chunk.place.to_ns
    const table = chunk.tables['steps']
    const t = column(table, 't')
    const value = column(table, 'value')
    const lane = column(table, 'lane')
    const rows = chunk.rows['steps'] ?? 0
    for (let n = 0; n < rows; n += 1) {
      const time = chunk.place.base_ns + t[n]!
      if (time <= chunk.place.from_ns && known.get(lane[n]!) === value[n]) continue
      known.set(lane[n]!, value[n]!)
      sink.t[row] = time
      sink.value[row] = value[n]!
      sink.lane[row] = lane[n]!
      row += 1
    }
  }
  const short = shortened(sink, row)
  order(short, short.t)
  return new Steps(short.t, short.value, short.lane, lanes)
}

export interface RequestRows {
  count: number
  number: Uint32Array
  t0: Float64Array
  end: Float64Array
  parent: Uint32Array
  io: Uint32Array
  bytes: Uint32Array
  block: Float64Array
  device: Uint16Array
  workload: Uint16Array
  flags: Uint8Array
}

/** Joins the requests: one row each, from its begin to the end of its last part. */
export function joinRequests(chunks: Chunk[]): RequestRows {
  const count = total(chunks, 'requests')
  const sink = {
    number: new Uint32Array(count),
    t0: new Float64Array(count),
    end: new Float64Array(count),
    parent: new Uint32Array(count),
    io: new Uint32Array(count),
    bytes: new Uint32Array(count),
    block: new Float64Array(count),
    device: new Uint16Array(count),
    workload: new Uint16Array(count),
    flags: new Uint8Array(count),
  }
  const known = new Map<number, number>()
  let row = 0
  for (const chunk of chunks) {
    const table = chunk.tables['requests']
    const number = column(table, 'request')
    const t0 = column(table, 't0')
    const dt = column(table, 'dt')
    const flags = column(table, 'flags')
    const high = column(table, 'block_high')
    const block = column(table, 'block')
    const rows = chunk.rows['requests'] ?? 0
    for (let n = 0; n < rows; n += 1) {
      const begin = chunk.place.base_ns + t0[n]!
      const end = dt[n]! === NONE ? chunk.place.to_ns : begin + dt[n]!
      let into = known.get(number[n]!)
      if (into === undefined) {
        into = row
        row += 1
        known.set(number[n]!, into)
        sink.t0[into] = begin
        sink.number[into] = number[n]!
      }
      for (const name of ['parent', 'io', 'bytes', 'device', 'workload'] as const) {
        sink[name][into] = column(table, name)[n]!
      }
      sink.t0[into] = Math.min(sink.t0[into]!, begin)
      sink.block[into] = block[n] === NONE && high[n] === NONE ? -1 : (high[n] ?? 0) * 2 ** 32 + block[n]!
      sink.end[into] = end
      sink.flags[into] = flags[n]!
    }
  }
  const short = shortened(sink, row)
  order(short, short.t0)
  return { count: row, ...short }
}

export class Recording {
  readonly moves: Moves
  readonly steps: Steps
  readonly jobs: Jobs
  readonly dwells: Dwells
  readonly requests: Requests
  readonly movesOpen: Intervals
  readonly jobsOfLane: Groups
  readonly jobsOpen: Intervals
  readonly dwellsOpen: Intervals
  readonly movesOfRequest: Groups
  readonly dwellsOfRequest: Groups
  readonly dwellsOfComponent: Groups
  readonly from: number
  readonly to: number

  constructor(
    readonly header: Names,
    readonly index: FileIndex,
    chunks: Chunk[],
    readonly first: number,
    readonly last: number,
  ) {
    this.from = chunks[0]?.place.from_ns ?? 0
    this.to = chunks[chunks.length - 1]?.place.to_ns ?? 0
    this.moves = joinMoves(chunks)
    this.jobs = joinJobs(chunks)
    this.dwells = joinDwells(chunks)
    this.steps = joinSteps(chunks, header.lanes.length)
    this.requests = new Requests(joinRequests(chunks))
    this.movesOpen = new Intervals(this.moves.t0, this.moves.end)
    this.jobsOpen = new Intervals(this.jobs.t0, this.jobs.end)
    this.dwellsOpen = new Intervals(this.dwells.t0, this.dwells.end)
    this.dwellsOfComponent = new Groups(this.dwells.component, header.components.length)
    this.jobsOfLane = new Groups(this.jobs.lane, header.lanes.length)
    const rows = (numbers: Uint32Array): Uint32Array => numbers.map((number) => this.requests.row(number) ?? NONE)
    this.movesOfRequest = new Groups(rows(this.moves.request), this.requests.count)
    this.dwellsOfRequest = new Groups(rows(this.dwells.request), this.requests.count)
  }

  /** The phase of the device at `component` that is under way at `time`: a row of the dwells, or -1. */
  phaseAt(component: number, time: number): number {
    const { t0, end, line } = this.dwells
    const rows = this.dwellsOfComponent.rows(component)
    const until = countUntil(rows, t0, time)
    for (let n = until - 1; n >= 0 && n > until - 64; n -= 1) {
      const row = rows[n]!
      if (end[row]! > time && this.header.lines[line[row]!]?.device === true) return row
    }
    return -1
  }

  /** The jobs of `lane` that are open at `time`. */
  jobsAt(lane: number, time: number): number[] {
    const rows = this.jobsOfLane.rows(lane)
    const open: number[] = []
    const { t0, end } = this.jobs
    const until = countUntil(rows, t0, time)
    const overlap = Math.min(until, this.header.lanes[lane]?.what === 'buffers' ? 2048 : 64)
    for (let n = until - 1; n >= until - overlap; n -= 1) if (end[rows[n]!]! > time) open.push(rows[n]!)
    return open.reverse()
  }
}

/** The chunks [first, last) to be shown round `time`: all of a file that is small enough. */
export function chunksRound(file: PlaybackFile, time: number, atOnce = ROWS_AT_ONCE): [number, number] {
  const chunks = file.index.chunks
  if (file.rows() <= atOnce) return [0, chunks.length]
  const rows = (n: number): number => Object.values(chunks[n]!.rows).reduce((sum, count) => sum + count, 0)
  let at = chunks.findIndex((chunk) => time < chunk.to_ns)
  if (at < 0) at = chunks.length - 1
  let [first, last] = [at, at + 1]
  let sum = rows(at)
  for (;;) {
    const right = last < chunks.length && sum + rows(last) <= atOnce / 2
    if (right) sum += rows(last++)
    const left = first > 0 && sum + rows(first - 1) <= atOnce / 2
    if (left) sum += rows(--first)
    if (!left && !right) return [first, last]
  }
}

/** Inflates and joins the chunks [first, last). */
export async function load(file: PlaybackFile, first: number, last: number): Promise<Recording> {
  const numbers = Array.from({ length: last - first }, (_, n) => first + n)
  const chunks = await Promise.all(numbers.map((n) => file.chunk(n)))
  return new Recording(file.header, file.index, chunks, first, last)
}

/** The requests of the whole file, chunk by chunk so that only these rows stay. */
export async function overview(file: PlaybackFile): Promise<RequestRows> {
  const kept: Chunk[] = []
  for (let n = 0; n < file.index.chunks.length; n += 1) {
    const chunk = await file.chunk(n)
    const table: Table = {}
    for (const [name, values] of Object.entries(chunk.tables['requests'] ?? {})) table[name] = values.slice()
    kept.push({ place: chunk.place, rows: { requests: chunk.rows['requests'] ?? 0 }, tables: { requests: table } })
  }
  return joinRequests(kept)
}
