/** The container of a playback file: header, index, and chunks that are inflated when they are wanted. */

import { FileFault } from './format'
import type { ChunkPlace, FileIndex, Header, Names } from './format'

export type Column = Uint8Array | Uint16Array | Uint32Array
export type Table = Record<string, Column>

export interface Chunk {
  place: ChunkPlace
  rows: Record<string, number>
  tables: Record<string, Table>
}

const MAGIC = 0x504e4153 // "SANP", little-endian
const FORMAT = 1
const WIDTHS: Record<string, number> = { u1: 1, u2: 2, u4: 4 }

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))
  return await new Response(stream).arrayBuffer()
}

function parsed(bytes: Uint8Array, what: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new FileFault(`The ${what} of the playback file is damaged.`)
  }
}

function view(buffer: ArrayBuffer, type: string, offset: number, rows: number): Column {
  if (type === 'u1') return new Uint8Array(buffer, offset, rows)
  if (type === 'u2') return new Uint16Array(buffer, offset, rows)
  return new Uint32Array(buffer, offset, rows)
}

export class PlaybackFile {
  private constructor(
    private readonly bytes: Uint8Array<ArrayBuffer>,
    readonly header: Names,
    readonly index: FileIndex,
  ) {}

  /** The file in `bytes`; its chunks stay as they are. */
  static open(bytes: Uint8Array<ArrayBuffer>): PlaybackFile {
    const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const length = bytes.byteLength
    if (length < 20 || words.getUint32(0, true) !== MAGIC) throw new FileFault('This is no playback file of sansim.')
    const format = words.getUint32(4, true)
    if (format !== FORMAT) {
      throw new FileFault(`The file has playback format ${String(format)}, this page reads format ${String(FORMAT)}.`)
    }
    if (words.getUint32(length - 4, true) !== MAGIC)
      throw new FileFault('The playback file was not written to its end.')
    const headerLength = words.getUint32(8, true)
    const indexLength = words.getUint32(length - 8, true)
    if (12 + headerLength + indexLength + 8 > length) throw new FileFault('The playback file is damaged.')
    const header = parsed(bytes.subarray(12, 12 + headerLength), 'header') as Header
    const index = parsed(bytes.subarray(length - 8 - indexLength, length - 8), 'index') as FileIndex
    return new PlaybackFile(bytes, { ...header, lanes: index.lanes, kinds: index.kinds }, index)
  }

  /** The rows of all tables of all chunks. */
  rows(): number {
    let sum = 0
    for (const chunk of this.index.chunks) for (const rows of Object.values(chunk.rows)) sum += rows
    return sum
  }

  /** The tables of one chunk, as views of its inflated bytes. */
  async chunk(number: number): Promise<Chunk> {
    const place = this.index.chunks[number]
    if (place === undefined) throw new FileFault(`The playback file has no chunk ${String(number)}.`)
    let buffer: ArrayBuffer
    try {
      buffer = await inflate(this.bytes.slice(place.offset, place.offset + place.length))
    } catch {
      throw new FileFault(`Chunk ${String(number)} of the playback file is damaged.`)
    }
    const tables: Record<string, Table> = {}
    let offset = 0
    for (const [name, columns] of Object.entries(this.header.tables)) {
      const table: Table = {}
      const rows = place.rows[name] ?? 0
      for (const [column, type] of columns) {
        const width = WIDTHS[type]
        if (width === undefined) throw new FileFault(`Column ${name}.${column} has the unknown type ${type}.`)
        if (offset + rows * width > buffer.byteLength) throw new FileFault(`Chunk ${String(number)} is too short.`)
        table[column] = view(buffer, type, offset, rows)
        offset = (offset + rows * width + 3) & ~3
      }
      tables[name] = table
    }
    return { place, rows: place.rows, tables }
  }
}
