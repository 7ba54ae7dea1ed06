/** The header and the index of a playback file, as the recorder writes them. */

import type { Graph } from './graph'

/** "None" in a column of four and of two bytes. */
export const NONE = 0xffffffff
export const NONE16 = 0xffff

export const FLAG_WRITE = 1
export const FLAG_BACKGROUND = 2
export const FLAG_OPEN = 4

export type Drawn = 'ring' | 'places' | 'box'

export interface Network {
  name: string
  drawn: Drawn
  word_ns?: number | null
}

export interface Station {
  name: string
  network: number | null
  address?: string | null
  role: string
  switch?: string | null
  link?: string | null
  peer?: number | null
  delay_ns?: number | null
}

export interface Part {
  name: string
  station?: number | null
  unit?: number | null
}

export interface Lane {
  what: 'state' | 'gauge' | 'block' | 'buffers'
  name: string
  label: string
  meaning?: string | null
  component?: number | null
  station?: number | null
  states?: string[] | null
}

export interface Kind {
  name: string
  meaning?: string | null
  signal: boolean
  colour: string
}

export interface Line {
  place: string
  segment: string
  label: string
  meaning?: string | null
  waits: boolean
  colour: string
  device?: boolean
}

export interface Workload {
  name: string
  host: string
  station?: number | null
}

export interface Header {
  sansim: string
  title: string
  networks: Network[]
  stations: Station[]
  components: Part[]
  lines: Line[]
  devices: Part[]
  workloads: Workload[]
  tables: Record<string, [string, string][]>
  graph: Graph
}

/** The header with what the index says of lanes and kinds. */
export interface Names extends Header {
  lanes: Lane[]
  kinds: Kind[]
}

export interface ChunkPlace {
  offset: number
  length: number
  base_ns: number
  from_ns: number
  to_ns: number
  rows: Record<string, number>
}

export interface FileIndex {
  windows: [number, number][]
  limited: boolean
  events: { t_ns: number; text: string }[]
  lanes: Lane[]
  kinds: Kind[]
  chunks: ChunkPlace[]
}

/** A fault of the file, said to the user. */
export class FileFault extends Error {}
