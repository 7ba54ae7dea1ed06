/** What is open in the studio: a scenario with its text, runs, a playback. */

import { api, follow, sentence } from './api'
import type {
  Checked,
  Component,
  ComponentKind,
  Done,
  Edit,
  Found,
  RunInfo,
  RunRequest,
  SessionInfo,
  Titled,
} from './api'
import { PlaybackFile } from './file/read'
import type { Point } from './picture/geometry'
import { PositionsOf } from './positions.svelte'
import { Clock, Session } from './player/session.svelte'

export type Page = 'start' | 'edit' | 'runs' | 'play'

export interface Run extends RunInfo {
  share: number
  text: string
  /** What is known while it goes on. */
  found: Found | null
  done: Done | null
  recorded: boolean
  settings: string[]
  key: string | null
}

export class Scenario {
  readonly id: string
  text = $state('')
  saved = $state('')
  digest = $state('')
  checked = $state.raw<Checked | null>(null)
  changedOnDisk = $state(false)
  positions = $state.raw<PositionsOf | null>(null)
  /** The components of its first run. */
  ran: Component[] | null = null
  /** Puts a text into the editor as one change; the editor sets it while it is there. */
  put: ((text: string) => void) | null = null

  constructor(id: string, text: string, digest: string) {
    this.id = id
    this.text = text
    this.saved = text
    this.digest = digest
  }

  get dirty(): boolean {
    return this.text !== this.saved
  }

  get writable(): boolean {
    return this.id.startsWith('file:')
  }
}

class Studio {
  page = $state<Page>('start')
  info = $state.raw<SessionInfo | null>(null)
  files = $state.raw<Titled[]>([])
  examples = $state.raw<Titled[]>([])
  kinds = $state.raw<ComponentKind[]>([])
  scenario = $state.raw<Scenario | null>(null)
  session = $state.raw<Session | null>(null)
  /** The second player, in step with the first. */
  beside = $state.raw<Session | null>(null)
  /** The positions of what is played, and of the second player. */
  placed = $state.raw<[PositionsOf | null, PositionsOf | null]>([null, null])
  playName = $state('')
  besideName = $state('')
  runs = $state.raw<Run[]>([])
  fault = $state<string | null>(null)
  busy = $state<string | null>(null)
  private settle: Promise<void> | null = null
  private streams = 0
  private readonly unfollowed: (() => void)[] = []

  async begin(): Promise<void> {
    try {
      this.info = await api.session()
      const { opened } = this.info
      if (opened.playback) await this.play('the recording', api.playback())
      const found = await api.scenarios()
      this.files = found.files
      this.examples = found.examples
      for (const run of await api.runs())
        this.watch({
          ...run,
          share: 0,
          text: '',
          found: null,
          done: null,
          recorded: run.playback || run.state === 'running',
          settings: [],
          key: run.key,
        })
      if (opened.scenario !== null)
        await this.open(opened.scenario.includes(':') ? opened.scenario : `file:${opened.scenario}`)
      else if (opened.example !== null)
        await this.open(opened.example.includes(':') ? opened.example : `example:${opened.example}`)
    } catch (error) {
      this.fault = sentence(error)
    }
  }

  async open(id: string): Promise<void> {
    await this.doing('Opens the scenario…', async () => {
      if (this.kinds.length === 0) this.kinds = await api.kinds()
      const { text, digest } = await api.text(id)
      const scenario = new Scenario(id, text, digest)
      this.scenario = scenario
      if (this.page !== 'play') this.page = 'edit'
      scenario.checked = await api.check(id, text)
      scenario.positions = await PositionsOf.open(id)
    })
  }

  /** Does what takes time; says what went wrong. */
  async doing(what: string, work: () => Promise<void>): Promise<boolean> {
    this.busy = what
    this.fault = null
    try {
      await work()
      return true
    } catch (error) {
      this.fault = sentence(error)
      return false
    } finally {
      this.busy = null
    }
  }

  async check(scenario: Scenario): Promise<void> {
    const { text } = scenario
    try {
      const checked = await api.check(scenario.id, text)
      if (scenario.text === text) scenario.checked = checked
    } catch (error) {
      this.fault = sentence(error)
    }
  }

