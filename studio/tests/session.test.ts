import { describe, expect, it } from 'vitest'
import { PlaybackFile } from '../src/file/read'
import { Session } from '../src/player/session.svelte'
import { bytesOf, ringDemo } from './demo'

async function settled(session: Session): Promise<void> {
  for (let n = 0; n < 200; n += 1) {
    const { recording, clock } = session
    if (clock.time >= recording.from && clock.time < recording.to && !session.loading) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error('the chunks round the shown time were not loaded')
}

describe('a session of a large file', () => {
  it('has the chunks round the shown time, wherever one goes', async () => {
    const demo = ringDemo(16, 8_000_000)
    const file = PlaybackFile.open(bytesOf(demo, 24))
    const session = await Session.open(file, undefined, Math.round(file.rows() / 3))
    expect(session.recording.last).toBeLessThan(24)
    expect(session.to).toBe(demo.to)
    for (const share of [0.5, 0.98, 0.01, 0.3, 0.35, 0.4, 0.9, 0.1]) {
      session.setTime(demo.from + share * 8_000_000)
      await settled(session)
      const { time } = session.clock
      expect(session.recording.moves.count).toBeLessThan(demo.rows.moves.length * 0.6)
      const expected = demo.rows.moves.filter((row) => row.t0 <= time && row.t0 + row.dt + row.arrives > time)
      expect(session.moving.length).toBe(expected.length)
      const lane = 0
      const known = demo.rows.steps.filter((row) => row.lane === lane && row.t <= time)
      expect(session.recording.steps.at(lane, time)).toBe(known[known.length - 1]!.value)
    }
  })

  it('plays to its end, over the chunks', async () => {
    const demo = ringDemo(16, 2_000_000)
    const file = PlaybackFile.open(bytesOf(demo, 12))
    const session = await Session.open(file, undefined, Math.round(file.rows() / 2))
    session.clock.factor = 50
    session.play()
    let last = session.clock.time
    for (let n = 0; n < 20_000 && session.clock.playing; n += 1) {
      session.advance(0.05)
      await settled(session)
      expect(session.clock.time).toBeGreaterThanOrEqual(last)
      last = session.clock.time
    }
    expect(session.clock.playing).toBe(false)
    expect(session.clock.time).toBe(demo.to - 1)
  })

  it('plays one request from its begin to its end, with its own frames alone', async () => {
    const demo = ringDemo(16, 4_000_000)
    const session = await Session.open(PlaybackFile.open(bytesOf(demo, 2)))
    const row = demo.rows.requests.find((one) => one.flags === 0)!
    session.playRequest(row.request)
    expect(session.clock.time).toBe(row.t0)
    let seen = 0
    for (let n = 0; n < 5000 && session.clock.playing; n += 1) {
      session.advance(0.02)
      const { moves } = session.recording
      for (const { row: move } of session.moving) expect(moves.request[move]).toBe(row.request)
      seen = Math.max(seen, session.moving.length)
    }
    expect(session.clock.playing).toBe(false)
    expect(session.clock.time).toBeCloseTo(row.t0 + row.dt, -1)
    expect(seen).toBeGreaterThan(0)
  })

  it('goes where a text says', async () => {
    const demo = ringDemo(16, 4_000_000)
    const session = await Session.open(PlaybackFile.open(bytesOf(demo, 2)))
    expect(session.jump('501.5 ms')).toBeNull()
    expect(session.clock.time).toBe(501_500_000)
    expect(session.jump('fcp_rsp')).toBeNull()
    const { moves } = session.recording
    const begun = demo.rows.moves.find((row) => row.kind === 3 && row.t0 > 501_500_000)!
    expect(session.clock.time).toBe(begun.t0)
    expect(session.jump('io 1003')).toBeNull()
    expect(session.request).toBe(3)
    expect(session.jump('frame 5')).toBeNull()
    expect(session.clock.time).toBe(moves.t0[moves.frame.indexOf(5)])
    expect(session.jump('io 99999')).toContain('no I/O 99999')
    expect(session.jump('nonsense')).toContain('Write a time')
    const now = session.clock.time
    session.slot(true)
    session.slot(false)
    expect(session.clock.time).toBeCloseTo(now, 6)
  })
})
