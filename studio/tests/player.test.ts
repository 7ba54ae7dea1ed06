import { describe, expect, it } from 'vitest'
import { NONE } from '../src/file/format'
import { PlaybackFile } from '../src/file/read'
import { load } from '../src/file/recording'
import type { Recording } from '../src/file/recording'
import { layout } from '../src/picture/layout'
import { loadOf } from '../src/picture/load'
import { Model, looks } from '../src/picture/model'
import { SEEN, axisOf, eventBefore, moving, nextEvent, paced } from '../src/player/pace'
import { story, why } from '../src/player/why'
import { duration, moment, parseMoment } from '../src/text'
import { bytesOf, crowdDemo, fabricDemo, ringDemo } from './demo'
import type { Demo } from './demo'

async function opened(demo: Demo, chunks = 3): Promise<Recording> {
  const file = PlaybackFile.open(bytesOf(demo, chunks))
  return await load(file, 0, file.index.chunks.length)
}
const all = (): boolean => true

describe('the pace by events', () => {
  it('shows each interval at least a third of a second, and gaps for a moment', () => {
    const intervals = [
      { begin: 10, end: 20 },
      { begin: 15, end: 4000 },
      { begin: 1_000_000, end: 1_000_001 },
    ]
    const axis = axisOf(intervals, 0, 2_000_000)
    for (const { begin, end } of intervals) {
      expect(axis.toShown(end) - axis.toShown(begin)).toBeGreaterThanOrEqual(SEEN - 1e-9)
    }
    expect(axis.toShown(1_000_000) - axis.toShown(4000)).toBeCloseTo(0.1, 9)
    for (const time of [0, 12, 3000, 999_999, 1_999_999]) expect(axis.toTime(axis.toShown(time))).toBeCloseTo(time, 3)
  })

  it('holds for the moves of a recording, one piece after the other', async () => {
    const recording = await opened(ringDemo(16, 3_000_000))
    const { moves } = recording
    let from = recording.from
    let pieces = 0
    while (from < recording.to - 1 && pieces < 100) {
      const axis = paced(recording, from, recording.to, all)
      expect(axis.to).toBeGreaterThan(from)
      for (let row = 0; row < moves.count; row += 1) {
        if (moves.t0[row]! < axis.from || moves.end[row]! > axis.to) continue
        expect(axis.toShown(moves.end[row]!) - axis.toShown(moves.t0[row]!)).toBeGreaterThanOrEqual(SEEN - 1e-6)
      }
      from = axis.to
      pieces += 1
    }
    expect(from).toBe(recording.to)
  })
})

describe('stepping', () => {
  it('visits all begins and arrivals of moves, and goes back the same way', async () => {
    const recording = await opened(fabricDemo(300_000))
    const { moves } = recording
    const expected = new Set<number>()
    for (let row = 0; row < moves.count; row += 1) {
      expected.add(moves.t0[row]!)
      expected.add(moves.t0[row]! + moves.arrives[row]!)
      expected.add(moves.end[row]!)
    }
    const times = [...expected].filter((time) => time > recording.from).sort((a, b) => a - b)
    const visited: number[] = []
    for (let time: number | null = recording.from; time !== null;) {
      time = nextEvent(recording, time, all, false)
      if (time !== null) visited.push(time)
    }
    expect(visited).toEqual(times)
    for (let n = visited.length - 1; n > 0; n -= 1) {
      expect(eventBefore(recording, visited[n]!, all, false)).toBe(visited[n - 1])
    }
  })
})

describe('what moves', () => {
  it('has its head and tail where time and delay say', async () => {
    const demo = fabricDemo(300_000)
    const recording = await opened(demo)
    for (let t = demo.from; t < demo.to; t += 1777) {
      const expected = demo.rows.moves.filter(
        (row) => row.t0 <= t && row.t0 + row.dt + row.arrives > t && row.t0 < demo.to,
      )
      const found = moving(recording, t, all)
      expect(found.length).toBe(expected.length)
      for (const [n, { head, tail }] of found.entries()) {
        const row = expected[n]!
        expect(head).toBeCloseTo(Math.min(1, (t - row.t0) / row.arrives), 9)
        expect(tail).toBeCloseTo(Math.max(0, (t - row.t0 - row.dt) / row.arrives), 9)
      }
    }
  })

  it('is found quickly among very many', async () => {
    const recording = await opened(crowdDemo(40_000))
    const begin = performance.now()
    let sum = 0
    for (let n = 0; n < 500; n += 1) sum += moving(recording, recording.from + n * 1500 + 20_000, all).length
    expect(sum / 500).toBeGreaterThan(150)
    expect(performance.now() - begin).toBeLessThan(1000)
  })
})

describe('the load', () => {
  it('is the time that links and devices are used', async () => {
    const demo = ringDemo(8, 2_000_000)
    const recording = await opened(demo)
    const model = new Model(recording.header)
    const drawn = layout(model.system, { chosen: new Map(), most: 160 })
    const found = loadOf(recording, model, drawn, demo.from, demo.to)
    const ring = found.rings.get(0)!
    for (let hop = 0; hop < 9; hop += 1) {
      let busy = 0
      for (const row of demo.rows.moves) {
        if (row.t0 >= demo.to) continue
        const after = (row.to - row.from + 9) % 9 || 9
        if ((hop - row.from + 9) % 9 < after) busy += Math.min(row.t0 + row.dt, demo.to) - row.t0
      }
      expect(ring.use[hop]).toBeCloseTo(busy / 2_000_000, 9)
    }
    const drive = model.thingByName.get('drives[2]')!
    const phases = demo.rows.dwells.filter((row) => row.component === 3 && row.t0 < demo.to)
    const busy = phases.reduce((sum, row) => sum + Math.min(row.t0 + row.dt, demo.to) - row.t0, 0)
    expect(found.things[drive]).toBeCloseTo(Math.min(1, busy / 2_000_000), 9)
  })
})

