import { svelte } from '@sveltejs/vite-plugin-svelte'
import { fileURLToPath } from 'node:url'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Writes the licences of the packages of which something is in the bundle. */
function licences(): Plugin {
  return {
    name: 'licences',
    generateBundle(_, bundle) {
      const folders = new Set<string>()
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue
        for (const id of Object.keys(chunk.modules)) {
          const found = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1]
          if (found !== undefined && existsSync(`${found}/package.json`)) folders.add(found)
        }
      }
      const texts = [...folders].sort().map((folder) => {
        const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Record<
          string,
          string
        >
        const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
        if (file === undefined) throw new Error(`${String(name)} has no licence text`)
        return `${String(name)} ${String(version)} (${String(license)})\n\n${readFileSync(`${folder}/${file}`, 'utf8').trim()}\n`
      })
      this.emitFile({ type: 'asset', fileName: 'licences.txt', source: texts.join(`\n${'-'.repeat(80)}\n\n`) })
    },
  }
}

/** Two pages: the studio in several chunks, and (`--mode player`) the player as one script and one style for a report. */
export default defineConfig(({ mode }) => {
  const player = mode === 'player'
  return {
    plugins: player ? [svelte()] : [svelte(), licences()],
    base: './',
    publicDir: player ? false : 'public',
    build: {
      outDir: here('../python/sansim/studio_page/dist'),
      emptyOutDir: !player,
      target: 'es2023',
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      cssCodeSplit: !player,
      rolldownOptions: player
        ? {
            input: here('player.html'),
            output: {
              codeSplitting: false,
              entryFileNames: 'assets/player.js',
              assetFileNames: 'assets/player[extname]',
            },
          }
        : { input: here('index.html') },
    },
    test: { include: ['tests/**/*.test.ts'], environment: 'node' },
  }
})
