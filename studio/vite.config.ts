import { svelte } from '@sveltejs/vite-plugin-svelte'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Two pages: the studio in several chunks, and (`--mode player`) the player as one script and one style for a report. */
export default defineConfig(({ mode }) => {
  const player = mode === 'player'
  return {
    plugins: [svelte()],
    base: './',
    publicDir: player ? false : 'public',
    build: {
      outDir: here('../python/sansim/studio/dist'),
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
