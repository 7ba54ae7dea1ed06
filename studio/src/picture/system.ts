/** What is to be drawn, from the header of a file or from a graph alone: things with their ports, networks, switches. */

import type { Drawn, Header } from '../file/format'
import type { Graph, GraphComponent } from '../file/graph'

export interface Thing {
  name: string
  /** The component of the scenario that it is a member of. */
  group: string
  kind: string
  /** How many members the group has. */
  members: number
  /** What is inside it: components, and workloads at a host. */
  parts: { name: string; kind: string }[]
}

export interface Port {
  name: string
  network: number | null
  /** The thing that it belongs to; null for a port of a switch. */
  thing: number | null
  switch: number | null
  peer: number | null
  side: string
  address: string | null
}

export interface System {
  networks: { name: string; drawn: Drawn }[]
  things: Thing[]
  ports: Port[]
  switches: { name: string; network: number }[]
  /** Cables between switches, where the ports do not tell them. */
  cables: [number, number][]
  /** Requests from thing to thing. */
  joins: [number, number][]
}

/** The component to which a name belongs, and its member. */
export class Owners {
  private readonly byName = new Map<string, GraphComponent>()

  constructor(graph: Graph) {
    for (const component of graph.components) this.byName.set(component.name, component)
  }

  component(name: string): GraphComponent | undefined {
    return this.byName.get(name)
  }

  /** The longest name of a component with which `name` begins, at a dot or bracket. */
  find(name: string): { component: GraphComponent; member: string } | undefined {
    let end = name.length
    while (end > 0) {
      const component = this.byName.get(name.slice(0, end))
      if (component !== undefined) {
        const index = /^\[\d+\]/.exec(name.slice(end))?.[0] ?? ''
        return { component, member: component.members > 1 ? component.name + index : component.name }
      }
      const dot = name.lastIndexOf('.', end - 1)
      const bracket = name.lastIndexOf('[', end - 1)
      end = Math.max(dot, bracket)
    }
    return undefined
  }

  /** The component that this one is inside of in the end. */
  outer(component: GraphComponent): GraphComponent {
    let at = component
    for (let up = 0; up < 16 && at.within != null; up += 1) {
      const next = this.byName.get(at.within)
      if (next === undefined) break
      at = next
    }
    return at
  }
}

/** The name of the thing to which a station, component or part belongs. */
export function thingOf(owners: Owners, name: string): string {
  const found = owners.find(name)
  if (found === undefined) return name.split('.')[0] ?? name
  const outer = owners.outer(found.component)
  return outer === found.component ? found.member : outer.name
}

class Builder {
  readonly things: Thing[] = []
  readonly byName = new Map<string, number>()

  constructor(readonly owners: Owners) {}

  thing(name: string): number {
    const known = this.byName.get(name)
    if (known !== undefined) return known
    const component = this.owners.find(name)?.component
    const number = this.things.length
    this.things.push({
      name,
      group: component?.name ?? name,
      kind: component?.kind ?? '',
      members: component?.members ?? 1,
      parts: [],
    })
    this.byName.set(name, number)
    return number
  }
}

function membersOf(component: GraphComponent): string[] {
  if (component.members <= 1) return [component.name]
  return Array.from({ length: component.members }, (_, n) => `${component.name}[${String(n)}]`)
}

/** Adds what the graph says of things, parts and requests. */
function fill(builder: Builder, graph: Graph, networks: Set<string>): [number, number][] {
  const { owners } = builder
  const incoming = new Set(graph.links.filter((link) => link.flows === 'requests').map((link) => link.to))
  const sources = new Map<string, string>()
  for (const link of graph.links) {
    const from = owners.component(link.from)
    if (link.flows !== 'requests' || from === undefined || incoming.has(link.from)) continue
    if (from.ports.length === 0 && from.within == null && !sources.has(link.from)) sources.set(link.from, link.to)
  }
  for (const component of graph.components) {
    if (networks.has(component.name) || component.inside !== null) continue
    if (component.within != null || sources.has(component.name)) continue
    for (const member of membersOf(component)) builder.thing(member)
  }
  const inner = (component: GraphComponent, into: string): void => {
    const place = builder.byName.get(into)
    if (place !== undefined) builder.things[place]!.parts.push({ name: component.name, kind: component.kind })
  }
  for (const component of graph.components) {
    const source = sources.get(component.name)
    if (component.within != null) inner(component, owners.outer(component).name)
    else if (source !== undefined) {
      const target = owners.component(source)
      if (target !== undefined) inner(component, membersOf(owners.outer(target))[0] ?? source)
    }
  }
  const joins: [number, number][] = []
  for (const link of graph.links) {
    if (link.flows !== 'requests' || sources.has(link.from)) continue
    const [from, to] = [owners.component(link.from), owners.component(link.to)]
    if (from === undefined || to === undefined) continue
    const [a, b] = [owners.outer(from), owners.outer(to)]
    if (a === b) continue
    for (const one of membersOf(a)) {
      for (const other of membersOf(b)) {
        const pair: [number | undefined, number | undefined] = [builder.byName.get(one), builder.byName.get(other)]
        if (pair[0] !== undefined && pair[1] !== undefined) joins.push([pair[0], pair[1]])
      }
    }
  }
  return joins
}

