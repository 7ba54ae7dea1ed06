/** How much of the recorded time of a span links and blocks are used. */

import { lower } from '../file/intervals'
import type { Recording } from '../file/recording'
import { recordedIn } from '../file/windows'
import type { Model } from './model'
import type { Layout } from './layout'

export interface Load {
  from: number
  to: number
  /** Use of a link by `from * 65536 + to`. */
  links: Map<number, number>
  /** Use of each hop of a ring, by network and place of the station before it. */
  rings: Map<number, { ports: number[]; use: Float64Array }>
  lanes: Float64Array
  things: Float64Array
  switches: Float64Array
  /** The fullest part: its name and use. */
  fullest: { name: string; use: number; thing: number | null; link: number | null } | null
}

export function loadOf(recording: Recording, model: Model, layout: Layout, from: number, to: number): Load {
  const span = Math.max(1, recordedIn(recording.index.windows, from, to))
  const links = new Map<number, number>()
  const rings = new Map<number, { ports: number[]; use: Float64Array }>()
  const place = new Int32Array(model.system.ports.length).fill(-1)
  for (const ring of layout.rings) {
    const ports = [...ring.at.keys()].sort((a, b) => a - b)
    for (const [n, port] of ports.entries()) place[port] = n
    rings.set(ring.network, { ports, use: new Float64Array(ports.length) })
  }
  const { moves, jobs } = recording
  const last = lower(moves.t0, to)
  let row = Math.max(0, lower(moves.t0, from - 5_000_000))
  for (; row < last; row += 1) {
    const sent = Math.min(moves.t0[row]! + moves.dt[row]!, to) - Math.max(moves.t0[row]!, from)
    if (sent <= 0) continue
    const [a, b] = [moves.from[row]!, moves.to[row]!]
    const network = model.system.ports[a]?.network
    const ring = network == null ? undefined : rings.get(network)
    if (ring === undefined || place[a]! < 0 || place[b] === undefined || place[b] < 0) {
      const key = a * 65536 + b
      links.set(key, (links.get(key) ?? 0) + sent / span)
      continue
    }
    const size = ring.ports.length
    let at = place[a]!
    do {
      ring.use[at]! += sent / span
      at = (at + 1) % size
    } while (at !== place[b])
  }
  const lanes = new Float64Array(model.header.lanes.length)
  for (const n of recording.jobsOpen.within(from, to)) {
    const lane = jobs.lane[n]!
    if (model.header.lanes[lane]?.what !== 'block') continue
    lanes[lane]! += (Math.min(jobs.end[n]!, to) - Math.max(jobs.t0[n]!, from)) / span
  }
  // A device works while a request is in one of its phases.
  const components = new Float64Array(model.header.components.length)
  const { dwells } = recording
  for (const n of recording.dwellsOpen.within(from, to)) {
    const component = dwells.component[n]!
    if (component >= components.length || model.header.lines[dwells.line[n]!]?.device !== true) continue
    components[component]! += (Math.min(dwells.end[n]!, to) - Math.max(dwells.t0[n]!, from)) / span
  }
  const things = new Float64Array(model.system.things.length)
  const switches = new Float64Array(model.system.switches.length)
  let fullest: Load['fullest'] = null
  const consider = (name: string, use: number, thing: number | null, link: number | null): void => {
    if (use > (fullest?.use ?? 0)) fullest = { name, use, thing, link }
  }
  for (const [lane, use] of lanes.entries()) {
    const thing = model.thingOfLane[lane]!
    if (thing >= 0) things[thing] = Math.max(things[thing]!, Math.min(1, use))
    if (use > 0 && thing >= 0) consider(model.laneName(lane), Math.min(1, use), thing, null)
  }
  for (const [component, use] of components.entries()) {
    const thing = model.thingOfComponent[component]!
    if (use === 0 || thing < 0) continue
    things[thing] = Math.max(things[thing]!, Math.min(1, use))
    consider(model.header.components[component]!.name, Math.min(1, use), thing, null)
  }
  for (const [key, use] of links) {
    const [a, b] = [Math.floor(key / 65536), key % 65536]
    const at = model.system.ports[a]?.switch
    if (at != null) switches[at] = Math.max(switches[at]!, use)
    consider(`${model.stationName(a)} to ${model.stationName(b)}`, use, null, key)
  }
  for (const { ports, use } of rings.values()) {
    for (const [n, share] of use.entries()) {
      const [a, b] = [ports[n]!, ports[(n + 1) % ports.length]!]
      consider(`${model.stationName(a)} to ${model.stationName(b)}`, Math.min(1, share), null, a * 65536 + b)
    }
  }
  return { from, to, links, rings, lanes, things, switches, fullest }
}
