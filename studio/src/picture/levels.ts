/** Which groups are folded, and the level of each thing and network between the hosts and the devices. */

import type { System } from './system'

export interface Folding {
  /** Whether a group is folded, where the user has chosen it. */
  chosen: ReadonlyMap<string, boolean>
  /** How many boxes may be shown before groups are folded by themselves. */
  most: number
}

/** Which groups are folded. */
export function foldedGroups(system: System, folding: Folding): Set<string> {
  const sizes = new Map<string, number>()
  for (const thing of system.things) sizes.set(thing.group, (sizes.get(thing.group) ?? 0) + 1)
  const onRing = new Set<string>()
  for (const port of system.ports) {
    if (port.thing === null || port.network === null) continue
    if (system.networks[port.network]!.drawn === 'ring') onRing.add(system.things[port.thing]!.group)
  }
  const folded = new Set<string>()
  let shown = system.things.length
  const bySize = [...sizes].filter(([, size]) => size > 1).sort((a, b) => b[1] - a[1])
  for (const [group, size] of bySize) {
    const chosen = folding.chosen.get(group)
    const many = size > (onRing.has(group) ? 140 : 24) || (shown > folding.most && size > 4)
    if (chosen ?? many) {
      folded.add(group)
      shown -= size - 1
    }
  }
  return folded
}

/** The level of each thing and of each network; what starts requests is at level 0. */
export function levels(system: System): { things: Int32Array; networks: Int32Array } {
  const count = system.things.length
  const all = count + system.networks.length
  const edges: number[][] = Array.from({ length: all }, () => [])
  const started = new Set<number>()
  for (const port of system.ports) {
    if (port.side === 'initiator' && port.network !== null) started.add(port.network)
  }
  const initiates = new Set(system.ports.filter((port) => port.side === 'initiator').map((port) => port.thing))
  for (const port of system.ports) {
    if (port.thing === null || port.network === null) continue
    const network = count + port.network
    const crossingOut = port.side === 'crossing' && !started.has(port.network)
    const passive = port.side !== 'initiator' && port.side !== 'target' && port.side !== 'crossing'
    if (port.side === 'initiator' || crossingOut || (passive && initiates.has(port.thing)))
      edges[port.thing]!.push(network)
    else edges[network]!.push(port.thing)
  }
  for (const [from, to] of system.joins) edges[from]!.push(to)
  const level = new Int32Array(all)
  const state = new Uint8Array(all)
  const orderOf: number[] = []
  const backs = new Set<string>()
  for (let root = 0; root < all; root += 1) {
    const stack: [number, number][] = state[root] === 0 ? [[root, 0]] : []
    if (stack.length > 0) state[root] = 1
    while (stack.length > 0) {
      const top = stack[stack.length - 1]!
      const next = edges[top[0]]![top[1]]
      top[1] += 1
      if (next === undefined) {
        state[top[0]] = 2
        orderOf.push(top[0])
        stack.pop()
      } else if (state[next] === 1) backs.add(`${String(top[0])} ${String(next)}`)
      else if (state[next] === 0) {
        state[next] = 1
        stack.push([next, 0])
      }
    }
  }
  for (const from of orderOf.reverse()) {
    for (const to of edges[from]!) {
      if (!backs.has(`${String(from)} ${String(to)}`)) level[to] = Math.max(level[to]!, level[from]! + 1)
    }
  }
  return { things: level.slice(0, count), networks: level.slice(count) }
}
