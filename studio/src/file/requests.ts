/** The requests of a recording with their parts. */

import { NONE } from './format'
import { Groups, Intervals } from './intervals'
import type { RequestRows } from './recording'

/** The name of a request: that of its I/O, if it belongs to one. */
export function nameOf({ io, number }: RequestRows, row: number): string {
  return io[row] === NONE ? `request ${String(number[row])}` : `I/O ${String(io[row])}`
}

export class Requests {
  readonly count: number
  readonly open: Intervals
  private readonly rowOf = new Map<number, number>()
  private readonly childrenOf: Groups

  constructor(readonly rows: RequestRows) {
    this.count = rows.count
    for (let row = 0; row < rows.count; row += 1) this.rowOf.set(rows.number[row]!, row)
    this.open = new Intervals(rows.t0, rows.end)
    const parents = rows.parent.map((parent) => (parent === NONE ? NONE : (this.rowOf.get(parent) ?? NONE)))
    this.childrenOf = new Groups(parents, rows.count)
  }

  /** The row of the request with this number. */
  row(number: number): number | undefined {
    return this.rowOf.get(number)
  }

  children(row: number): Uint32Array {
    return this.childrenOf.rows(row)
  }

  /** The request and all its parts, depth first. */
  family(row: number): number[] {
    const found: number[] = []
    const stack = [row]
    while (stack.length > 0 && found.length < 100_000) {
      const next = stack.pop()!
      found.push(next)
      const children = this.children(next)
      for (let n = children.length - 1; n >= 0; n -= 1) stack.push(children[n]!)
    }
    return found
  }
}
