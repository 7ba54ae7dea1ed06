/** Offsets of the API count characters of Unicode, those of the editor UTF-16 units; and the smallest change between two texts. */

/** A function from characters to units in `text`. */
export function units(text: string): (characters: number) => number {
  const wide: number[] = []
  for (let n = 0; n < text.length; n += 1) {
    const unit = text.charCodeAt(n)
    if (unit >= 0xd800 && unit < 0xdc00) {
      wide.push(n - wide.length)
      n += 1
    }
  }
  if (wide.length === 0) return (characters) => Math.max(0, Math.min(text.length, characters))
  return (characters) => {
    let before = 0
    while (before < wide.length && wide[before]! < characters) before += 1
    return Math.max(0, Math.min(text.length, characters + before))
  }
}

export interface Change {
  from: number
  to: number
  insert: string
}

/** The one change that makes `after` of `before`; null if they are the same. */
export function smallestChange(before: string, after: string): Change | null {
  if (before === after) return null
  const shorter = Math.min(before.length, after.length)
  let from = 0
  while (from < shorter && before.charCodeAt(from) === after.charCodeAt(from)) from += 1
  let tail = 0
  while (
    tail < shorter - from &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  ) {
    tail += 1
  }
  return { from, to: before.length - tail, insert: after.slice(from, after.length - tail) }
}

/** The name of the table in which a place of the text is, as "cache.write"; null above the first. */
export function tableAt(text: string, place: number): string | null {
  let found: string | null = null
  let at = 0
  for (const line of text.split('\n')) {
    if (at > place) break
    const head = /^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(#.*)?$/.exec(line)
    if (head !== null) found = head[1]!.replace(/\s*\.\s*/g, '.').replace(/"/g, '')
    at += line.length + 1
  }
  return found
}