describe('why a request waits', () => {
  it('names the drive, its phase and the request that holds it', async () => {
    const demo = ringDemo(2, 6_000_000)
    const recording = await opened(demo)
    const model = new Model(recording.header)
    const queue = demo.rows.dwells.find((row) => row.line === 3 && row.dt > 5000 && row.t0 < demo.to - 10_000)!
    const answer = why(recording, model, queue.request, queue.t0 + 1000)!
    expect(answer.waits).toBe(true)
    expect(answer.thing).toMatch(/^drives\[\d\]$/)
    const holder = answer.reasons.find((reason) => / is in (seek|rotation|media) for I\/O \d+/.test(reason.text))!
    expect(holder.request).not.toBeNull()
    expect(holder.request).not.toBe(queue.request)
  })

  it('names the frames that a port sends before the one that waits in its queue', async () => {
    const demo = ringDemo(16, 20_000_000, 16, 4)
    demo.header.lines[1] = { ...demo.header.lines[1]!, place: 'loop', segment: 'port_queue' }
    const recording = await opened(demo)
    const model = new Model(recording.header)
    const name = (request: number): string => {
      const { io } = demo.rows.requests.find((row) => row.request === request)!
      return `I/O ${String(io)}`
    }
    let compared = 0
    for (const dwell of demo.rows.dwells.filter((row) => row.line === 1 && row.dt > 2)) {
      const [time, end] = [dwell.t0 + 1, dwell.t0 + dwell.dt]
      const own = demo.rows.moves
        .filter((row) => row.request === dwell.request && row.t0 >= end)
        .sort((a, b) => a.t0 - b.t0)[0]
      if (own === undefined || own.t0 >= demo.to) continue
      const before = demo.rows.moves
        .filter((row) => row.from === own.from && row.frame !== NONE && row.t0 < own.t0 && row.t0 + row.dt > time)
        .sort((a, b) => a.t0 - b.t0)
      const said = why(recording, model, dwell.request, time)!.reasons.find((one) => one.text.startsWith('Until'))!
      const whose = before.length === 0 ? '' : ` (${[...new Set(before.map((row) => name(row.request)))].join(', ')})`
      expect(said.text).toBe(`Until it goes on, controller sends ${String(before.length)} others${whose}.`)
      expect(said.request).toBe(before[0]?.request ?? null)
      compared += before.length
    }
    expect(compared).toBeGreaterThan(3)
  })

  it('says nothing of a request that is not open', async () => {
    const recording = await opened(ringDemo(2, 1_000_000))
    expect(why(recording, new Model(recording.header), 0, recording.from - 5)).toBeNull()
    expect(why(recording, new Model(recording.header), NONE, recording.from)).toBeNull()
  })
})

describe('what happens to a frame', () => {
  it('lists the hops of a frame, with the frames that its port sends while it holds this one', async () => {
    const demo = fabricDemo(2_000_000)
    const recording = await opened(demo)
    const model = new Model(recording.header)
    const held = demo.rows.jobs.find((row) => row.frame !== NONE && row.dt > 20_000 && row.t0 + row.dt < demo.to)!
    const told = story(recording, model, held.frame)
    const hops = demo.rows.moves.filter((row) => row.frame === held.frame)
    expect(told.filter((one) => one.text.startsWith('sent from')).map((one) => one.time)).toEqual(
      hops.map((row) => row.t0),
    )
    const hold = told.find((one) => one.time === held.t0 && one.text.startsWith('held in'))!
    const next = hops.find((row) => row.t0 >= held.t0)!
    const others = demo.rows.moves.filter(
      (row) => row.from === next.from && row.frame !== NONE && row.t0 < next.t0 && row.t0 + row.dt > held.t0,
    )
    expect(hold.text).toContain(`sends ${String(others.length)} others`)
  })
})

describe('texts', () => {
  it('give times with their units, and read them back', () => {
    expect(duration(12)).toBe('12 ns')
    expect(duration(4813)).toBe('4.813 µs')
    expect(duration(5_693_779)).toBe('5.694 ms')
    expect(moment(501_243_771)).toBe('501.243\u202f771 ms')
    expect(parseMoment('501.243\u202f771 ms')).toBe(501_243_771)
    expect(parseMoment('0.5 s')).toBe(500_000_000)
    expect(parseMoment('12')).toBe(12_000_000)
    expect(parseMoment('soon')).toBeNull()
  })

  it('give each state a letter of its own', () => {
    const names = [
      'MONITORING',
      'ARBITRATING',
      'ARBITRATION WON',
      'OPEN',
      'OPENED',
      'TRANSMITTED CLOSE',
      'RECEIVED CLOSE',
    ]
    const found = looks(names)
    expect(new Set(found.map((one) => one.letter)).size).toBe(7)
    expect(new Set(found.map((one) => one.colour)).size).toBe(7)
  })
})
