/** What is open at a time: rows with a begin and an end, in order of their begins. */

const BLOCK = 256

/** The first number below `count` from which on something holds; `count` if there is none. */
export function first(count: number, holds: (n: number) => boolean): number {
  let low = 0
  while (low < count) {
    const middle = (low + count) >>> 1
    if (holds(middle)) count = middle
    else low = middle + 1
  }
  return low
}

/** The number of the first entry greater than `value` in the sorted `column`. */
export function upper(column: ArrayLike<number>, value: number): number {
  return first(column.length, (n) => column[n]! > value)
}

/** The number of the first entry that is not less than `value`. */
export function lower(column: ArrayLike<number>, value: number): number {
  return first(column.length, (n) => column[n]! >= value)
}

export class Intervals {
  private readonly latest: Float64Array

  /** `begin` is sorted; row n is open from `begin[n]` until just before `end[n]`. */
  constructor(
    readonly begin: Float64Array,
    readonly end: Float64Array,
  ) {
    this.latest = new Float64Array(Math.ceil(begin.length / BLOCK))
    for (let row = 0; row < end.length; row += 1) {
      const block = Math.floor(row / BLOCK)
      if (row % BLOCK === 0 || end[row]! > this.latest[block]!) this.latest[block] = end[row]!
    }
  }

  /** The rows that are open at `time`, in order. */
  openAt(time: number): number[] {
    return this.among(upper(this.begin, time), time)
  }

  /** The rows that are open at some time in [from, to). */
  within(from: number, to: number): number[] {
    return this.among(lower(this.begin, to), from)
  }

  private among(count: number, after: number): number[] {
    const rows: number[] = []
    for (let block = 0; block * BLOCK < count; block += 1) {
      if (this.latest[block]! <= after) continue
      const last = Math.min(count, (block + 1) * BLOCK)
      for (let row = block * BLOCK; row < last; row += 1) if (this.end[row]! > after) rows.push(row)
    }
    return rows
  }
}

/** How many of `rows`, which are in order of `begin`, begin not after `time`. */
export function countUntil(rows: Uint32Array, begin: Float64Array, time: number): number {
  return first(rows.length, (n) => begin[rows[n]!]! > time)
}

/** Rows sorted into groups: `rows(group)` are the numbers of its rows, in order. */
export class Groups {
  private readonly starts: Uint32Array
  private readonly order: Uint32Array

  constructor(keys: ArrayLike<number>, groups: number) {
    this.starts = new Uint32Array(groups + 1)
    for (let row = 0; row < keys.length; row += 1) {
      const key = keys[row]!
      if (key < groups) this.starts[key + 1]! += 1
    }
    for (let group = 0; group < groups; group += 1) this.starts[group + 1]! += this.starts[group]!
    const next = this.starts.slice()
    this.order = new Uint32Array(this.starts[groups] ?? 0)
    for (let row = 0; row < keys.length; row += 1) {
      const key = keys[row]!
      if (key < groups) {
        this.order[next[key]!] = row
        next[key]! += 1
      }
    }
  }

  rows(group: number): Uint32Array {
    if (group < 0 || group + 1 >= this.starts.length) return new Uint32Array(0)
    return this.order.subarray(this.starts[group], this.starts[group + 1])
  }
}

/** The values of lanes over time. */
export class Steps {
  private readonly groups: Groups

  constructor(
    readonly time: Float64Array,
    readonly value: Uint32Array,
    lane: Uint16Array,
    lanes: number,
  ) {
    this.groups = new Groups(lane, lanes)
  }

  rows(lane: number): Uint32Array {
    return this.groups.rows(lane)
  }

  /** The number of the steps of `lane` that are not after `time`. */
  countUntil(lane: number, time: number): number {
    return countUntil(this.groups.rows(lane), this.time, time)
  }

  /** The value of `lane` at `time`; 0 before its first step. */
  at(lane: number, time: number): number {
    const count = this.countUntil(lane, time)
    return count === 0 ? 0 : this.value[this.groups.rows(lane)[count - 1]!]!
  }

  /** Since when `lane` has had its value; null before its first step. */
  since(lane: number, time: number): number | null {
    const count = this.countUntil(lane, time)
    return count === 0 ? null : this.time[this.groups.rows(lane)[count - 1]!]!
  }
}
