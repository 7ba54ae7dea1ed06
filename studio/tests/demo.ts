/** Small systems that are simulated just well enough to be shown: a ring, a fabric, and a ring with very much under way. */

import { NONE } from '../src/file/format'
import type { Kind, Lane, Line, Names } from '../src/file/format'
import { TABLES, emptyRows, write } from './writer'
import type { Rows } from './writer'

const KINDS: Kind[] = [
  { name: 'FCP_CMND', meaning: 'command', signal: false, colour: '#E69F00' },
  { name: 'FCP_XFER_RDY', meaning: 'transfer ready', signal: false, colour: '#CC79A7' },
  { name: 'FCP_DATA', meaning: 'data', signal: false, colour: '#0072B2' },
  { name: 'FCP_RSP', meaning: 'response', signal: false, colour: '#009E73' },
  { name: 'OPN', meaning: 'open', signal: true, colour: '#D55E00' },
  { name: 'R_RDY', meaning: 'credit', signal: true, colour: '#56B4E9' },
  { name: 'CLS', meaning: 'close', signal: true, colour: '#8a8a8a' },
]
const STATES = ['MONITORING', 'ARBITRATING', 'ARBITRATION WON', 'OPEN', 'OPENED', 'TRANSMITTED CLOSE', 'RECEIVED CLOSE']
const line = (place: string, segment: string, label: string, waits: boolean, colour: string, device = false): Line => ({
  place,
  segment,
  label,
  waits,
  colour,
  device,
})
const LINES: Line[] = [
  line('controller', 'queue', 'queue of the host', true, '#bbbbbb'),
  line('controller', 'arbitration', 'waits for the loop', true, '#D55E00'),
  line('loop', 'transfer', 'on the loop', false, '#0072B2'),
  line('drives', 'queue', 'queue of the drive', true, '#999999'),
  line('drives', 'seek', 'seek', false, '#E69F00', true),
  line('drives', 'rotation', 'rotation', false, '#F0E442', true),
  line('drives', 'media', 'media', false, '#009E73', true),
  line('drives', 'arbitration', 'waits for the loop', true, '#CC79A7'),
]