  /** The text after an edit; edits are made one after the other. */
  async edit(scenario: Scenario, edit: Edit): Promise<boolean> {
    const before = this.settle
    let done = (): void => undefined
    this.settle = new Promise((resolve) => (done = resolve))
    await before
    try {
      return await this.doing('Edits…', async () => {
        const { text } = scenario
        const found = await api.edit(scenario.id, text, edit)
        if (scenario.text !== text) throw new Error('The text has changed meanwhile; do it again.')
        if (scenario.put !== null) scenario.put(found.text)
        scenario.text = found.text
        scenario.checked = found
      })
    } finally {
      done()
    }
  }

  async save(scenario: Scenario): Promise<void> {
    await this.doing('Saves…', async () => {
      const { text } = scenario
      const { digest } = await api.save(scenario.id, text, scenario.digest)
      scenario.digest = digest
      scenario.saved = text
      scenario.changedOnDisk = false
      const graph = scenario.checked?.graph
      if (graph != null && scenario.text === text) await scenario.positions?.drop(graph)
    })
  }

  /** Stores the text as a new file of the folder, with the positions of its picture, and opens that. */
  async saveAs(scenario: Scenario, name: string): Promise<void> {
    await this.doing('Saves…', async () => {
      const { id } = await api.create(name, scenario.text)
      this.files = (await api.scenarios()).files
      const before = scenario.positions?.at ?? new Map<string, Point>()
      await this.open(id)
      const positions = this.scenario?.id === id ? this.scenario.positions : null
      for (const [of, at] of before) positions?.place(of, at)
      if (before.size > 0) await positions?.keep(before.keys())
    })
  }

  async look(scenario: Scenario): Promise<void> {
    if (!scenario.writable) return
    try {
      scenario.changedOnDisk = (await api.changed(scenario.id, scenario.digest)).changed
    } catch {
      // The next look tells.
    }
  }

  async start(request: RunRequest): Promise<string | null> {
    let run: string | null = null
    await this.doing('Starts…', async () => {
      run = (await api.start(request)).run
      this.watch({
        run,
        id: request.id,
        name: request.name,
        what: request.what,
        state: 'running',
        share: 0,
        text: '',
        found: null,
        done: null,
        recorded: request.playback != null,
        settings: request.settings ?? [],
        key: request.key ?? null,
      })
    })
    return run
  }

  private watch(run: Run): void {
    this.runs = [run, ...this.runs.filter((one) => one.run !== run.run)]
    const put = (change: Partial<Run>): void => {
      this.runs = this.runs.map((one) => (one.run === run.run ? { ...one, ...change } : one))
    }
    const begin = (): void => {
      this.streams += 1
      follow(
        run.run,
        (share, text) => put({ share, text }),
        (found) => put({ found }),
        (done) => {
          put({ done, state: done.state, share: 1 })
          this.streams -= 1
          this.unfollowed.shift()?.()
        },
      )
    }
    // A browser has six connections to a server, and a stream holds one.
    if (this.streams < 3) begin()
    else this.unfollowed.push(begin)
  }

  async cancel(run: string): Promise<void> {
    await this.doing('Cancels…', () => api.cancel(run))
  }

  /** The positions for a run: those of the open scenario if it is a run of that. */
  private async positionsFor(run: Run): Promise<PositionsOf | null> {
    if (this.scenario?.id === run.id) return this.scenario.positions
    try {
      return await PositionsOf.open(run.id)
    } catch {
      // The scenario is gone; the run is still played.
      return null
    }
  }

  async play(name: string, bytes: Promise<Uint8Array<ArrayBuffer>>, run: Run | null = null): Promise<void> {
    await this.doing('Reads the recording…', async () => {
      const session = await Session.open(PlaybackFile.open(await bytes))
      this.placed = [run === null ? null : await this.positionsFor(run), null]
      this.session = session
      this.beside = null
      this.playName = name
      this.page = 'play'
    })
  }

  async playRun(run: Run): Promise<void> {
    await this.play(run.name, api.runPlayback(run.run), run)
  }

  /** Shows two runs side by side, both at the same time. */
  async compare(one: Run, other: Run): Promise<void> {
    await this.doing('Reads the recordings…', async () => {
      const [a, b] = await Promise.all([api.runPlayback(one.run), api.runPlayback(other.run)])
      this.placed = [await this.positionsFor(one), await this.positionsFor(other)]
      const clock = new Clock()
      this.session = await Session.open(PlaybackFile.open(a), clock)
      this.beside = await Session.open(PlaybackFile.open(b), clock)
      this.playName = one.name
      this.besideName = other.name
      this.page = 'play'
    })
  }
}

export const studio = new Studio()
