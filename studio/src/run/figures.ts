/** Figures of results, whatever they are: named, with units by the ends of their names. */

import type { Component, Value } from '../api'
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

/** A name as it is read: "response_ns.p99_9" is "response, p99.9". */
export function title(name: string): string {
  const words = name.replace(/_ns2?(?=\.|$)/g, '').replace(/\./g, ', ')
  return words.replace(/_(?=\d)/g, '.').replace(/_/g, ' ')
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

/** What the keys of components were set to since, as settings; a key that was taken away has no value. */
export function changes(before: Component[], now: Component[]): string[] {
  const written = (components: Component[]): Map<string, string> =>
    new Map(
      components.flatMap((one) =>
        one.keys.map(({ key, value }) => [
          `${one.name}.${key}`,
          typeof value === 'string' ? value : JSON.stringify(value),
        ]),
      ),
    )
  const [old, made] = [written(before), written(now)]
  const paths = new Set([...old.keys(), ...made.keys()])
  return [...paths].filter((path) => old.get(path) !== made.get(path)).map((path) => `${path}=${made.get(path) ?? ''}`)
}

/** The name of a run: what runs, and how it differs from the first run; no two runs have the same. */
export function runName(base: string, differences: string[], taken: string[]): string {
  const named = differences.length > 3 ? [`${String(differences.length)} changes`] : differences
  const plainName = named.length === 0 ? base : `${base}: ${named.join(', ')}`
  let name = plainName
  for (let n = 2; taken.includes(name); n += 1) name = `${plainName} (${String(n)})`
  return name
}
