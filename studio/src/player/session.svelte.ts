/** What is played and what is selected; one session for each recording that is shown. */

import { NONE } from '../file/format'
import { ROWS_AT_ONCE, chunksRound, load, overview } from '../file/recording'
import type { Recording, RequestRows } from '../file/recording'
import type { PlaybackFile } from '../file/read'
import { nearest, slowestOf, windowAt } from '../file/windows'
import { Model } from '../picture/model'
import { parseMoment as parse } from '../text'
import { Axis, axisOfWindows, axisOver, eventBefore, moving, nextEvent, paced } from './pace'
import type { Accept, Moving } from './pace'

export type Pace = 'events' | 'linear'

/** Time and pace; two sessions that are played in step share one. */
export class Clock {
  time = $state(0)
  playing = $state(false)
  pace = $state<Pace>('events')
  /** Paced by events: how much faster than a third of a second for each move. */
  factor = $state(1)
  /** In linear time: simulated nanoseconds in each second. */
  speed = $state(10_000)
  loop = $state.raw<{ from: number; to: number } | null>(null)
  /** Whether playing ends at the end of the window instead of beginning again. */
  once = $state(false)
}

export interface Span {
  from: number
  to: number
}

export class Session {
  readonly file: PlaybackFile
  readonly model: Model
  readonly clock: Clock
  recording = $state.raw<Recording>() as Recording
  requests = $state.raw<RequestRows>() as RequestRows
  loading = $state(false)
  hidden = $state.raw<ReadonlySet<number>>(new Set())
  span = $state.raw<Span>({ from: 0, to: 1 })
  /** Whether the axes of the views skip what is empty. */
  uneven = $state(false)
  /** Whether links and components are coloured by their use. */
  loads = $state(true)
  request = $state<number | null>(null)
  frame = $state<number | null>(null)
  selected = $state<string | null>(null)
  follow = $state(false)
  folds = $state.raw<ReadonlyMap<string, boolean>>(new Map())
  private axis: Axis | null = null
  private axisFor: unknown[] = []
  private waiting: Promise<void> | null = null

  private constructor(
    file: PlaybackFile,
    recording: Recording,
    clock: Clock,
    private readonly atOnce: number,
  ) {
    this.file = file
    this.model = new Model(file.header)
    this.clock = clock
    this.recording = recording
    this.requests = recording.requests.rows
    if (clock.time < this.from || clock.time >= this.to) clock.time = recording.from
    const [from, to] = file.index.windows[this.window] ?? [recording.from, recording.to]
    this.span = { from, to }
  }

  static async open(file: PlaybackFile, clock = new Clock(), atOnce = ROWS_AT_ONCE): Promise<Session> {
    const begin = file.index.chunks[0]?.from_ns ?? 0
    const [first, last] = chunksRound(file, Math.max(begin, clock.time), atOnce)
    const session = new Session(file, await load(file, first, last), clock, atOnce)
    if (last - first < file.index.chunks.length) {
      void overview(file).then((rows) => {
        session.requests = rows
      })
    }
    return session
  }

  get from(): number {
    return this.file.index.chunks[0]?.from_ns ?? 0
  }

  get to(): number {
    return this.file.index.chunks[this.file.index.chunks.length - 1]?.to_ns ?? 1
  }

  /** The row of the selected request; undefined if none is, or it is not loaded. */
  get row(): number | undefined {
    return this.request === null ? undefined : this.recording.requests.row(this.request)
  }

  /** The rows of the selected request and of its parts. */
  readonly family: ReadonlySet<number> = $derived.by(() => {
    const { row } = this
    if (row === undefined) return new Set<number>()
    return new Set(this.recording.requests.family(row).map((one) => this.recording.requests.rows.number[one]!))
  })

  /** Which moves are shown. */
  readonly accept: Accept = $derived.by(() => {
    const { moves } = this.recording
    const { hidden, family } = this
    if (this.follow && family.size > 0) {
      return (row: number) => !hidden.has(moves.kind[row]!) && family.has(moves.request[row]!)
    }
    return hidden.size === 0 ? () => true : (row: number) => !hidden.has(moves.kind[row]!)
  })

  readonly moving: Moving[] = $derived.by(() => moving(this.recording, this.clock.time, this.accept))

  /** The axis of the views over their span, if it is uneven. */
  readonly viewAxis: Axis | null = $derived.by(
    () =>
      (this.uneven ? axisOver(this.recording, this.span.from, this.span.to, this.accept) : null) ??
      axisOfWindows(this.file.index.windows, this.span.from, this.span.to),
  )

