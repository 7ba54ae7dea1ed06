/** Why a request waits: from its line of the ledger to what works at that place, and for whom. */

import { NONE } from '../file/format'
import { lower, upper } from '../file/intervals'
import type { Recording } from '../file/recording'
import { nameOf as rowName } from '../file/requests'
import type { Model } from '../picture/model'
import { duration } from '../text'

export interface Reason {
  text: string
  /** The request that holds what is waited for. */
  request: number | null
  /** The component to look at. */
  thing: string | null
}

export interface Why {
  request: number
  line: number | null
  waits: boolean
  since: number
  until: number
  place: string
  thing: string | null
  reasons: Reason[]
}

/** The dwell of `row` at `time`, or of the deepest part that is open then. */
export function dwellAt(recording: Recording, row: number, time: number): { row: number; dwell: number } | null {
  const { dwells } = recording
  for (const one of recording.requests.family(row)) {
    for (const dwell of recording.dwellsOfRequest.rows(one)) {
      if (dwells.t0[dwell]! <= time && dwells.end[dwell]! > time) return { row: one, dwell }
    }
  }
  return null
}

function nameOf({ requests }: Recording, request: number): string {
  const row = requests.row(request)
  return row === undefined ? `request ${String(request)}` : rowName(requests.rows, row)
}

export function why(recording: Recording, model: Model, request: number, time: number): Why | null {
  const row = recording.requests.row(request)
  const found = row === undefined ? null : dwellAt(recording, row, time)
  if (found === null) return null
  const { dwells, jobs, moves } = recording
  const { header, system } = model
  const line = dwells.line[found.dwell]!
  const rows = recording.requests.rows
  const number = rows.number[found.row]!
  const where = model.where(line, dwells.component[found.dwell]!, rows.device[found.row]!, rows.workload[found.row]!)
  const reasons: Reason[] = []
  const said = new Set<string>()
  const say = (text: string, other: number | null, thing: number | null): void => {
    if (said.has(text)) return
    said.add(text)
    const of = other === null || other === NONE ? null : other
    reasons.push({ text, request: of, thing: thing === null ? null : system.things[thing]!.name })
  }
  const family = new Set(recording.requests.family(found.row).map((one) => rows.number[one]!))
  const lanesAt = (lanes: readonly number[], thing: number | null): void => {
    for (const lane of lanes) {
      const { what } = header.lanes[lane]!
      const label = model.laneName(lane)
      if (what === 'block' || what === 'buffers') {
        const open = recording.jobsAt(lane, time)
        const others = open.filter((job) => !family.has(jobs.request[job]!))
        for (const job of open.slice(0, 6)) {
          const own = family.has(jobs.request[job]!)
          if (own && others.length > 0) continue
          const holds = what === 'block' ? 'works for' : 'holds a frame of'
          const whose =
            jobs.request[job] === NONE ? 'no request' : own ? 'this request' : nameOf(recording, jobs.request[job]!)
          say(`${label} ${holds} ${whose}, for ${duration(jobs.end[job]! - time)} more.`, jobs.request[job]!, thing)
        }
        if (open.length > 6) say(`${label} holds ${String(open.length)} frames.`, null, thing)
      } else if (what === 'state') {
        const value = recording.steps.at(lane, time)
        const name = header.lanes[lane]!.states?.[value]
        if (name !== undefined && value !== 0) {
          const since = recording.steps.since(lane, time) ?? time
          say(`${label} is ${name} since ${duration(time - since)}.`, null, thing)
        }
      } else {
        const value = recording.steps.at(lane, time)
        if (value > 0) say(`${label}: ${String(value)}.`, null, thing)
      }
    }
  }
  const networks = new Set<number>()
  if (where.thing !== null) {
    for (const component of model.devicesOfThing[where.thing]!) {
      const phase = recording.phaseAt(component, time)
      if (phase < 0) continue
      const other = dwells.request[phase]!
      const own = family.has(other)
      const label = header.lines[dwells.line[phase]!]!.label
      const name = header.components[component]!.name
      const whose = own ? 'this request' : nameOf(recording, other)
      say(`${name} is in ${label} for ${whose}, for ${duration(dwells.end[phase]! - time)} more.`, other, where.thing)
    }
    lanesAt(model.lanesOfThing[where.thing]!, where.thing)
    for (const port of system.ports) if (port.thing === where.thing && port.network !== null) networks.add(port.network)
  }
  if (where.network !== null) networks.add(where.network)
  const waits = header.lines[line]?.waits ?? false
  if (networks.size > 0) {
    // The frames that are on the networks of the place now, and the ports that hold these networks.
    for (const row_ of recording.movesOpen.openAt(time)) {
      const network = system.ports[moves.from[row_]!]?.network
      if (network == null || !networks.has(network)) continue
      const kind = header.kinds[moves.kind[row_]!]
      const [a, b] = [model.stationName(moves.from[row_]!), model.stationName(moves.to[row_]!)]
      const whose = moves.request[row_] === NONE ? '' : ` of ${nameOf(recording, moves.request[row_]!)}`
      const text = `${kind?.name ?? 'A frame'}${whose} is on ${header.networks[network]!.name}, from ${a} to ${b}.`
      say(text, moves.request[row_]!, system.ports[moves.from[row_]!]?.thing ?? null)
    }
    const inState = new Map<string, number[]>()
    for (const [station, port] of system.ports.entries()) {
      if (port.network === null || !networks.has(port.network) || port.thing === where.thing) continue
      const lane = model.stateLane[station]!
      if (lane < 0) continue
      const value = recording.steps.at(lane, time)
      const name = header.lanes[lane]!.states?.[value]
      if (name === undefined || value === 0) continue
      const alike = inState.get(name) ?? []
      alike.push(station)
      inState.set(name, alike)
    }
    for (const [name, alike] of inState) {
      if (alike.length > 3)
        say(
          `${String(alike.length)} ports are ${name}: ${alike.map((n) => model.stationName(n)).join(', ')}.`,
          null,
          null,
        )
      else {
        for (const station of alike) {
          const since = time - (recording.steps.since(model.stateLane[station]!, time) ?? time)
          const thing = system.ports[station]!.thing
          say(
            `${model.stationName(station)} is ${name} since ${duration(since)}.`,
            holder(recording, station, time),
            thing,
          )
        }
      }
    }
  }
  const ahead = waitingBefore(recording, found.dwell, time)
  if (waits && ahead.length > 0) {
    const [first] = ahead
    const whose = nameOf(recording, dwells.request[first!]!)
    say(
      `${String(ahead.length)} in the same line came earlier, the first is ${whose}.`,
      dwells.request[first!]!,
      where.thing,
    )
  }
  const until = dwells.end[found.dwell]!
  // Where the recording ends while it waits, what its port sends is not known.
  if (header.lines[line]?.segment === 'port_queue' && dwellAt(recording, found.row, until) !== null) {
    const own = moves.request.indexOf(number, lower(moves.t0, until))
    if (own >= 0) {
      const { text, first } = sentBefore(recording, model, own, time)
      say(`Until it goes on, ${text}.`, first, where.thing)
    }
  }
  const place = header.lines[line]?.place ?? ''
  return {
    request: number,
    line,
    waits,
    since: dwells.t0[found.dwell]!,
    until,
    place: where.thing === null ? place : system.things[where.thing]!.name,
    thing: where.thing === null ? null : system.things[where.thing]!.name,
    reasons,
  }
}

