/** The windows of a recording: in them everything is known, and between them nothing. */

import { FLAG_BACKGROUND, FLAG_OPEN, NONE } from './format'
import { first } from './intervals'
import type { RequestRows } from './recording'

export type Windows = readonly (readonly [number, number])[]

/** The number of the first window that ends after a time. */
function following(windows: Windows, time: number): number {
  return first(windows.length, (n) => windows[n]![1] > time)
}

/** The window in which a time is; -1 if in none. */
export function windowAt(windows: Windows, time: number): number {
  const n = following(windows, time)
  return n < windows.length && windows[n]![0] <= time ? n : -1
}

/** The nearest recorded time at or after `time`; backwards at or before it. */
export function nearest(windows: Windows, time: number, backwards: boolean): number {
  const n = following(windows, time)
  if (windows.length === 0 || (n < windows.length && windows[n]![0] <= time)) return time
  if ((backwards && n > 0) || n === windows.length) return windows[n - 1]![1] - 1
  return windows[n]![0]
}

/** How much of a span was recorded. */
export function recordedIn(windows: Windows, from: number, to: number): number {
  let sum = 0
  for (let n = following(windows, from); n < windows.length && windows[n]![0] < to; n += 1) {
    sum += Math.min(to, windows[n]![1]) - Math.max(from, windows[n]![0])
  }
  return sum
}

/**
 * The rows of the slowest requests of each window, as many as it takes to cover it. A window of `--trace-slowest` lasts
 * from the begin of one to its end, or is several of them that overlap.
 */
export function slowestOf(windows: Windows, rows: RequestRows): number[][] {
  const inside: number[][] = windows.map(() => [])
  for (let row = 0; row < rows.count; row += 1) {
    if (rows.parent[row] !== NONE || (rows.flags[row]! & (FLAG_OPEN | FLAG_BACKGROUND)) !== 0) continue
    const n = windowAt(windows, rows.t0[row]!)
    if (n >= 0 && rows.end[row]! <= windows[n]![1] + 1) inside[n]!.push(row)
  }
  const took = (row: number): number => rows.end[row]! - rows.t0[row]!
  return inside.map((found, n) => {
    const [from, to] = windows[n]!
    found.sort((a, b) => took(b) - took(a) || a - b)
    for (let count = 1; count <= Math.min(found.length, 100); count += 1) {
      let reached = from + 1
      for (const row of found.slice(0, count).sort((a, b) => a - b)) {
        if (rows.t0[row]! <= reached) reached = Math.max(reached, rows.end[row]! + 1)
      }
      if (reached >= to) return found.slice(0, count)
    }
    return []
  })
}
