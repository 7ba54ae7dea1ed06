/** The sizes of what was built, as a browser loads it: player alone and all of it. */

import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const assets = fileURLToPath(new URL('../../python/sansim/studio_page/dist/assets/', import.meta.url))
const size = (name) => gzipSync(readFileSync(assets + name), { level: 9 }).length
const names = readdirSync(assets)
const sum = (some) => some.reduce((total, name) => total + size(name), 0)
const player = sum(names.filter((name) => name.startsWith('player.')))
const all = sum(names)
for (const name of names) console.log(`${name} ${size(name)}`)
console.log(`player alone ${player} of 60000 bytes, all ${all} of 300000 bytes (gzip)`)
const html = ['index.html', 'player.html'].map((name) => readFileSync(`${assets}../${name}`, 'utf8'))
const inline = html.some((text) => /<script(?![^>]*\bsrc=)/.test(text))
if (inline) console.error('a page has an inline script')
if (readFileSync(fileURLToPath(new URL('../package-lock.json', import.meta.url)), 'utf8').includes('"resolved"')) {
  console.error('package-lock.json names a registry')
  process.exitCode = 1
}
if (player > 60000 || all > 300000 || inline) process.exitCode = 1
