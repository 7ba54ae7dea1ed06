/** Figures of results, whatever they are: named, with units by the ends of their names. */

import type { Value } from '../api'
import { duration, percent } from '../text'

export interface Figure {
  name: string
  value: string | number | boolean
}

/** The figures of a result, those inside others with both names. */
export function figures(result: { [key: string]: Value } | null | undefined, depth = 2, before = ''): Figure[] {
  const found: Figure[] = []
  for (const [key, value] of Object.entries(result ?? {})) {
    const name = before + key
    if (typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean')
      found.push({ name, value })
    else if (value !== null && typeof value === 'object' && !Array.isArray(value) && depth > 1) {
      found.push(...figures(value, depth - 1, `${name}.`))
    }
  }
  return found
}

export function shown(name: string, value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return value
  if (/_ns(\.|$)/.test(name)) return duration(value)
  if (/(^|[._])(utili[sz]ation|used|share|fraction|hit_rate)$/.test(name)) return percent(value)
  if (Number.isInteger(value)) return value.toLocaleString('en')
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString('en') : value.toPrecision(4)
}

/** A name as it is read: "mean_ns" is "mean". */
export function title(name: string): string {
  return name.replace(/_ns2?$/, '').replace(/_/g, ' ')
}

export interface Point {
  value: string
  figures: Figure[]
}

/** The points of a sweep. */
export function points(sweep: { [key: string]: Value } | null | undefined): Point[] {
  const list = sweep?.['runs'] ?? sweep?.['points'] ?? []
  if (!Array.isArray(list)) return []
  const found: Point[] = []
  for (const one of list) {
    if (one === null || typeof one !== 'object' || Array.isArray(one)) continue
    const value = one['value']
    const summary = one['summary'] ?? one
    if (typeof summary !== 'object' || Array.isArray(summary)) continue
    const rest = Object.fromEntries(Object.entries(summary).filter(([name]) => name !== 'value'))
    found.push({ value: typeof value === 'object' ? JSON.stringify(value) : String(value), figures: figures(rest) })
  }
  return found
}

/** The value that a piece of TOML says, where it is a plain one. */
export function plainValue(text: string): Value {
  try {
    return JSON.parse(text) as Value
  } catch {
    return text
  }
}
