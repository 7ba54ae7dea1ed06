/** The studio's API. */

import type { Graph } from './file/graph'
import { plain } from './text'

export class ApiFault extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint: string | null,
  ) {
    super(message)
  }
}

export interface SessionInfo {
  sansim: string
  folder: string
  opened: { scenario: string | null; example: string | null; playback: boolean }
}

export interface Titled {
  id: string
  title: string
}

export interface Text {
  id: string
  text: string
  digest: string
}

export interface Problem {
  code: string
  severity: 'error' | 'warning'
  message: string
  hint: string | null
  begin: number
  end: number
  line: number
  column: number
}

export type Value = string | number | boolean | null | Value[] | { [key: string]: Value }

export interface SetKey {
  key: string
  value: Value
  begin: number
  end: number
}

export interface Component {
  name: string
  kind: string
  group: string | null
  keys: SetKey[]
}

export interface Checked {
  problems: Problem[]
  graph: Graph | null
  names: { name: string; begin: number; end: number; table_begin: number }[]
  components: Component[]
}

/** Positions that were chosen, by name. */
export interface Placed {
  positions: Record<string, [number, number]>
  /** The identity of the file; null if there is none. */
  digest: string | null
  /** Why positions are not kept in a file; null if they are. */
  unkept: string | null
}

export interface KindKey {
  key: string
  type: 'text' | 'integer' | 'float' | 'flag' | 'quantity' | 'words' | 'list' | 'table'
  units: string[] | null
  choices: string[] | null
  default: string | null
  source: string | null
  meaning: string
  required: boolean
}

export interface ComponentKind {
  kind: string
  /** How a network is drawn; null for what is none. */
  drawn: string | null
  title: string
  summary: string
  keys: KindKey[]
}

export type Edit =
  | { do: 'set'; component: string; key: string; value: Value }
  | { do: 'unset'; component: string; key: string }
  | { do: 'add'; kind: string; name: string }
  | { do: 'connect' | 'disconnect'; component: string; to: string }
  | { do: 'rename'; component: string; name: string }
  | { do: 'remove'; component: string }

export type RunState = 'running' | 'done' | 'failed' | 'cancelled'

export interface RunRequest {
  text: string
  id: string
  name: string
  what: 'run' | 'explain' | 'sweep'
  playback?: { from: string | null; to: string | null; slowest: number | null } | null
  settings?: string[]
  key?: string
  values?: string[]
}

export interface RunInfo {
  run: string
  /** The id of its scenario. */
  id: string
  name: string
  what: 'run' | 'explain' | 'sweep'
  state: RunState
}

/** A run as the server lists it. */
export interface ListedRun extends RunInfo {
  /** Whether it has a recording to play; a run that goes on has none yet. */
  playback: boolean
  /** The key of a sweep. */
  key: string | null
}

/** What is known of a run that goes on. */
export interface Found {
  explain: Record<string, Value>
}

export interface Done {
  state: RunState
  summary?: Record<string, Value> | null
  explain?: Record<string, Value> | null
  sweep?: Record<string, Value> | null
  error?: { message: string; hint?: string | null } | string | null
}

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  let answer: Response
  try {
    answer = await fetch(path, { ...init, credentials: 'same-origin' })
  } catch {
    throw new ApiFault(0, 'no-answer', 'The studio does not answer.', 'Is `sansim studio` still running?')
  }
  if (answer.ok) return answer
  let fault = {
    code: 'error',
    message: `The studio answered with status ${String(answer.status)}.`,
    hint: null as string | null,
  }
  try {
    const body = (await answer.json()) as { error?: typeof fault }
    if (body.error !== undefined) fault = body.error
  } catch {
    // The status says enough.
  }
  if (answer.status === 401) fault.hint ??= 'Open the link that `sansim studio` has printed.'
  throw new ApiFault(answer.status, fault.code, fault.message, fault.hint)
}

async function json<T>(path: string, method = 'GET', body?: unknown): Promise<T> {
  const init: RequestInit = { method }
  if (body !== undefined) {
    init.body = JSON.stringify(body)
    init.headers = { 'Content-Type': 'application/json' }
  }
  return (await (await ask(path, init)).json()) as T
}

async function file(path: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await (await ask(path)).arrayBuffer())
}

const q = encodeURIComponent

export const api = {
  session: () => json<SessionInfo>('/api/session'),
  scenarios: () => json<{ files: Titled[]; examples: Titled[] }>('/api/scenarios'),
  text: (id: string) => json<Text>(`/api/text?id=${q(id)}`),
  save: (id: string, text: string, digest: string) =>
    json<{ digest: string }>('/api/text', 'PUT', { id, text, digest }),
  create: (name: string, text: string) => json<Text>('/api/text', 'POST', { name, text }),
  changed: (id: string, digest: string) => json<{ changed: boolean }>(`/api/changed?id=${q(id)}&digest=${q(digest)}`),
  check: (id: string, text: string) => json<Checked>('/api/check', 'POST', { id, text }),
  edit: (id: string, text: string, edit: Edit) =>
    json<Checked & { text: string }>('/api/edit', 'POST', { id, text, edit }),
  layout: (id: string) => json<Placed>(`/api/layout?id=${q(id)}`),
  saveLayout: (id: string, positions: Placed['positions'], digest: string | null) =>
    json<{ digest: string | null }>('/api/layout', 'PUT', { id, positions, digest }),
  kinds: async () => (await json<{ kinds: ComponentKind[] }>('/api/kinds')).kinds,
  start: (request: RunRequest) => json<{ run: string }>('/api/runs', 'POST', request),
  runs: async () => (await json<{ runs: ListedRun[] }>('/api/runs')).runs,
  cancel: async (run: string) => {
    await ask(`/api/runs/${q(run)}`, { method: 'DELETE', headers: { 'Content-Type': 'application/json' } })
  },
  runPlayback: (run: string) => file(`/api/runs/${q(run)}/playback`),
  report: (run: string) => `/api/runs/${q(run)}/report`,
  playback: () => file('/api/playback'),
}

/** Follows a run until it has ended; returns what closes the stream. */
export function follow(
  run: string,
  onprogress: (share: number, text: string) => void,
  onfound: (found: Found) => void,
  ondone: (done: Done) => void,
): () => void {
  const stream = new EventSource(`/api/runs/${q(run)}/progress`)
  stream.addEventListener('progress', (event: MessageEvent<string>) => {
    const { share, text } = JSON.parse(event.data) as { share: number; text: string }
    onprogress(share, text)
  })
  stream.addEventListener('found', (event: MessageEvent<string>) => {
    onfound(JSON.parse(event.data) as Found)
  })
  stream.addEventListener('done', (event: MessageEvent<string>) => {
    stream.close()
    ondone(JSON.parse(event.data) as Done)
  })
  stream.addEventListener('error', () => {
    // A stream that is refused is not tried again by the browser.
    if (stream.readyState === EventSource.CLOSED) {
      ondone({ state: 'failed', error: 'The studio no longer knows this run.' })
    }
  })
  return () => stream.close()
}

export function sentence(error: unknown): string {
  if (error instanceof ApiFault) return plain(error.hint === null ? error.message : `${error.message} ${error.hint}`)
  return error instanceof Error ? error.message : String(error)
}
