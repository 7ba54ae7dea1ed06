/** The two clocks: what is shown when. A paced axis gives each move at least a third of a second and skips gaps. */

import { lower, upper } from '../file/intervals'
import type { Recording } from '../file/recording'
import { recordedIn, windowAt } from '../file/windows'
import type { Windows } from '../file/windows'

/** How long each move is seen, in seconds. */
export const SEEN = 1 / 3
/** How long a gap in which nothing moves is shown. */
const GAP = 0.1
const AT_ONCE = 300

export type Accept = (row: number) => boolean

export class Axis {
  /** `times` and `shown` rise together; between their entries the axis is straight. */
  constructor(
    readonly times: Float64Array,
    readonly shown: Float64Array,
  ) {}

  get from(): number {
    return this.times[0] ?? 0
  }

  get to(): number {
    return this.times[this.times.length - 1] ?? 0
  }

  get length(): number {
    return this.shown[this.shown.length - 1] ?? 0
  }

  toShown(time: number): number {
    return between(this.times, this.shown, time)
  }

  toTime(shown: number): number {
    return between(this.shown, this.times, shown)
  }
}

function between(xs: Float64Array, ys: Float64Array, x: number): number {
  const last = xs.length - 1
  if (last < 0) return 0
  if (x <= xs[0]!) return ys[0]!
  if (x >= xs[last]!) return ys[last]!
  const low = upper(xs, x)
  const [a, b] = [xs[low - 1]!, xs[low]!]
  return ys[low - 1]! + ((ys[low]! - ys[low - 1]!) * (x - a)) / (b - a)
}

/** How wide a time that was not recorded is, as a share of what was. */
const UNKNOWN = 0.03

/** The axis over a span on which times that were not recorded are narrow; null if all of it was. */
export function axisOfWindows(windows: Windows, from: number, to: number): Axis | null {
  const recorded = recordedIn(windows, from, to)
  if (recorded === 0 || recorded >= to - from - 1) return null
  const times = [from]
  for (const mark of windows.flat()) if (mark > times[times.length - 1]! && mark < to) times.push(mark)
  times.push(to)
  let sum = 0
  const shown = times.map((time, n) => {
    if (n === 0) return 0
    const before = times[n - 1]!
    return (sum += windowAt(windows, before) < 0 ? UNKNOWN * recorded : time - before)
  })
  return new Axis(Float64Array.from(times), Float64Array.from(shown))
}

/** The axis of these intervals between `from` and `to`. */
export function axisOf(intervals: { begin: number; end: number }[], from: number, to: number): Axis {
  const marks = new Set([from, to])
  for (const { begin, end } of intervals) {
    if (begin > from && begin < to) marks.add(begin)
    if (end > from && end < to) marks.add(end)
  }
  const times = Float64Array.from(marks).sort()
  const seconds = new Float64Array(Math.max(0, times.length - 1))
  const busy = new Uint8Array(seconds.length)
  const byEnd = [...intervals].sort((a, b) => a.end - b.end)
  for (const { begin, end } of byEnd) {
    const first = lower(times, Math.max(begin, from))
    const last = lower(times, Math.min(end, to))
    let have = 0
    for (let n = first; n < last; n += 1) {
      busy[n] = 1
      have += seconds[n]!
    }
    if (last <= first || have >= SEEN) continue
    for (let n = first; n < last; n += 1) seconds[n]! += (SEEN - have) / (last - first)
  }
  const shown = new Float64Array(times.length)
  for (let n = 0; n < seconds.length; n += 1) shown[n + 1] = shown[n]! + (busy[n] === 1 ? seconds[n]! : GAP)
  return new Axis(times, shown)
}

/** When a move is on its way, as a function of its row. */
function intervalOf({ moves: { t0, end } }: Recording): (row: number) => { begin: number; end: number } {
  return (row) => ({ begin: t0[row]!, end: Math.max(end[row]!, t0[row]! + 1) })
}

/** The axis from `from` on over the next moves, at most until `to`. */
export function paced(recording: Recording, from: number, to: number, accept: Accept): Axis {
  const { moves } = recording
  const interval = intervalOf(recording)
  const intervals = recording.movesOpen.openAt(from).filter(accept).map(interval)
  const last = lower(moves.t0, to)
  let row = lower(moves.t0, from)
  let until = to
  for (; row < last; row += 1) {
    if (!accept(row) || moves.t0[row]! < from) continue
    if (intervals.length >= AT_ONCE && moves.t0[row]! > from) {
      until = moves.t0[row]!
      break
    }
    intervals.push(interval(row))
  }
  return intervals.length === 0 ? pacedBySteps(recording, from, to) : axisOf(intervals, from, Math.max(until, from + 1))
}

