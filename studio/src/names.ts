/** Names of what is drawn, when the components of a scenario change. */

import type { Graph } from './file/graph'
import type { Point } from './picture/geometry'
import type { Positions } from './picture/positions'
import { Owners } from './picture/system'

/** Whether what has this name belongs to a component of the graph. */
export function isIn(graph: Graph, name: string): boolean {
  return new Owners(graph).find(name.replace(/ at .*$/, '')) !== undefined
}

/** The component that one graph has and another has not, if it is one alone. */
function onlyNew(graph: Graph, before: Graph): { name: string; kind: string } | null {
  const known = new Set(before.components.map((one) => one.name))
  const found = graph.components.filter((one) => !known.has(one.name))
  return found.length === 1 ? found[0]! : null
}

/** Positions for the names of a component that was renamed: one is gone, and one of its kind has come. */
export function renamed(positions: Positions, before: Graph, after: Graph): Map<string, Point> {
  const [gone, come] = [onlyNew(before, after), onlyNew(after, before)]
  const found = new Map<string, Point>()
  if (gone === null || come === null || gone.kind !== come.kind) return found
  const of = new Owners(before)
  for (const [name, point] of positions) {
    const [first = '', ...rest] = name.split(' at ')
    if (of.find(first)?.component.name !== gone.name) continue
    found.set([first, ...rest].map((one) => come.name + one.slice(gone.name.length)).join(' at '), point)
  }
  return found
}