  /** The window in which the shown time is. */
  get window(): number {
    return windowAt(this.file.index.windows, this.clock.time)
  }

  /** The slowest requests of each window, which are those that it was recorded for. */
  readonly slowest: number[][] = $derived.by(() => slowestOf(this.file.index.windows, this.requests))

  /** Goes to the begin of a window, and selects the request that it was recorded for. */
  showWindow(number: number): void {
    const window = this.file.index.windows[number]
    if (window === undefined) return
    this.setTime(window[0])
    this.setSpan(window[0], window[1])
    const row = this.slowest[number]?.[0]
    this.request = row === undefined ? null : this.requests.number[row]!
  }

  /** Goes to a moment. */
  setTime(time: number): void {
    const within = Math.max(this.from, Math.min(this.to - 1, time))
    const to = nearest(this.file.index.windows, within, time < this.clock.time)
    this.clock.time = to
    this.see(to)
  }

  /** Loads what is recorded round a moment if it is not at hand. */
  see(time: number): void {
    const { recording } = this
    const all = this.file.index.chunks.length
    const near = (recording.to - recording.from) / 10
    const left = recording.first > 0 && time < recording.from + near
    const right = recording.last < all && time > recording.to - near
    if ((!left && !right) || this.waiting !== null) return
    const [first, last] = chunksRound(this.file, time, this.atOnce)
    if (first === recording.first && last === recording.last) return
    const outside = time < recording.from || time >= recording.to
    this.loading = outside
    this.waiting = load(this.file, first, last).then((loaded) => {
      this.recording = loaded
      this.waiting = null
      this.loading = false
      this.see(this.clock.time)
    })
  }

  play(): void {
    const { clock } = this
    const end = clock.loop?.to ?? this.to
    if (!clock.playing && clock.time >= end - 1) this.setTime(clock.loop?.from ?? this.from)
    clock.playing = !clock.playing
  }

  /** Plays for `seconds`. */
  advance(seconds: number): void {
    const { clock } = this
    if (this.loading) return
    const begin = clock.loop?.from ?? this.from
    const end = clock.loop?.to ?? this.to
    const limit = Math.min(end, this.recording.to)
    if (clock.loop !== null && (clock.time < begin || clock.time > end)) this.setTime(begin)
    let next: number
    if (clock.pace === 'linear') next = clock.time + seconds * clock.speed
    else {
      const { axis } = this
      const now = [this.recording, this.hidden, this.follow ? this.request : null]
      const other = now.some((one, n) => one !== this.axisFor[n])
      const stale = axis === null || other || clock.time < axis.from || clock.time >= axis.to
      const used = stale || axis.to > limit ? paced(this.recording, clock.time, limit, this.accept) : axis
      this.axis = used
      this.axisFor = now
      next = used.toTime(used.toShown(clock.time) + seconds * clock.factor)
      if (next <= clock.time) next = clock.time + 1
    }
    if (next >= end - 1) {
      if (clock.loop !== null && !clock.once) this.setTime(begin)
      else {
        this.setTime(end - 1)
        clock.playing = false
      }
      return
    }
    this.setTime(next)
  }

  step(forward: boolean): void {
    this.clock.playing = false
    const others = !(this.follow && this.family.size > 0)
    const find = forward ? nextEvent : eventBefore
    const time = find(this.recording, this.clock.time, this.accept, others)
    if (time !== null) this.reveal(time)
    else this.reveal(forward ? this.to : this.from)
  }

  get wordNs(): number {
    const networks = this.file.header.networks
    const selected = this.model.system.ports.find(
      (port) => port.thing !== null && this.model.system.things[port.thing]!.name === this.selected,
    )
    const own = selected?.network == null ? null : networks[selected.network]?.word_ns
    return own ?? networks.find((network) => network.word_ns != null)?.word_ns ?? 10
  }

  slot(forward: boolean): void {
    this.clock.playing = false
    this.reveal(this.clock.time + (forward ? 1 : -1) * this.wordNs)
  }

  /** Goes to a moment and moves the span of the views so that it is in it. */
  reveal(time: number): void {
    this.setTime(time)
    const { from, to } = this.span
    const now = this.clock.time
    if (now >= from && now <= to) return
    const length = to - from
    this.setSpan(now - length / 2, now + length / 2)
  }

  /** Moves the span of the views on when the shown time leaves it. */
  keepShown(): void {
    const { from, to } = this.span
    const { time } = this.clock
    if (time >= from && time <= to) return
    const begin = Math.max(this.file.index.windows[this.window]?.[0] ?? 0, time - (to - from) * 0.05)
    this.setSpan(begin, begin + to - from)
  }