/** A generator of numbers that are the same each time. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

class Agenda {
  private readonly list: { at: number; order: number; run: (at: number) => void }[] = []
  private order = 0

  add(at: number, run: (at: number) => void): void {
    this.list.push({ at, order: this.order, run })
    this.order += 1
  }

  until(end: number): void {
    for (;;) {
      let least = -1
      for (let n = 0; n < this.list.length; n += 1) {
        const [one, best] = [this.list[n]!, this.list[least]]
        if (best === undefined || one.at < best.at || (one.at === best.at && one.order < best.order)) least = n
      }
      const next = this.list[least]
      if (next === undefined || next.at >= end) return
      this.list.splice(least, 1)
      next.run(next.at)
    }
  }
}

function ringHeader(drives: number, title: string): Names {
  const stations: Names['stations'] = [
    { name: 'controller', network: 0, address: '0x01', role: 'initiator', peer: 1, delay_ns: 50 },
  ]
  for (let n = 0; n < drives; n += 1) {
    stations.push({
      name: `drives[${String(n)}]`,
      network: 0,
      address: `0x${(0xe8 - n).toString(16).toUpperCase()}`,
      role: 'target',
      peer: (n + 2) % (drives + 1),
      delay_ns: 50,
    })
  }
  const lanes: Lane[] = []
  const components: Names['components'] = []
  for (const [n, station] of stations.entries()) {
    components.push({ name: n === 0 ? 'controller' : station.name, station: n })
    lanes.push({
      what: 'state',
      name: 'port',
      label: 'Port',
      meaning: 'state of the loop port',
      component: n,
      station: n,
      states: STATES,
    })
    lanes.push({
      what: 'gauge',
      name: 'waiting',
      label: 'Waiting',
      meaning: 'requests in the queue',
      component: n,
      station: n,
    })
    lanes.push({
      what: 'block',
      name: n === 0 ? 'adapter' : 'mechanics',
      label: n === 0 ? 'Adapter' : 'Mechanics',
      meaning: 'the block at work',
      component: n,
      station: n,
    })
  }
  return {
    sansim: '0.9.0',
    title,
    networks: [{ name: 'loop', drawn: 'ring', word_ns: 9.41 }],
    stations,
    components,
    lanes,
    kinds: KINDS,
    lines: LINES,
    devices: stations.slice(1).map((station, n) => ({ name: station.name, station: n + 1 })),
    workloads: [{ name: 'workload', host: 'controller', station: 0 }],
    tables: TABLES,
    graph: {
      components: [
        { name: 'loop', kind: 'arbitrated-loop', members: 1, ports: [], inside: null, drawn: 'ring' },
        {
          name: 'controller',
          kind: 'host',
          members: 1,
          ports: [{ name: 'controller', flows: 'frames', side: 'initiator', on: 'loop' }],
          inside: null,
        },
        {
          name: 'drives',
          kind: 'drives',
          members: drives,
          ports: [{ name: 'drives', flows: 'frames', side: 'target', on: 'loop' }],
          inside: null,
        },
        { name: 'workload', kind: 'closed', members: 1, ports: [], inside: null },
      ],
      links: [
        { from: 'controller', to: 'loop', flows: 'frames' },
        { from: 'drives', to: 'loop', flows: 'frames' },
        { from: 'workload', to: 'controller', flows: 'requests' },
      ],
    },
  }
}

export interface Demo {
  header: Names
  rows: Rows
  from: number
  to: number
  events: { t_ns: number; text: string }[]
}

export const START = 500_000_000

/** A loop of one controller and some drives: reads that wait for the drive and for the loop. */
export function ringDemo(drives = 16, length = 20_000_000, depth = 8, speed = 1): Demo {
  const header = ringHeader(drives, `Reads on a loop of ${String(drives)} drives`)
  const rows = emptyRows()
  const random = numbers(7)
  const agenda = new Agenda()
  const to = START + length
  let [loopFree, ios, frames] = [START, 0, 0]
  const driveFree = header.stations.map(() => START)
  const waiting = header.stations.map(() => 0)
  const step = (lane: number, t: number, value: number): number => rows.steps.push({ t, value, lane })
  for (const n of header.stations.keys()) {
    step(n * 3, START, 0)
    step(n * 3 + 1, START, 0)
  }
  const hops = (from: number, into: number): number => (into - from + drives + 1) % (drives + 1) || drives + 1
  const move = (kind: number, from: number, into: number, t0: number, bytes: number, request: number): number => {
    const signal = KINDS[kind]!.signal
    const dt = signal ? 9 : Math.max(9, Math.round(bytes * 2.35))
    const frame = signal ? NONE : frames
    if (!signal) frames += 1
    rows.moves.push({
      t0,
      dt,
      arrives: 50 * hops(from, into),
      bytes,
      request,
      frame,
      from,
      to: into,
      receiver: into,
      kind,
    })
    return t0 + dt
  }
  /** Takes the loop at `at` or later; calls `then` with the time at which the circuit is there. */
  const circuit = (
    at: number,
    from: number,
    into: number,
    request: number,
    waitLine: number,
    send: (t: number) => number,
    then: (t: number) => void,
  ): void => {
    const begin = Math.max(at, loopFree) + 400
    rows.dwells.push({ t0: at, dt: begin - at, request, line: waitLine })
    step(from * 3, at, 1)
    step(from * 3, begin - 150, 2)
    step(from * 3, begin, 3)
    let t = move(4, from, into, begin, 4, request)
    t += 50 * hops(from, into)
    step(into * 3, t, 4)
    move(5, into, from, t, 4, request)
    t = send(t + 50 * hops(into, from) + 20)
    step(from * 3, t, 5)
    move(6, from, into, t, 4, request)
    const end = t + 50 * (drives + 1) + 100
    step(into * 3, t + 50 * hops(from, into), 6)
    step(into * 3, end - 40, 0)
    step(from * 3, end, 0)
    rows.dwells.push({ t0: begin, dt: end - begin, request, line: 2 })
    loopFree = end
    agenda.add(end, then)
  }
  const begin = (at: number): void => {
    const request = ios
    ios += 1
    const drive = 1 + Math.floor(random() * drives)
    const bytes = 8192
    const block = Math.floor(random() * 1e8)
    const queue = 1500
    rows.dwells.push({ t0: at, dt: queue, request, line: 0 })
    rows.jobs.push({ t0: at + 300, dt: 1200, request, frame: NONE, lane: 2 })
    agenda.add(at + queue, (t) => {
      circuit(
        t,
        0,
        drive,
        request,
        1,
        (s) => move(0, 0, drive, s, 68, request),
        (s) => {
          waiting[drive]! += 1
          step(drive * 3 + 1, s, waiting[drive]!)
          const free = Math.max(s, driveFree[drive]!)
          if (free > s) rows.dwells.push({ t0: s, dt: free - s, request, line: 3 })
          const component = drive
          const parts = [300_000 + random() * 900_000, random() * 700_000, 120_000].map((x) => Math.round(x / speed))
          let t1 = free
          for (const [n, dt] of parts.entries()) {
            rows.dwells.push({ t0: t1, dt, request, line: 4 + n, component })
            t1 += dt
          }
          driveFree[drive] = t1
          agenda.add(t1, (s2) => {
            waiting[drive]! -= 1
            step(drive * 3 + 1, s2, waiting[drive]!)
            circuit(
              s2,
              drive,
              0,
              request,
              7,
              (s3) => {
                for (let n = 0; n < 4; n += 1) s3 = move(2, drive, 0, s3 + 20, 2048, request)
                return move(3, drive, 0, s3 + 20, 60, request)
              },
              (s4) => {
                rows.requests.push({
                  t0: at,
                  dt: s4 - at,
                  request,
                  parent: NONE,
                  io: 1000 + request,
                  bytes,
                  block,
                  block_high: 0,
                  device: drive - 1,
                  workload: 0,
                  flags: 0,
                })
                agenda.add(s4 + 2000, begin)
              },
            )
          })
        },
      )
    })
  }
  for (let n = 0; n < depth; n += 1) agenda.add(START + n * 3000, begin)
  agenda.until(to)
  finish(rows)
  return { header, rows, from: START, to, events: [{ t_ns: START + length / 2, text: 'the workload goes on' }] }
}

