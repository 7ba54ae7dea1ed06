import { describe, expect, it } from 'vitest'
import type { Component } from '../src/api'
import { smallestChange, tableAt, units } from '../src/edit/offsets'
import { changes, figures, plainValue, points, runName, shown, title } from '../src/run/figures'

describe('offsets', () => {
  it('turn characters into units where a text has wide ones', () => {
    const text = 'a = "😀b😀"\nkey = 1'
    const at = units(text)
    const characters = Array.from(text)
    for (let n = 0; n <= characters.length; n += 1) expect(at(n)).toBe(characters.slice(0, n).join('').length)
    expect(units('plain')(3)).toBe(3)
    expect(units('plain')(99)).toBe(5)
  })

  it('give the smallest change', () => {
    for (const [before, after] of [
      ['access_time = "2 ms"', 'access_time = "12 ms"'],
      ['aaa', 'aa'],
      ['', 'x'],
      ['abc', 'abcabc'],
    ] as const) {
      const change = smallestChange(before, after)!
      expect(before.slice(0, change.from) + change.insert + before.slice(change.to)).toBe(after)
      expect(change.insert.length + change.to - change.from).toBeLessThanOrEqual(3)
    }
    expect(smallestChange('same', 'same')).toBeNull()
  })

  it('know the table of a place', () => {
    const text = 'format = 1\n[a]\nkind = "x"\n[ a . write ] # why\nmode = "back"\n'
    expect(tableAt(text, 3)).toBeNull()
    expect(tableAt(text, text.indexOf('kind'))).toBe('a')
    expect(tableAt(text, text.indexOf('mode'))).toBe('a.write')
  })
})

describe('figures', () => {
  it('are those of a result, with their units', () => {
    const found = figures({ iops: 12.5, ledger: { seek_ns: 3_000_000, deep: { x: 1 } }, list: [1], none: null })
    expect(found.map((one) => one.name)).toEqual(['iops', 'ledger.seek_ns'])
    expect(shown('ledger.seek_ns', 3_000_000)).toBe('3.000 ms')
    expect(shown('iops', 123456)).toBe('123,456')
    expect(shown('loop.utilisation', 0.5)).toBe('50 %')
    expect(plainValue('"1 ms"')).toBe('1 ms')
    expect(plainValue('0x10')).toBe('0x10')
  })

  it('are read from a sweep', () => {
    const found = points({
      key: 'a.b',
      runs: [
        { value: '1', summary: { iops: 5 } },
        { value: 2, iops: 6 },
      ],
    })
    expect(found).toEqual([
      { value: '1', figures: [{ name: 'iops', value: 5 }] },
      { value: '2', figures: [{ name: 'iops', value: 6 }] },
    ])
    expect(points(null)).toEqual([])
  })
})

describe('the name of a figure', () => {
  it('has no unit and is written as words', () => {
    expect(title('mean_ns')).toBe('mean')
    expect(title('response_time_ns.p99_9')).toBe('response time, p99.9')
    expect(title('iops_ci95')).toBe('iops ci95')
  })
})

describe('the name of a run', () => {
  const component = (name: string, keys: Record<string, string | number>): Component => ({
    name,
    kind: 'host',
    group: null,
    keys: Object.entries(keys).map(([key, value]) => ({ key, value, begin: 0, end: 0 })),
  })

  it('says which keys were set or taken away', () => {
    const before = [component('host', { schedule: 'fair', limit: 4 }), component('disks', { count: 16 })]
    const now = [component('host', { schedule: 'command-first' }), component('disks', { count: 16, firmware: 1 })]
    expect(changes(before, before)).toEqual([])
    expect(changes(before, now)).toEqual(['host.schedule=command-first', 'host.limit=', 'disks.firmware=1'])
  })

  it('is that of no other run, and short', () => {
    expect(runName('base', [], [])).toBe('base')
    expect(runName('base', [], ['base', 'base (2)'])).toBe('base (3)')
    expect(runName('base', ['a=1', 'b=2'], ['base'])).toBe('base: a=1, b=2')
    expect(runName('base', ['a=1', 'b=2', 'c=3', 'd=4'], [])).toBe('base: 4 changes')
  })
})
