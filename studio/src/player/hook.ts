/** What the tests read of the page: `window.__studio`. */

import type { Session } from './session.svelte'

export interface Hook {
  readonly time_ns: number
  setTime: (ns: number) => void
  moving: () => { kind: string; from: string; to: string; frame: number; share: number }[]
  state: (station: number) => string | null
  readonly playing: boolean
  readonly selection: { component: string | null; request: number | null; frame: number | null }
}

declare global {
  interface Window {
    __studio?: Hook
  }
}

/** Shows `session` to the tests; returns what takes it away again. */
export function hook(session: Session): () => void {
  const made: Hook = {
    get time_ns() {
      return session.clock.time
    },
    setTime: (ns) => session.reveal(ns),
    moving: () => {
      const { moves } = session.recording
      return session.moving.map(({ row, head }) => ({
        kind: session.file.header.kinds[moves.kind[row]!]?.name ?? '',
        from: session.model.stationName(moves.from[row]!),
        to: session.model.stationName(moves.to[row]!),
        frame: moves.frame[row]!,
        share: head,
      }))
    },
    state: (number) => {
      const lane = session.model.stateLane[number] ?? -1
      const value = lane < 0 ? null : session.recording.steps.at(lane, session.clock.time)
      return value === null ? null : (session.file.header.lanes[lane]!.states?.[value] ?? null)
    },
    get playing() {
      return session.clock.playing
    },
    get selection() {
      return { component: session.selected, request: session.request, frame: session.frame }
    },
  }
  window.__studio = made
  return () => {
    if (window.__studio === made) delete window.__studio
  }
}