/** Adds the requests that had not ended, and sorts. */
function finish(rows: Rows): void {
  const ended = new Set(rows.requests.map((row) => row.request))
  const open = new Map<number, { t0: number; end: number }>()
  for (const row of rows.dwells) {
    if (ended.has(row.request)) continue
    const one = open.get(row.request) ?? { t0: row.t0, end: 0 }
    open.set(row.request, { t0: Math.min(one.t0, row.t0), end: Math.max(one.end, row.t0 + row.dt) })
  }
  for (const [request, { t0, end }] of open) {
    const device = 0
    const rest = {
      parent: NONE,
      io: 1000 + request,
      bytes: 8192,
      block: 0,
      block_high: 0,
      device,
      workload: 0,
      flags: 4,
    }
    rows.requests.push({ t0, dt: end - t0, request, ...rest })
  }
  rows.moves.sort((a, b) => a.t0 - b.t0)
  rows.steps.sort((a, b) => a.t - b.t)
  rows.jobs.sort((a, b) => a.t0 - b.t0)
  rows.dwells.sort((a, b) => a.t0 - b.t0)
  rows.requests.sort((a, b) => a.t0 - b.t0)
}

/** A fabric of two switches with a long link; frames are forwarded as soon as their header is in. */
export function fabricDemo(length = 5_000_000): Demo {
  const nodes = ['host', 'backup', ...Array.from({ length: 8 }, (_, n) => `drives[${String(n)}]`)]
  const places = ['switches.near', 'switches.far']
  const at = nodes.map((_, n) => (n < 2 ? 0 : 1))
  const stations: Names['stations'] = nodes.map((name, n) => ({
    name,
    network: 0,
    address: `0x01${n.toString(16).padStart(4, '0')}`,
    role: n < 2 ? 'initiator' : 'target',
    peer: 0,
    delay_ns: 25,
  }))
  const portOf: number[] = []
  for (const n of nodes.keys()) {
    const place = places[at[n]!]!
    const number = stations.length
    portOf.push(number)
    stations[n]!.peer = number
    stations.push({
      name: `san.${place}[${String(number)}]`,
      network: 0,
      role: 'inner',
      switch: place,
      peer: n,
      delay_ns: 25,
    })
  }
  const isl = [stations.length, stations.length + 1] as const
  for (const [n, place] of places.entries()) {
    stations.push({
      name: `san.${place}[isl]`,
      network: 0,
      role: 'inner',
      switch: place,
      peer: isl[1 - n]!,
      delay_ns: 5000,
    })
  }
  const components = stations.map((station, n) => ({ name: station.name, station: n }))
  const lanes: Lane[] = []
  const lane = (one: Lane): number => lanes.push(one) - 1
  const buffers = new Map<number, number>()
  const busy = new Map<number, number>()
  const queued = new Map<number, number>()
  for (const [n, station] of stations.entries()) {
    if (station.role === 'inner') {
      buffers.set(n, lane({ what: 'buffers', name: 'buffers', label: 'Buffers', component: n, station: n }))
      queued.set(n, lane({ what: 'gauge', name: 'queued', label: 'Queued frames', component: n, station: n }))
    } else busy.set(n, lane({ what: 'block', name: 'work', label: 'Work', component: n, station: n }))
  }
  const header: Names = {
    sansim: '0.9.0',
    title: 'Two switches and a long link',
    networks: [{ name: 'san', drawn: 'places', word_ns: 9.41 }],
    stations,
    components,
    lanes,
    kinds: KINDS,
    lines: [
      line('host', 'queue', 'queue of the host', true, '#bbbbbb'),
      line('san', 'command', 'command in the fabric', false, '#E69F00'),
      line('drives', 'queue', 'queue of the drive', true, '#999999'),
      line('drives', 'media', 'media', false, '#009E73', true),
      line('san', 'data', 'data in the fabric', false, '#0072B2'),
    ],
    devices: nodes.slice(2).map((name, n) => ({ name, station: n + 2 })),
    workloads: [
      { name: 'reads', host: 'host', station: 0 },
      { name: 'copy', host: 'backup', station: 1 },
    ],
    tables: TABLES,
    graph: {
      components: [
        {
          name: 'san',
          kind: 'fabric',
          members: 1,
          ports: [],
          drawn: 'places',
          inside: {
            places,
            links: [{ name: 'links.distance', from: places[0]!, to: places[1]! }],
            nodes: nodes.map((name, n) => ({ name, listed: name.replace(/\[.*/, ''), at: places[at[n]!]! })),
          },
        },
        ...['host', 'backup'].map((name) => ({
          name,
          kind: 'host',
          members: 1,
          ports: [{ name, flows: 'frames', side: 'initiator', on: 'san' }],
          inside: null,
        })),
        {
          name: 'drives',
          kind: 'drives',
          members: 8,
          ports: [{ name: 'drives', flows: 'frames', side: 'target', on: 'san' }],
          inside: null,
        },
        { name: 'reads', kind: 'closed', members: 1, ports: [], inside: null },
        { name: 'copy', kind: 'closed', members: 1, ports: [], inside: null },
      ],
      links: [
        { from: 'host', to: 'san', flows: 'frames' },
        { from: 'backup', to: 'san', flows: 'frames' },
        { from: 'drives', to: 'san', flows: 'frames' },
        { from: 'reads', to: 'host', flows: 'requests' },
        { from: 'copy', to: 'backup', flows: 'requests' },
      ],
    },
  }
  const rows = emptyRows()
  const random = numbers(11)
  const agenda = new Agenda()
  const to = START + length
  const free = stations.map(() => START)
  const driveFree = nodes.map(() => START)
  const counts = stations.map(() => 0)
  for (const n of queued.values()) rows.steps.push({ t: START, value: 0, lane: n })
  let [frames, ios] = [0, 0]
  /** Sends a frame hop by hop; returns when its last word has arrived. */
  const send = (t: number, from: number, into: number, kind: number, bytes: number, request: number): number => {
    const dt = Math.round(bytes * 2.35)
    const frame = frames
    frames += 1
    const route: [number, number][] = [[from, portOf[from]!]]
    if (at[from] !== at[into]) route.push([isl[at[from]!], isl[at[into]!]])
    route.push([portOf[into]!, into])
    let header_in = t
    for (const [n, [a, b]] of route.entries()) {
      const begin = Math.max(header_in, free[a]!)
      free[a] = begin + dt
      const arrives = stations[a]!.delay_ns!
      rows.moves.push({ t0: begin, dt, arrives, bytes, request, frame, from: a, to: b, receiver: into, kind })
      const before = n > 0 ? buffers.get(route[n - 1]![1]) : undefined
      if (before !== undefined) {
        const hold = begin + dt - header_in
        rows.jobs.push({ t0: header_in, dt: hold, request, frame, lane: before })
        const gauge = queued.get(a)
        if (gauge !== undefined) {
          agenda.add(header_in, (s) => rows.steps.push({ t: s, value: (counts[a]! += 1), lane: gauge }))
          agenda.add(begin + dt, (s) => rows.steps.push({ t: s, value: (counts[a]! -= 1), lane: gauge }))
        }
      }
      header_in = begin + arrives + Math.min(dt, 60)
    }
    return header_in + dt
  }
  const begin = (now: number, host: number): void => {
    const request = ios
    ios += 1
    const drive = 2 + Math.floor(random() * 8)
    rows.dwells.push({ t0: now, dt: 800, request, line: 0 })
    rows.jobs.push({ t0: now, dt: 800, request, frame: NONE, lane: busy.get(host)! })
    agenda.add(now + 800, (t) => {
      const there = send(t, host, drive, 0, 68, request)
      rows.dwells.push({ t0: t, dt: there - t, request, line: 1 })
      agenda.add(there, (t2) => {
        const free_ = Math.max(t2, driveFree[drive]!)
        if (free_ > t2) rows.dwells.push({ t0: t2, dt: free_ - t2, request, line: 2 })
        const work = 60_000 + Math.round(random() * 90_000)
        rows.dwells.push({ t0: free_, dt: work, request, line: 3 })
        rows.jobs.push({ t0: free_, dt: work, request, frame: NONE, lane: busy.get(drive)! })
        driveFree[drive] = free_ + work
        agenda.add(free_ + work, (t3) => {
          let end = t3
          for (let n = 0; n < 8; n += 1) end = Math.max(end, send(t3, drive, host, 2, 2048, request))
          end = Math.max(end, send(t3, drive, host, 3, 60, request))
          rows.dwells.push({ t0: t3, dt: end - t3, request, line: 4 })
          agenda.add(end, (t4) => {
            rows.requests.push({
              t0: now,
              dt: t4 - now,
              request,
              parent: NONE,
              io: 1000 + request,
              bytes: 16384,
              block: request * 32,
              block_high: 0,
              device: drive - 2,
              workload: host,
              flags: 0,
            })
            begin(t4 + 500, host)
          })
        })
      })
    })
  }
  for (let n = 0; n < 12; n += 1) agenda.add(START + n * 900, (t) => begin(t, n % 2))
  agenda.until(to)
  finish(rows)
  return { header, rows, from: START, to, events: [{ t_ns: START + 1_000_000, text: 'degrade san.links.distance' }] }
}

/** A ring of 130 stations with some 200 frames under way at every moment. */
export function crowdDemo(moves = 100_000): Demo {
  const drives = 129
  const header = ringHeader(drives, '130 stations and 200 frames under way')
  const rows = emptyRows()
  const random = numbers(3)
  const apart = 25
  for (let n = 0; n < moves; n += 1) {
    const from = Math.floor(random() * 130)
    const into = (from + 1 + Math.floor(random() * 60)) % 130
    const arrives = ((into - from + 130) % 130) * 50
    const request = Math.floor(n / 10)
    const kind = n % 7
    const t0 = START + n * apart
    rows.moves.push({ t0, dt: 3400, arrives, bytes: 2048, request, frame: n, from, to: into, receiver: into, kind })
    if (n % 2 === 0) rows.steps.push({ t: t0, value: n % 7, lane: (n % 130) * 3 })
  }
  for (let n = 0; n < 130; n += 1) rows.steps.unshift({ t: START, value: 0, lane: n * 3 })
  for (let request = 0; request < moves / 10; request += 1) {
    const t0 = START + request * apart * 10
    rows.requests.push({
      t0,
      dt: 6000,
      request,
      parent: NONE,
      io: request,
      bytes: 20480,
      block: request,
      block_high: 0,
      device: request % drives,
      workload: 0,
      flags: 0,
    })
    rows.dwells.push({ t0, dt: 6000, request, line: 2 })
  }
  return { header, rows, from: START, to: START + moves * apart, events: [] }
}

export function bytesOf(demo: Demo, chunks = 3): Uint8Array<ArrayBuffer> {
  const edges = Array.from({ length: chunks + 1 }, (_, n) =>
    Math.round(demo.from + ((demo.to - demo.from) * n) / chunks),
  )
  return write(demo.header, demo.rows, edges, demo.events)
}
