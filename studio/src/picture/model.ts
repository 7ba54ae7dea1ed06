/** The header once more, by what is drawn: which lanes are at which thing, and where a line of the ledger is. */

import { NONE16 } from '../file/format'
import type { Names } from '../file/format'
import { Owners, systemOfHeader, thingOf } from './system'
import type { System } from './system'

const COLOURS = ['#E69F00', '#56B4E9', '#009E73', '#D55E00', '#CC79A7', '#0072B2', '#F0E442', '#44AA99']
export const RESTING = '#8d949c'

export interface StateLook {
  name: string
  letter: string
  colour: string
}

/** A colour and a letter of its own for each state; the first is that of rest. */
export function looks(states: readonly string[]): StateLook[] {
  const used = new Set<string>()
  return states.map((name, n) => {
    const letters = name.toUpperCase().match(/[A-Z0-9]/g) ?? []
    const letter = letters.find((one) => !used.has(one)) ?? String(n)
    used.add(letter)
    return { name, letter, colour: n === 0 ? RESTING : COLOURS[(n - 1) % COLOURS.length]! }
  })
}

export class Model {
  readonly system: System
  readonly owners: Owners
  /** The lanes of each thing, and of each switch. */
  readonly lanesOfThing: number[][]
  readonly lanesOfSwitch: number[][]
  readonly thingOfLane: Int32Array
  /** The components of each thing that have phases of a device. */
  readonly devicesOfThing: number[][]
  readonly thingOfComponent: Int32Array
  readonly switchOfLane: Int32Array
  /** The state lane of each station; -1 if it has none. */
  readonly stateLane: Int32Array
  readonly looks: (StateLook[] | null)[]
  readonly thingByName = new Map<string, number>()
  readonly networkByName = new Map<string, number>()

  constructor(readonly header: Names) {
    this.system = systemOfHeader(header)
    this.owners = new Owners(header.graph)
    const { things, ports, switches } = this.system
    for (const [n, thing] of things.entries()) this.thingByName.set(thing.name, n)
    for (const [n, network] of header.networks.entries()) this.networkByName.set(network.name, n)
    this.lanesOfThing = things.map(() => [])
    this.lanesOfSwitch = switches.map(() => [])
    this.devicesOfThing = things.map(() => [])
    this.thingOfComponent = Int32Array.from(
      header.components,
      (one) => this.thingByName.get(thingOf(this.owners, one.name)) ?? -1,
    )
    const devices = new Set(header.devices.map((device) => device.name))
    for (const [n, thing] of this.thingOfComponent.entries()) {
      if (thing >= 0 && devices.has(header.components[n]!.name)) this.devicesOfThing[thing]!.push(n)
    }
    this.thingOfLane = new Int32Array(header.lanes.length).fill(-1)
    this.switchOfLane = new Int32Array(header.lanes.length).fill(-1)
    this.stateLane = new Int32Array(ports.length).fill(-1)
    this.looks = header.lanes.map((lane) => (lane.states == null ? null : looks(lane.states)))
    for (const [n, lane] of header.lanes.entries()) {
      const component =
        lane.component == null || lane.component === NONE16 ? undefined : header.components[lane.component]
      const station = lane.station ?? component?.station ?? null
      const port = station === null ? undefined : ports[station]
      if (lane.what === 'state' && station !== null && port !== undefined && this.stateLane[station]! < 0) {
        this.stateLane[station] = n
      }
      if (port?.switch != null) {
        this.switchOfLane[n] = port.switch
        this.lanesOfSwitch[port.switch]!.push(n)
        continue
      }
      const named = component === undefined ? undefined : this.thingByName.get(thingOf(this.owners, component.name))
      const thing = named ?? port?.thing ?? null
      if (thing === null) continue
      this.thingOfLane[n] = thing
      this.lanesOfThing[thing]!.push(n)
    }
  }

  /** The lanes of what a name selects: a thing, a switch, a part of a thing, or a group with all its members. */
  lanesOf(name: string): number[] {
    const thing = this.thingByName.get(name)
    if (thing !== undefined) return this.lanesOfThing[thing]!
    const { switches, networks, things } = this.system
    const at = switches.findIndex((one) => `${networks[one.network]!.name}.${one.name}` === name)
    if (at >= 0) return this.lanesOfSwitch[at]!
    return things.flatMap((one, n) => {
      const lanes = this.lanesOfThing[n]!
      if (one.group === name || name.startsWith(`${one.group} at`)) return lanes
      const isPart = one.parts.some((part) => part.name === name)
      return isPart ? lanes.filter((lane) => this.laneName(lane).startsWith(name)) : []
    })
  }

  stationName(station: number): string {
    return this.header.stations[station]?.name ?? '-'
  }

  laneName(lane: number): string {
    const one = this.header.lanes[lane]
    if (one === undefined) return '-'
    const component = one.component == null ? undefined : this.header.components[one.component]
    const station = one.station == null ? null : this.stationName(one.station)
    const named = component !== undefined && !this.networkByName.has(component.name)
    const owner = named ? component.name : (station ?? component?.name ?? '')
    return `${owner} ${one.label}`
  }

  /** The thing, or the network, at which a request with this device and workload is in this line of the ledger. */
  where(
    line: number,
    component: number,
    device: number,
    workload: number,
  ): { thing: number | null; network: number | null } {
    const member_ = component === NONE16 ? undefined : this.header.components[component]
    const known = member_ === undefined ? undefined : this.thingByName.get(thingOf(this.owners, member_.name))
    if (known !== undefined) return { thing: known, network: null }
    const place = this.header.lines[line]?.place ?? ''
    const network = this.networkByName.get(place) ?? this.networkByName.get(place.split('.')[0] ?? '')
    if (network !== undefined) return { thing: null, network }
    const found = this.owners.find(place)
    if (found === undefined) return { thing: null, network: null }
    const outer = this.owners.outer(found.component)
    const member = (name: string | undefined): number | null => {
      if (name === undefined) return null
      const thing = this.thingByName.get(thingOf(this.owners, name))
      return thing !== undefined && this.system.things[thing]!.group === outer.name ? thing : null
    }
    const exact = this.thingByName.get(found.member)
    const started = this.header.workloads[workload]
    return {
      thing: exact ?? member(this.header.devices[device]?.name) ?? member(started?.host) ?? this.first(outer.name),
      network: null,
    }
  }

  private first(group: string): number | null {
    const found = this.system.things.findIndex(
      (thing) => thing.group === group || thing.parts.some((p) => p.name === group),
    )
    return found < 0 ? null : found
  }
}
