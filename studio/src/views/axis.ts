/** The time axis of a view: straight, or uneven so that what is empty is skipped. */

import type { Windows } from '../file/windows'
import type { Axis } from '../player/pace'
import { duration } from '../text'
import { theme } from '../theme.svelte'

export interface Scale {
  x: (time: number) => number
  time: (x: number) => number
}

export function scale(from: number, to: number, left: number, right: number, axis: Axis | null): Scale {
  const width = right - left
  if (axis === null || axis.length === 0) {
    return {
      x: (time) => left + ((time - from) / (to - from)) * width,
      time: (x) => from + ((x - left) / width) * (to - from),
    }
  }
  return {
    x: (time) => left + (axis.toShown(time) / axis.length) * width,
    time: (x) => axis.toTime(((x - left) / width) * axis.length),
  }
}

/** Rules what was not recorded between `left` and `right`. */
export function rule(
  ctx: CanvasRenderingContext2D,
  windows: Windows,
  to: Scale,
  [left, right, top, bottom]: [number, number, number, number],
): void {
  for (let n = 1; n < windows.length; n += 1) {
    const [a, b] = [Math.max(left, to.x(windows[n - 1]![1])), Math.min(right, to.x(windows[n]![0]))]
    ctx.fillStyle = theme.colours.ground
    ctx.fillRect(a, top, Math.max(0, b - a), bottom - top)
    ctx.fillStyle = theme.colours.line
    for (let x = a; x < b; x += 4) ctx.fillRect(x, top, 1, bottom - top)
  }
}

/** Round moments for marks on a straight axis. */
export function marks(from: number, to: number, most: number): { time: number; text: string }[] {
  const rough = (to - from) / Math.max(1, most)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? rough
  const found: { time: number; text: string }[] = []
  for (let time = Math.ceil(from / step) * step; time <= to && found.length < 60; time += step) {
    const text =
      step >= 1000
        ? `${(time / 1e6).toFixed(Math.max(0, 6 - Math.floor(Math.log10(step))))} ms`
        : `+${duration(time - from)}`
    found.push({ time, text })
  }
  return found
}