/** Where nothing moves, the changes of lanes are what there is to see. */
function pacedBySteps(recording: Recording, from: number, to: number): Axis {
  const { time } = recording.steps
  const intervals: { begin: number; end: number }[] = []
  let at = from
  for (let n = lower(time, from); n < time.length && time[n]! < to; n += 1) {
    if (time[n]! <= at) continue
    intervals.push({ begin: at, end: time[n]! })
    at = time[n]!
    if (intervals.length === AT_ONCE) return axisOf(intervals, from, at)
  }
  return axisOf(intervals, from, Math.max(to, from + 1))
}

/** The axis of a view over the whole span, or null if too much is in it. */
export function axisOver(recording: Recording, from: number, to: number, accept: Accept, most = 3000): Axis | null {
  const rows = recording.movesOpen.within(from, to)
  if (rows.length > most * 4) return null
  const intervals = rows.filter(accept).map(intervalOf(recording))
  return intervals.length === 0 || intervals.length > most ? null : axisOf(intervals, from, to)
}

/** The next moment after `time` (or the last one before it) at which something begins, arrives or changes. */
export function nextEvent(recording: Recording, time: number, accept: Accept, others: boolean): number | null {
  const { moves } = recording
  let least = Infinity
  const offer = (t: number): void => {
    if (t > time && t < least) least = t
  }
  let next = upper(moves.t0, time)
  while (next < moves.count && !accept(next)) next += 1
  if (next < moves.count) offer(moves.t0[next]!)
  for (const row of recording.movesOpen.openAt(time)) {
    if (!accept(row)) continue
    offer(moves.t0[row]! + headOf(recording, row))
    offer(moves.end[row]!)
  }
  if (others) {
    for (const column of [recording.steps.time, recording.jobs.t0, recording.dwells.t0]) {
      const row = upper(column, time)
      if (row < column.length) offer(column[row]!)
    }
  }
  return least === Infinity ? null : least
}

export function eventBefore(recording: Recording, time: number, accept: Accept, others: boolean): number | null {
  const { moves } = recording
  let most = -Infinity
  const offer = (t: number): void => {
    if (t < time && t > most) most = t
  }
  let last = lower(moves.t0, time) - 1
  while (last >= 0 && !accept(last)) last -= 1
  if (last >= 0) {
    const start = moves.t0[last]!
    offer(start)
    for (const row of recording.movesOpen.openAt(start)) {
      if (!accept(row)) continue
      offer(moves.t0[row]! + headOf(recording, row))
      offer(moves.end[row]!)
    }
  }
  if (others) {
    for (const column of [recording.steps.time, recording.jobs.t0, recording.dwells.t0]) {
      const row = lower(column, time) - 1
      if (row >= 0) offer(column[row]!)
    }
  }
  return most === -Infinity ? null : most
}

/** How long the first word of a move takes; 0 if its arrival is unknown. */
export function headOf(recording: Recording, row: number): number {
  const arrives = recording.moves.arrives[row]!
  return arrives === 0xffffffff ? 0 : arrives
}

export interface Moving {
  row: number
  /** How far its first and its last word are along the link. */
  head: number
  tail: number
  lost: boolean
}

/** What is on its way at `time`. */
export function moving(recording: Recording, time: number, accept: Accept): Moving[] {
  const { moves } = recording
  const found: Moving[] = []
  for (const row of recording.movesOpen.openAt(time)) {
    if (!accept(row)) continue
    const lost = moves.arrives[row] === 0xffffffff
    const takes = Math.max(lost ? Math.max(moves.dt[row]!, 1) : moves.arrives[row]!, 0)
    const gone = time - moves.t0[row]!
    const head = takes === 0 ? 1 : Math.min(1, gone / takes)
    const after = gone - moves.dt[row]!
    const tail = takes === 0 || lost ? 0 : Math.max(0, Math.min(1, after / takes))
    found.push({ row, head, tail, lost })
  }
  return found
}
