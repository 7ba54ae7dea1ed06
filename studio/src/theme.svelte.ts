/** Dark and light: as the system says, or as chosen. */

export type Choice = 'auto' | 'light' | 'dark'

export interface Colours {
  ground: string
  panel: string
  ink: string
  faint: string
  line: string
  box: string
  accent: string
  select: string
  low: string
}

const LIGHT: Colours = {
  ground: '#f7f8fa',
  panel: '#ffffff',
  ink: '#1c2126',
  faint: '#5c6670',
  line: '#b4bcc4',
  box: '#ffffff',
  accent: '#005fb8',
  select: '#005fb8',
  low: '#c9d2da',
}
const DARK: Colours = {
  ground: '#14181c',
  panel: '#1b2026',
  ink: '#e6eaee',
  faint: '#9aa5b0',
  line: '#48525c',
  box: '#232a31',
  accent: '#6cb6ff',
  select: '#6cb6ff',
  low: '#3b4650',
}

class Theme {
  choice = $state<Choice>('auto')
  private system = $state(false)

  constructor() {
    if (typeof window === 'undefined') return
    const query = window.matchMedia('(prefers-color-scheme: dark)')
    this.system = query.matches
    query.addEventListener('change', (event) => {
      this.system = event.matches
    })
    try {
      const kept = window.localStorage.getItem('sansim-theme')
      if (kept === 'light' || kept === 'dark') this.choice = kept
    } catch {
      // A page without storage follows the system.
    }
  }

  get dark(): boolean {
    return this.choice === 'auto' ? this.system : this.choice === 'dark'
  }

  get colours(): Colours {
    return this.dark ? DARK : LIGHT
  }

  set(choice: Choice): void {
    this.choice = choice
    try {
      if (choice === 'auto') window.localStorage.removeItem('sansim-theme')
      else window.localStorage.setItem('sansim-theme', choice)
    } catch {
      // It is not kept then.
    }
  }
}

export const theme = new Theme()
export const FONT = '-apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif'

function channels(colour: string): [number, number, number] {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)) as [number, number, number]
}

export function mix(one: string, other: string, share: number): string {
  const [a, b] = [channels(one), channels(other)]
  const parts = a.map((value, n) =>
    Math.round(value + (b[n]! - value) * share)
      .toString(16)
      .padStart(2, '0'),
  )
  return `#${parts.join('')}`
}

/** The colour of a use between 0 and 1: from plain over orange to vermilion. */
export function loadColour(use: number, colours: Colours): string {
  const share = Math.max(0, Math.min(1, use))
  return share < 0.5 ? mix(colours.low, '#e69f00', share * 2) : mix('#e69f00', '#d5400a', share * 2 - 1)
}

/** Black or white, whichever can be read on a colour. */
export function inkOn(colour: string): string {
  if (!/^#[0-9a-f]{6}$/i.test(colour)) return '#000000'
  const [r, g, b] = channels(colour)
  return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? '#000000' : '#ffffff'
}
