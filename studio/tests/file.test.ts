import { describe, expect, it } from 'vitest'
import { PlaybackFile } from '../src/file/read'
import { Groups, Intervals, Steps } from '../src/file/intervals'
import { chunksRound, load, overview } from '../src/file/recording'
import type { Recording } from '../src/file/recording'
import { bytesOf, fabricDemo, ringDemo } from './demo'
import type { Demo } from './demo'

function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return state / 2 ** 32
  }
}

async function opened(demo: Demo, chunks: number): Promise<Recording> {
  const file = PlaybackFile.open(bytesOf(demo, chunks))
  return await load(file, 0, file.index.chunks.length)
}

describe('intervals', () => {
  it('finds what is open as a search through all does', () => {
    const next = random(1)
    const rows = Array.from({ length: 3000 }, () => ({
      a: Math.floor(next() * 10000),
      b: Math.floor(next() ** 4 * 3000),
    }))
    rows.sort((x, y) => x.a - y.a)
    const begin = Float64Array.from(rows, (row) => row.a)
    const end = Float64Array.from(rows, (row) => row.a + row.b)
    const intervals = new Intervals(begin, end)
    for (let n = 0; n < 200; n += 1) {
      const t = Math.floor(next() * 13000)
      const all = [...rows.keys()].filter((row) => begin[row]! <= t && end[row]! > t)
      expect(intervals.openAt(t)).toEqual(all)
      const within = [...rows.keys()].filter((row) => begin[row]! < t + 50 && end[row]! > t)
      expect(intervals.within(t, t + 50)).toEqual(within)
    }
  })

  it('sorts rows into groups', () => {
    const groups = new Groups([2, 0, 2, 9, 1], 3)
    expect([...groups.rows(2)]).toEqual([0, 2])
    expect([...groups.rows(1)]).toEqual([4])
    expect([...groups.rows(7)]).toEqual([])
  })

  it('gives the value of a lane as a search through all does', () => {
    const next = random(5)
    const times = Float64Array.from({ length: 2000 }, (_, n) => Math.floor(n / 3))
    const values = Uint32Array.from(times, () => Math.floor(next() * 100))
    const lanes = Uint16Array.from(times, () => Math.floor(next() * 7))
    const steps = new Steps(times, values, lanes, 7)
    for (let n = 0; n < 500; n += 1) {
      const [lane, t] = [Math.floor(next() * 7), next() * 700 - 10]
      let expected = 0
      for (let row = 0; row < 2000; row += 1) if (lanes[row] === lane && times[row]! <= t) expected = values[row]!
      expect(steps.at(lane, t)).toBe(expected)
    }
  })
})

