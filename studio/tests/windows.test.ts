/** Windows of a recording: which times are known, and which requests they were recorded for. */

import { describe, expect, it } from 'vitest'
import { FLAG_BACKGROUND, FLAG_OPEN, NONE } from '../src/file/format'
import type { RequestRows } from '../src/file/recording'
import { nearest, recordedIn, slowestOf, windowAt } from '../src/file/windows'
import { axisOfWindows } from '../src/player/pace'

const WINDOWS: [number, number][] = [
  [100, 200],
  [1000, 1300],
  [5000, 5100],
]

describe('windows', () => {
  it('have the times from their begin to just before their end', () => {
    expect([0, 100, 199, 200, 999, 1000, 5099, 5100].map((time) => windowAt(WINDOWS, time))).toEqual([
      -1, 0, 0, -1, -1, 1, 2, -1,
    ])
  })

  it('are gone to from what was not recorded, forward and back', () => {
    expect([0, 150, 200, 999, 4000, 9000].map((time) => nearest(WINDOWS, time, false))).toEqual([
      100, 150, 1000, 1000, 5000, 5099,
    ])
    expect([0, 150, 200, 999, 4000, 9000].map((time) => nearest(WINDOWS, time, true))).toEqual([
      100, 150, 199, 199, 1299, 5099,
    ])
  })

  it('are what counts of a span', () => {
    expect(recordedIn(WINDOWS, 0, 10_000)).toBe(500)
    expect(recordedIn(WINDOWS, 150, 1100)).toBe(150)
    expect(recordedIn(WINDOWS, 300, 900)).toBe(0)
  })

  it('are as wide as they are long on an axis, and gaps are narrow', () => {
    const axis = axisOfWindows(WINDOWS, 100, 5100)!
    expect(axis.length).toBeCloseTo(500 + 2 * 0.03 * 500, 6)
    expect(axis.toShown(1300) - axis.toShown(1000)).toBeCloseTo(300, 6)
    expect(axis.toTime(axis.toShown(1234))).toBeCloseTo(1234, 6)
    expect(axisOfWindows(WINDOWS, 1000, 1300)).toBeNull()
    expect(axisOfWindows([], 0, 100)).toBeNull()
    const part = axisOfWindows(WINDOWS, 1200, 5050)!
    expect([part.from, part.to]).toEqual([1200, 5050])
  })
})

describe('the requests of windows', () => {
  const rows = (list: [number, number, number?, number?][]): RequestRows => ({
    count: list.length,
    number: Uint32Array.from(list, (_, n) => n),
    t0: Float64Array.from(list, ([t0]) => t0),
    end: Float64Array.from(list, ([, end]) => end),
    flags: Uint8Array.from(list, ([, , flags]) => flags ?? 0),
    parent: Uint32Array.from(list, ([, , , parent]) => parent ?? NONE),
    io: new Uint32Array(list.length),
    bytes: new Uint32Array(list.length),
    block: new Float64Array(list.length),
    device: new Uint16Array(list.length),
    workload: new Uint16Array(list.length),
  })

  it('are one that lasts as long, or several that overlap', () => {
    const found = slowestOf(
      WINDOWS,
      rows([
        [100, 200],
        [120, 180],
        [130, 260, FLAG_OPEN],
        [1000, 1200],
        [1010, 1020],
        [1100, 1300],
        [1150, 1160, 0, 5],
        [5000, 5099, FLAG_BACKGROUND],
        [5010, 5090],
      ]),
    )
    expect(found).toEqual([[0], [3, 5], []])
  })
})
