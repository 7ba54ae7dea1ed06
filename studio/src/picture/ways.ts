/** The ways of frames from port to port, each made when it is first asked for. */

import { middle } from './drawing'
import type { Drawing } from './drawing'
import { Path } from './geometry'

export function ways(drawing: Drawing): (from: number, to: number) => Path {
  const known = new Map<number, Path>()
  return (from, to) => {
    const key = from * 65536 + to
    let path = known.get(key)
    if (path === undefined) {
      path = way(drawing, from, to)
      known.set(key, path)
    }
    return path
  }
}

function way(drawing: Drawing, from: number, to: number): Path {
  const { anchors, system } = drawing
  const [a, b] = [anchors[from], anchors[to]]
  const network = system.ports[from]?.network ?? null
  if (network !== null && network === (system.ports[to]?.network ?? null)) {
    const ring = drawing.rings.find((one) => one.network === network)
    const [s, e] = [ring?.at.get(from), ring?.at.get(to)]
    if (ring !== undefined && s !== undefined && e !== undefined) {
      if (s === e && from !== to) return new Path([a!, a!])
      return ring.ring.way(s, e)
    }
    const hub = drawing.hubs.get(network)
    if (hub !== undefined && a != null && b != null) {
      const { x } = middle(drawing.nodes[hub]!)
      return new Path([a, { x, y: a.y }, { x, y: b.y }, b])
    }
  }
  const points = [a, b].filter((point) => point != null)
  return new Path(points.length === 0 ? [{ x: 0, y: 0 }] : points.length === 1 ? [points[0]!, points[0]!] : points)
}
