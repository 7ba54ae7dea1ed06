/** The answer of `sansim graph --json`. */

import type { Drawn } from './format'

export interface GraphPort {
  name: string
  flows: string
  side: string
  on: string | null
}

export interface GraphInside {
  places: string[]
  links: { name: string; from: string; to: string }[]
  nodes: { name: string; listed: string; at: string }[]
}

export interface GraphComponent {
  name: string
  kind: string
  members: number
  ports: GraphPort[]
  inside: GraphInside | null
  within?: string | null
  /** How a network is drawn, if the graph says it. */
  drawn?: Drawn | null
}

export interface Graph {
  components: GraphComponent[]
  links: { from: string; to: string; flows: string }[]
}