describe('a file', () => {
  it.each([1, 2, 7])('of %i chunks gives the rows that were written', async (chunks) => {
    for (const demo of [ringDemo(16, 4_000_000), fabricDemo(1_000_000)]) {
      const recording = await opened(demo, chunks)
      const { rows } = demo
      const moves = rows.moves.filter((row) => row.t0 >= demo.from && row.t0 < demo.to)
      expect(recording.moves.count).toBe(moves.length)
      for (const [n, row] of moves.entries()) {
        expect(recording.moves.t0[n]).toBe(row.t0)
        expect(recording.moves.end[n]).toBe(row.t0 + row.dt + row.arrives)
        expect(recording.moves.to[n]).toBe(row.to)
      }
      const dwells = rows.dwells.filter((row) => row.t0 < demo.to && row.dt > 0)
      expect(recording.dwells.count).toBe(dwells.length)
      const key = (row: { t0: number; request: number; line: number; end: number }): string =>
        `${String(row.request)} ${String(row.t0)} ${String(row.end)} ${String(row.line)}`
      const found = Array.from({ length: recording.dwells.count }, (_, n) =>
        key({
          t0: recording.dwells.t0[n]!,
          end: recording.dwells.end[n]!,
          request: recording.dwells.request[n]!,
          line: recording.dwells.line[n]!,
        }),
      )
      expect(found.sort()).toEqual(dwells.map((row) => key({ ...row, end: Math.min(row.t0 + row.dt, demo.to) })).sort())
      const jobs = rows.jobs.filter((row) => row.t0 < demo.to && row.dt > 0)
      expect(recording.jobs.count).toBe(jobs.length)
      const requests = rows.requests.filter((row) => row.t0 < demo.to)
      expect(recording.requests.count).toBe(requests.length)
      for (const row of requests) {
        const at = recording.requests.row(row.request)!
        expect(recording.requests.rows.t0[at]).toBe(row.t0)
        expect(recording.requests.rows.end[at]).toBe(Math.min(row.t0 + row.dt, demo.to))
        expect(recording.requests.rows.io[at]).toBe(row.io)
      }
    }
  })

  it('has ledgers that add up to the response times', async () => {
    const recording = await opened(ringDemo(16, 6_000_000), 3)
    const { rows } = recording.requests
    let ended = 0
    for (let row = 0; row < rows.count; row += 1) {
      if ((rows.flags[row]! & 4) !== 0) continue
      ended += 1
      let sum = 0
      for (const n of recording.dwellsOfRequest.rows(row)) sum += recording.dwells.end[n]! - recording.dwells.t0[n]!
      expect(sum).toBe(rows.end[row]! - rows.t0[row]!)
    }
    expect(ended).toBeGreaterThan(10)
  })

  it('gives states and work at random moments as a search through all does', async () => {
    const demo = fabricDemo(1_000_000)
    const recording = await opened(demo, 4)
    const next = random(9)
    for (let n = 0; n < 300; n += 1) {
      const t = Math.floor(demo.from + next() * 1_000_000)
      for (const lane of demo.header.lanes.keys()) {
        const known = demo.rows.steps.filter((row) => row.lane === lane && row.t <= t)
        expect(recording.steps.at(lane, t)).toBe(known[known.length - 1]?.value ?? 0)
        const open = demo.rows.jobs.filter((row) => row.lane === lane && row.t0 <= t && row.t0 + row.dt > t)
        expect(recording.jobsAt(lane, t).length).toBe(open.length)
      }
    }
  })

  it('is loaded round the shown time if it is large', () => {
    const file = PlaybackFile.open(bytesOf(ringDemo(16, 4_000_000), 20))
    expect(chunksRound(file, 0)).toEqual([0, 20])
    const [first, last] = chunksRound(file, 502_000_000, Math.round(file.rows() / 2))
    expect(last - first).toBeLessThan(12)
    const shown = file.index.chunks.slice(first, last)
    expect(shown[0]!.from_ns).toBeLessThanOrEqual(502_000_000)
    expect(shown[shown.length - 1]!.to_ns).toBeGreaterThan(502_000_000)
  })

  it('gives all its requests without the rest', async () => {
    const demo = ringDemo(16, 4_000_000)
    const file = PlaybackFile.open(bytesOf(demo, 5))
    const rows = await overview(file)
    expect(rows.count).toBe(demo.rows.requests.filter((row) => row.t0 < demo.to).length)
  })

  it('is refused if it is damaged, with a sentence', async () => {
    const good = bytesOf(ringDemo(4, 1_000_000), 1)
    expect(() => PlaybackFile.open(new Uint8Array(40))).toThrow('no playback file')
    expect(() => PlaybackFile.open(good.slice(0, good.length - 9))).toThrow('not written to its end')
    const other = good.slice()
    other[4] = 2
    expect(() => PlaybackFile.open(other)).toThrow('format 2')
    const file = PlaybackFile.open(good)
    const place = file.index.chunks[0]!
    good.fill(0, place.offset, place.offset + place.length)
    await expect(file.chunk(0)).rejects.toThrow('damaged')
  })
})