/** The request of the last move from or to a station. */
function holder(recording: Recording, station: number, time: number): number | null {
  const { moves } = recording
  const last = upper(moves.t0, time) - 1
  for (let row = last; row >= 0 && row > last - 400; row -= 1) {
    if (moves.from[row] === station || moves.to[row] === station) return moves.request[row]!
  }
  return null
}

/** The dwells of others in the same line that began earlier and are open still. */
function waitingBefore(recording: Recording, dwell: number, time: number): number[] {
  const { dwells, requests } = recording
  const device = (row: number): number => requests.rows.device[requests.row(dwells.request[row]!) ?? -1] ?? -1
  return recording.dwellsOpen
    .openAt(time)
    .filter(
      (row) =>
        row !== dwell &&
        dwells.line[row] === dwells.line[dwell] &&
        dwells.t0[row]! < dwells.t0[dwell]! &&
        device(row) === device(dwell),
    )
}

/** The other frames that a port sends from `time` on until it sends a move: their text, and the request of the first. */
function sentBefore(
  recording: Recording,
  model: Model,
  move: number,
  time: number,
): { text: string; first: number | null } {
  const { moves } = recording
  const port = moves.from[move]!
  const requests = recording.movesOpen
    .within(time, moves.t0[move]!)
    .filter(
      (row) =>
        moves.from[row] === port && row !== move && moves.frame[row] !== NONE && moves.t0[row]! + moves.dt[row]! > time,
    )
    .map((row) => moves.request[row]!)
  const whose = [...new Set(requests)].map((one) => nameOf(recording, one))
  let text = `${model.stationName(port)} sends ${String(requests.length)} others`
  if (whose.length > 0) text += ` (${whose.slice(0, 5).join(', ')}${whose.length > 5 ? ', ...' : ''})`
  return { text, first: requests[0] ?? null }
}

/** What happens to a frame, in order: its links, and where it is held and what its port sends meanwhile. */
export function story(recording: Recording, model: Model, frame: number): { time: number; text: string }[] {
  const { moves, jobs } = recording
  const found: { time: number; text: string }[] = []
  const hops: number[] = []
  for (let row = 0; row < moves.count; row += 1) if (moves.frame[row] === frame) hops.push(row)
  for (const row of hops) {
    const [a, b] = [model.stationName(moves.from[row]!), model.stationName(moves.to[row]!)]
    found.push({ time: moves.t0[row]!, text: `sent from ${a} to ${b} in ${duration(moves.dt[row]!)}` })
  }
  for (let job = 0; job < jobs.count; job += 1) {
    const lane = jobs.lane[job]!
    if (jobs.frame[job] !== frame || model.header.lanes[lane]?.what !== 'buffers') continue
    const next = hops.find(
      (row) =>
        moves.t0[row]! >= jobs.t0[job]! && model.system.ports[moves.from[row]!]?.switch === model.switchOfLane[lane],
    )
    let text = `held in ${model.laneName(lane)} for ${duration(jobs.end[job]! - jobs.t0[job]!)}`
    if (next !== undefined && moves.t0[next]! > jobs.t0[job]!) {
      const port = moves.from[next]!
      text += `; until it goes on, ${sentBefore(recording, model, next, jobs.t0[job]!).text}`
      const middle = (jobs.t0[job]! + moves.t0[next]!) / 2
      for (const one of model.lanesOfSwitch[model.switchOfLane[lane]!] ?? []) {
        const { what, station, label } = model.header.lanes[one]!
        if (what === 'gauge' && station === port) text += `, ${label}: ${String(recording.steps.at(one, middle))}`
      }
    }
    found.push({ time: jobs.t0[job]!, text })
  }
  return found.sort((a, b) => a.time - b.time)
}
