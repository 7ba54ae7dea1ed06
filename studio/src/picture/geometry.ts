/** Points, polylines by share of their length, and the shape of a ring. */

import { lower } from '../file/intervals'

export interface Point {
  x: number
  y: number
}

export interface Box {
  x: number
  y: number
  w: number
  h: number
}

/** A polyline that is walked by the share of its length. */
export class Path {
  readonly length: number
  private readonly sums: number[]

  constructor(readonly points: readonly Point[]) {
    this.sums = [0]
    let sum = 0
    for (let n = 1; n < points.length; n += 1) {
      sum += Math.hypot(points[n]!.x - points[n - 1]!.x, points[n]!.y - points[n - 1]!.y)
      this.sums.push(sum)
    }
    this.length = sum
  }

  at(share: number): Point {
    return this.pointAt(share * this.length)
  }

  pointAt(length: number): Point {
    const last = this.points.length - 1
    if (last < 0) return { x: 0, y: 0 }
    if (length <= 0 || last === 0) return this.points[0]!
    if (length >= this.length) return this.points[last]!
    const low = lower(this.sums, length)
    const [a, b] = [this.points[low - 1]!, this.points[low]!]
    const step = this.sums[low]! - this.sums[low - 1]!
    const share = step === 0 ? 0 : (length - this.sums[low - 1]!) / step
    return { x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share }
  }

  /** The points of the part between two shares. */
  part(from: number, to: number): Point[] {
    const [a, b] = [from * this.length, to * this.length]
    const points = [this.pointAt(a)]
    for (let n = 1; n < this.points.length - 1; n += 1) {
      if (this.sums[n]! > a && this.sums[n]! < b) points.push(this.points[n]!)
    }
    points.push(this.pointAt(b))
    return points
  }

  /** The distance of `point` to the path. */
  distance(point: Point): number {
    let least = Infinity
    for (let n = 1; n < this.points.length; n += 1) {
      const [a, b] = [this.points[n - 1]!, this.points[n]!]
      const [dx, dy] = [b.x - a.x, b.y - a.y]
      const square = dx * dx + dy * dy
      const t = square === 0 ? 0 : Math.max(0, Math.min(1, ((point.x - a.x) * dx + (point.y - a.y) * dy) / square))
      least = Math.min(least, Math.hypot(point.x - a.x - t * dx, point.y - a.y - t * dy))
    }
    return least
  }
}

/** A closed shape with two straight rows (or four) and round ends; it is walked clockwise from the middle of its left end. */
export class Ring {
  readonly outline: Path

  constructor(
    readonly centre: Point,
    readonly width: number,
    readonly height: number,
    readonly radius: number,
  ) {
    const { x, y } = centre
    const [l, r, t, b] = [x - width / 2, x + width / 2, y - height / 2, y + height / 2]
    const points: Point[] = [{ x: l, y }]
    const corner = (cx: number, cy: number, from: number): void => {
      for (let n = 0; n <= 10; n += 1) {
        const angle = from + (n / 10) * (Math.PI / 2)
        points.push({ x: cx + radius * Math.cos(angle), y: cy + radius * Math.sin(angle) })
      }
    }
    corner(l + radius, t + radius, Math.PI)
    corner(r - radius, t + radius, -Math.PI / 2)
    corner(r - radius, b - radius, 0)
    corner(l + radius, b - radius, Math.PI / 2)
    points.push({ x: l, y })
    this.outline = new Path(points)
  }

  /** The ring on which `length` of stations has room. */
  static shape(length: number): { width: number; height: number; radius: number } {
    const perimeter = Math.max(length, 420)
    if (perimeter <= 1900) {
      const height = Math.min(150, Math.max(96, perimeter * 0.11))
      const width = height + (perimeter - Math.PI * height) / 2
      return { width, height, radius: height / 2 }
    }
    const radius = 70
    const sides = perimeter + 8 * radius - 2 * Math.PI * radius
    const height = sides / 2 / 3.3
    return { width: height * 2.3, height, radius }
  }

  point(length: number): Point {
    const all = this.outline.length
    return this.outline.pointAt(((length % all) + all) % all)
  }

  /** The direction away from the ring. */
  normal(length: number): Point {
    const [a, b] = [this.point(length - 1), this.point(length + 1)]
    const size = Math.hypot(b.x - a.x, b.y - a.y) || 1
    return { x: (b.y - a.y) / size, y: -(b.x - a.x) / size }
  }

  /** The way along the ring from one place to another, once round if they are the same. */
  way(from: number, to: number): Path {
    const all = this.outline.length
    const span = (((to - from) % all) + all) % all || all
    const begin = ((from % all) + all) % all
    if (begin + span <= all) return new Path(this.outline.part(begin / all, (begin + span) / all))
    const first = this.outline.part(begin / all, 1)
    return new Path([...first, ...this.outline.part(0, (begin + span - all) / all).slice(1)])
  }
}
