/** The positions of a scenario's picture: shown at once, and kept in the file beside it. */

import { api, ApiFault } from './api'
import type { Graph } from './file/graph'
import { isIn, renamed } from './names'
import type { Point } from './picture/geometry'
import type { Positions } from './picture/positions'

export class PositionsOf {
  at = $state.raw<Positions>(new Map())
  /** Why they are not kept in a file; null if they are. */
  unkept = $state<string | null>(null)
  /** The positions before all were derived again, until the next is chosen. */
  before = $state.raw<Positions | null>(null)
  private digest: string | null = null
  /** The names whose positions the file does not have yet. */
  private readonly changed = new Set<string>()
  private saving: Promise<void> | null = null

  private constructor(readonly id: string) {}

  static async open(id: string): Promise<PositionsOf> {
    const made = new PositionsOf(id)
    await made.read()
    return made
  }

  private async read(): Promise<void> {
    const { positions, digest, unkept } = await api.layout(this.id)
    const read = new Map(Object.entries(positions).map(([name, [x, y]]) => [name, { x, y }]))
    for (const name of this.changed) {
      const own = this.at.get(name)
      if (own === undefined) read.delete(name)
      else read.set(name, own)
    }
    this.at = read
    this.digest = digest
    this.unkept = unkept
  }

  /** Shows something at a place; `keep` makes it last. */
  place(name: string, at: Point): void {
    this.at = new Map([...this.at, [name, at]])
  }

  async keep(names: Iterable<string>): Promise<void> {
    this.before = null
    await this.change(names)
  }

  private async change(names: Iterable<string>): Promise<void> {
    for (const name of names) this.changed.add(name)
    this.saving ??= this.save().finally(() => (this.saving = null))
    await this.saving
  }

  /** Derives all positions again. */
  async arrange(): Promise<void> {
    const before = this.at
    this.at = new Map()
    await this.keep(before.keys())
    this.before = before
  }

  /** Takes back that all positions were derived again. */
  async putBack(): Promise<void> {
    this.at = this.before ?? this.at
    await this.keep(this.at.keys())
  }

  /** Gives a renamed component the position that it had under its name before. */
  follow(before: Graph, after: Graph): void {
    const found = renamed(this.at, before, after)
    if (found.size === 0) return
    this.at = new Map([...this.at, ...found])
    for (const name of found.keys()) this.changed.add(name)
  }

  /** Drops what no component of the stored text has, and keeps the rest. */
  async drop(graph: Graph): Promise<void> {
    if (this.at.size === 0) return
    const names = [...this.at.keys()]
    this.at = new Map([...this.at].filter(([name]) => isIn(graph, name)))
    await this.change(names)
  }

  /** Writes what has changed; what another window has moved meanwhile stays there. */
  private async save(): Promise<void> {
    for (let tries = 0; this.changed.size > 0 && this.unkept === null; tries += 1) {
      const names = [...this.changed]
      const written = this.at
      try {
        const positions = Object.fromEntries([...written].map(([name, { x, y }]) => [name, [x, y] as [number, number]]))
        this.digest = (await api.saveLayout(this.id, positions, this.digest)).digest
        for (const name of names) if (this.at.get(name) === written.get(name)) this.changed.delete(name)
      } catch (error) {
        if (!(error instanceof ApiFault) || error.code !== 'changed' || tries > 4) throw error
        await this.read()
      }
    }
  }
}