/** The system of a playback file. */
export function systemOfHeader(header: Header): System {
  const builder = new Builder(new Owners(header.graph))
  const networks = header.networks.map(({ name, drawn }) => ({ name, drawn }))
  const joins = fill(builder, header.graph, new Set(networks.map((network) => network.name)))
  const switches: { name: string; network: number }[] = []
  const known = new Map<string, number>()
  const switchOf = (network: number, name: string): number => {
    const key = `${String(network)} ${name}`
    let number = known.get(key)
    if (number === undefined) {
      number = switches.length
      switches.push({ name, network })
      known.set(key, number)
    }
    return number
  }
  const ports = header.stations.map((station): Port => {
    const network = station.network ?? null
    const at = station.switch != null && network !== null ? switchOf(network, station.switch) : null
    return {
      name: station.name,
      network,
      thing: at === null && station.role !== 'inner' ? builder.thing(thingOf(builder.owners, station.name)) : null,
      switch: at,
      peer: station.peer ?? null,
      side: station.role,
      address: station.address ?? null,
    }
  })
  return { networks, things: builder.things, ports, switches, cables: [], joins }
}

/** The system of a graph alone; `drawn` tells how a network is drawn if the graph does not. */
export function systemOfGraph(graph: Graph, drawn: (name: string) => Drawn | undefined = () => undefined): System {
  const used = new Set(graph.components.flatMap((component) => component.ports.map((port) => port.on)))
  const isNetwork = (component: GraphComponent): boolean =>
    used.has(component.name) || component.inside !== null || component.drawn != null
  const found = graph.components.filter(isNetwork)
  const numbers = new Map(found.map((component, n) => [component.name, n]))
  const networks = found.map((component) => ({
    name: component.name,
    drawn: component.drawn ?? drawn(component.name) ?? (component.inside ? ('places' as const) : ('box' as const)),
  }))
  const builder = new Builder(new Owners(graph))
  const joins = fill(builder, graph, new Set(numbers.keys()))
  const switches: { name: string; network: number }[] = []
  const cables: [number, number][] = []
  const at = new Map<string, number>()
  for (const [network, component] of found.entries()) {
    for (const place of component.inside?.places ?? []) {
      at.set(`${component.name} ${place}`, switches.length)
      switches.push({ name: place, network })
    }
    for (const link of component.inside?.links ?? []) {
      const [a, b] = [at.get(`${component.name} ${link.from}`), at.get(`${component.name} ${link.to}`)]
      if (a !== undefined && b !== undefined) cables.push([a, b])
    }
  }
  const ports: Port[] = []
  const add = (name: string, network: number, side: string, where: number | null): void => {
    const thing = builder.byName.get(thingOf(builder.owners, name))
    if (thing === undefined) return
    ports.push({ name, network, thing, switch: null, peer: null, side, address: null })
    if (where === null) return
    ports[ports.length - 1]!.peer = ports.length
    const peer = ports.length - 1
    ports.push({ name: '', network, thing: null, switch: where, peer, side: 'inner', address: null })
  }
  // Networks list their stations in the order of the links to them.
  const sides = new Map(graph.components.flatMap((one) => one.ports.map((port) => [port.name, port] as const)))
  for (const [network, component] of found.entries()) {
    if (component.inside !== null) {
      for (const node of component.inside.nodes) {
        const where = at.get(`${component.name} ${node.at}`) ?? null
        add(node.name, network, sides.get(node.listed)?.side ?? 'target', where)
      }
      continue
    }
    for (const link of graph.links) {
      if (link.to !== component.name || link.flows === 'requests') continue
      const owner = builder.owners.find(link.from)
      if (owner === undefined) continue
      const outer = builder.owners.outer(owner.component)
      const tail = link.from.slice(owner.component.name.length)
      const names = outer === owner.component ? membersOf(outer).map((name) => name + tail) : [link.from]
      for (const name of names) add(name, network, sides.get(link.from)?.side ?? 'target', null)
    }
  }
  return { networks, things: builder.things, ports, switches, cables, joins }
}
