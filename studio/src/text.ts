/** Times, shares and sizes as text. */

const NARROW = '\u202f'

function grouped(digits: string): string {
  return digits.replace(/(\d{3})(?=\d)/g, `$1${NARROW}`)
}

function significant(value: number, digits: number): string {
  const text = value.toPrecision(digits)
  return text.includes('e') ? String(Math.round(value)) : text
}

/** A length of time with its unit. */
export function duration(ns: number): string {
  const size = Math.abs(ns)
  if (size >= 1e9) return `${significant(ns / 1e9, 4)} s`
  if (size >= 1e6) return `${significant(ns / 1e6, 4)} ms`
  if (size >= 1e3) return `${significant(ns / 1e3, 4)} µs`
  return `${size < 10 && size % 1 !== 0 ? ns.toFixed(1) : String(Math.round(ns))} ns`
}

/** A moment, in ms to the nanosecond. */
export function moment(ns: number): string {
  const whole = Math.floor(ns / 1e6)
  const rest = Math.round(ns - whole * 1e6)
  return `${String(whole)}.${grouped(String(rest).padStart(6, '0'))} ms`
}

const UNITS: Record<string, number> = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 }

/** The nanoseconds of a text as "510.2 ms"; a number alone is in ms. */
export function parseMoment(text: string): number | null {
  const found = /^\s*([0-9][0-9 \u202f]*(?:\.[0-9 \u202f]*)?)\s*(ns|us|µs|ms|s)?\s*$/.exec(text)
  if (found === null) return null
  const value = Number(found[1]!.replace(/[ \u202f]/g, ''))
  return Number.isFinite(value) ? value * (UNITS[found[2] ?? 'ms'] ?? 1e6) : null
}

/** A message of sansim without the marks round names. */
export function plain(text: string): string {
  return text.replace(/`/g, '')
}

export function percent(share: number): string {
  return `${share >= 0.0995 || share === 0 ? String(Math.round(share * 100)) : (share * 100).toFixed(1)} %`
}

export function bytes(count: number): string {
  if (count >= 1048576 && count % 1048576 === 0) return `${String(count / 1048576)} MiB`
  if (count >= 1024 && count % 1024 === 0) return `${String(count / 1024)} KiB`
  return `${String(count)} bytes`
}