  setSpan(from: number, to: number): void {
    const length = Math.max(50, Math.min(this.to - this.from, to - from))
    const begin = Math.max(this.from, Math.min(this.to - length, from))
    this.span = { from: begin, to: begin + length }
  }

  zoom(factor: number, around: number): void {
    const { from, to } = this.span
    this.setSpan(around - (around - from) * factor, around + (to - around) * factor)
  }

  select(name: string | null): void {
    this.selected = name
  }

  /** Selects a request; goes to its begin if it is not open now. */
  selectRequest(number: number | null, go = false): void {
    this.request = number
    if (number === null) this.follow = false
    if (number === null || !go) return
    const row = this.recording.requests.row(number)
    const rows = this.requests
    const at = rows.number.indexOf(number)
    const t0 = row === undefined ? rows.t0[at] : this.recording.requests.rows.t0[row]
    if (t0 !== undefined) this.reveal(t0)
  }

  selectMove(row: number, go = true): void {
    const { moves } = this.recording
    this.frame = moves.frame[row] === NONE ? null : moves.frame[row]!
    if (moves.request[row] !== NONE) this.request = moves.request[row]!
    if (go) this.reveal(moves.t0[row]!)
  }

  /** Plays one request from its begin to its end, with its own frames alone. */
  playRequest(number: number): void {
    const rows = this.requests
    const at = rows.number.indexOf(number)
    if (at < 0) return
    const [from, to] = [rows.t0[at]!, rows.end[at]!]
    this.request = number
    this.follow = true
    this.clock.loop = { from: Math.max(this.from, from), to: Math.min(this.to, to + 1) }
    this.clock.once = true
    this.clock.pace = 'events'
    this.setTime(from)
    const margin = (to - from) * 0.05 + 100
    this.setSpan(from - margin, to + margin)
    this.clock.playing = true
  }

  /** Loops over the span of the views, or no longer. */
  toggleLoop(): void {
    const { clock } = this
    if (clock.loop === null) {
      clock.loop = { ...this.span }
      return
    }
    clock.loop = null
    clock.once = false
    this.follow = false
  }

  toggleKind(kind: number): void {
    const hidden = new Set(this.hidden)
    if (!hidden.delete(kind)) hidden.add(kind)
    this.hidden = hidden
  }

  fold(group: string, folded: boolean): void {
    this.folds = new Map([...this.folds, [group, folded]])
  }

  /** Jumps to what a text names: a time, "io 12", "frame 7", or the next move of a kind. */
  jump(text: string): string | null {
    const named = /^\s*(i\/?o|frame|request)\s+(\d+)\s*$/i.exec(text)
    if (named !== null) {
      const number = Number(named[2])
      const what = named[1]!.toLowerCase()
      if (what === 'frame') {
        const row = this.recording.moves.frame.indexOf(number)
        if (row < 0) return `There is no frame ${String(number)} in what is loaded.`
        this.selectMove(row)
        return null
      }
      const rows = this.requests
      const at = what === 'request' ? rows.number.indexOf(number) : this.rowOfIo(number)
      if (at < 0) return `There is no ${what === 'request' ? 'request' : 'I/O'} ${String(number)} in the recording.`
      this.selectRequest(rows.number[at]!, true)
      return null
    }
    const kind = this.file.header.kinds.findIndex((one) => one.name.toLowerCase() === text.trim().toLowerCase())
    if (kind >= 0) {
      const { moves } = this.recording
      const accept: Accept = (row) => moves.kind[row] === kind && moves.t0[row]! > this.clock.time
      for (let row = 0; row < moves.count; row += 1) {
        if (accept(row)) {
          this.selectMove(row)
          return null
        }
      }
      return `No ${text.trim()} begins later.`
    }
    const event = this.file.index.events.find((one) => one.text.toLowerCase().includes(text.trim().toLowerCase()))
    const time = /^\s*[0-9]/.test(text) ? parse(text) : null
    if (time !== null) this.reveal(time)
    else if (event !== undefined && text.trim() !== '') this.reveal(event.t_ns)
    else return 'Write a time as "510.2 ms", "io 12", "frame 7", or the name of a kind or event.'
    return null
  }

  private rowOfIo(io: number): number {
    const rows = this.requests
    let any = -1
    for (let row = 0; row < rows.count; row += 1) {
      if (rows.io[row] !== io) continue
      if (rows.parent[row] === NONE) return row
      if (any < 0) any = row
    }
    return any
  }
}
