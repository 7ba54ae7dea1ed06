/**
 * A server with the studio's API for tests of the page alone: it plays files of tests/demo.ts, and knows just enough TOML.
 * node tests/server.mjs PORT [PLAYBACK FILE]
 */

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

const here = fileURLToPath(new URL('.', import.meta.url))
const dist = join(here, '../../python/sansim/studio/dist')
const { module: demo } = await runnerImport(join(here, 'demo.ts'))
const given = process.argv[3]
const files = {
  ring: demo.bytesOf(demo.ringDemo()),
  fabric: demo.bytesOf(demo.fabricDemo()),
  crowd: demo.bytesOf(demo.crowdDemo()),
  faster: demo.bytesOf(demo.ringDemo(16, 20_000_000, 8, 2)),
}

const RING = `# Reads on a loop of 16 drives.
format = 1
title = "Reads on a loop"

[loop]
kind = "arbitrated-loop"     # words pass the stations in this order
stations = ["controller", "drives"]

[controller]
kind = "host"

[drives]
kind = "drives"
count = 16
access_time = "2 ms"

[workload]
kind = "closed"
from = "controller"
to = ["drives"]
queue_depth = 16
`
const texts = new Map([
  ['file:ring.toml', RING],
  ['file:empty.toml', 'format = 1\ntitle = "Nothing yet"\n'],
  ['example:ring', RING],
])
const key = (name, type, rest = {}) => ({
  key: name,
  type,
  unit: null,
  choices: null,
  default: null,
  source: null,
  meaning: `What ${name} is.`,
  required: false,
  ...rest,
})
const KINDS = [
  {
    kind: 'arbitrated-loop',
    room: 'networks',
    title: 'Arbitrated loop',
    summary: 'A ring of Fibre Channel ports that share it.',
    keys: [
      key('stations', 'list', { required: true }),
      key('speed', 'words', { choices: ['1GFC', '2GFC', '4GFC'], default: '1GFC', source: 'FC-PI' }),
      key('fair', 'flag', { default: 'true' }),
    ],
  },
  {
    kind: 'host',
    room: 'hosts',
    title: 'Host',
    summary: 'It sends the requests of workloads.',
    keys: [
      key('limit', 'integer', { default: '256' }),
      key('command_time', 'quantity', { unit: 'time', default: '40 us' }),
    ],
  },
  {
    kind: 'drives',
    room: 'storage',
    title: 'Drives',
    summary: 'Disks with a fixed access time.',
    keys: [
      key('count', 'integer', { default: '1' }),
      key('access_time', 'quantity', { unit: 'time', default: '2 ms', source: 'Wang 2005, table 6.2', required: true }),
      key('queue_depth', 'integer', { default: '16' }),
    ],
  },
  {
    kind: 'closed',
    room: 'workloads',
    title: 'Closed workload',
    summary: 'It keeps a number of requests open.',
    keys: [key('from', 'text', { required: true }), key('to', 'list'), key('queue_depth', 'integer', { default: '1' })],
  },
]

function parse(text) {
  const components = []
  const names = []
  const problems = []
  let table = null
  let offset = 0
  for (const [n, line] of text.split('\n').entries()) {
    const head = /^\[([\w-]+)\]/.exec(line)
    const set = /^([\w.-]+)\s*=\s*([^#]*[^#\s])/.exec(line)
    if (head) {
      table = { name: head[1], kind: '', group: null, keys: [] }
      components.push(table)
      names.push({ name: head[1], begin: offset + 1, end: offset + 1 + head[1].length, table_begin: offset })
    } else if (set && table !== null) {
      const begin = offset + line.indexOf(set[2], set[1].length)
      let value
      try {
        value = JSON.parse(set[2])
      } catch {
        value = set[2]
      }
      if (set[1] === 'kind') table.kind = value
      else {
        table.keys.push({ key: set[1], value, begin, end: begin + set[2].length })
        const known = KINDS.find((kind) => kind.kind === table.kind)
        if (known && !known.keys.some((one) => one.key === set[1])) {
          problems.push({
            code: 'unknown-key',
            severity: 'error',
            message: `\`${table.name}\` has no key \`${set[1]}\``,
            hint: `its keys are ${known.keys.map((one) => one.key).join(', ')}`,
            begin: offset,
            end: offset + set[1].length,
            line: n + 1,
            column: 1,
          })
        }
      }
    } else if (line.trim() !== '' && !line.startsWith('#') && !set) {
      const end = offset + line.length
      problems.push({
        code: 'syntax',
        severity: 'error',
        message: 'this is no TOML',
        hint: null,
        begin: offset,
        end,
        line: n + 1,
        column: 1,
      })
    }
    offset += line.length + 1
  }
  return { components, names, problems }
}

function checked(text) {
  const { components, names, problems } = parse(text)
  const value = (component, name) => component.keys.find((one) => one.key === name)?.value
  const graph = { components: [], links: [] }
  const loops = components.filter((one) => one.kind === 'arbitrated-loop')
  for (const one of components) {
    const on = loops.find((loop) => (value(loop, 'stations') ?? []).includes(one.name))
    graph.components.push({
      name: one.name,
      kind: one.kind,
      members: value(one, 'count') ?? 1,
      ports: on
        ? [{ name: one.name, flows: 'frames', side: one.kind === 'host' ? 'initiator' : 'target', on: on.name }]
        : [],
      inside: null,
      ...(one.kind === 'arbitrated-loop' ? { drawn: 'ring' } : {}),
    })
    const from = value(one, 'from')
    if (from) graph.links.push({ from: one.name, to: from, flows: 'requests' })
  }
  for (const loop of loops) {
    for (const station of value(loop, 'stations') ?? [])
      graph.links.push({ from: station, to: loop.name, flows: 'frames' })
  }
  return { problems, graph, names, components }
}

function written(value) {
  return typeof value === 'string'
    ? JSON.stringify(value)
    : Array.isArray(value)
      ? `[${value.map(written).join(', ')}]`
      : String(value)
}

function edited(text, edit) {
  const { components, names } = parse(text)
  const component = components.find((one) => one.name === edit.component)
  const splice = (begin, end, put) => text.slice(0, begin) + put + text.slice(end)
  const place = names.find((one) => one.name === edit.component)
  const after =
    place === undefined
      ? text.length
      : (names.find((one) => one.table_begin > place.table_begin)?.table_begin ?? text.length)
  const set = (of, name, value) => {
    const known = of.keys.find((one) => one.key === name)
    if (known) return splice(known.begin, known.end, written(value))
    const kindLine = text.indexOf('\n', text.indexOf('kind', place.table_begin)) + 1
    return splice(kindLine, kindLine, `${name} = ${written(value)}\n`)
  }
  switch (edit.do) {
    case 'set':
      return set(component, edit.key, edit.value)
    case 'unset': {
      const known = component.keys.find((one) => one.key === edit.key)
      const begin = text.lastIndexOf('\n', known.begin) + 1
      return splice(begin, text.indexOf('\n', known.end) + 1, '')
    }
    case 'add':
      return `${text.trimEnd()}\n\n[${edit.name}]\nkind = "${edit.kind}"\n${edit.kind === 'drives' ? 'access_time = "2 ms"\n' : ''}`
    case 'remove':
      return splice(place.table_begin, after, '').replaceAll(
        new RegExp(`, "${edit.component}"|"${edit.component}", `, 'g'),
        '',
      )
    case 'rename':
      return text
        .replaceAll(`[${edit.component}]`, `[${edit.name}]`)
        .replaceAll(`"${edit.component}"`, `"${edit.name}"`)
    default: {
      const loop = parse(text).components.find((one) => one.name === edit.to)
      const stations = loop?.keys.find((one) => one.key === 'stations')
      const list =
        edit.do === 'connect'
          ? [...(stations?.value ?? []), edit.component]
          : (stations?.value ?? []).filter((one) => one !== edit.component)
      if (stations) return splice(stations.begin, stations.end, written(list))
      const at = names.find((one) => one.name === edit.to)
      const line = text.indexOf('\n', text.indexOf('kind', at.table_begin)) + 1
      return splice(line, line, `stations = ${written(list)}\n`)
    }
  }
}

const digest = (text) => createHash('sha256').update(text).digest('hex')
const runs = new Map()
let changedOnDisk = false

function outcome(run) {
  if (run.what === 'explain') {
    return {
      explain: {
        iops: 2810,
        response_ns: 5_693_779,
        bottleneck: {
          component: 'loop',
          used: 0.91,
          why: '`loop` has a utilisation of 91 %: an I/O takes 324.6 us of it',
        },
        next_bottleneck: { component: 'drives', used: 0.77, why: '`drives` have a utilisation of 77 %' },
        headroom: [
          { component: 'loop', what: 'loop', used: 0.91, room: 0.09 },
          { component: 'drives', what: 'drive', used: 0.77, room: 0.23 },
          { component: 'controller', what: 'dma', used: 0.13, room: 0.87 },
        ],
        what_if: [
          {
            change: '`drives` with half the access time (1 ms)',
            set: { 'drives.access_time': '"1 ms"' },
            iops: 2932,
            response_ns: 5_456_622,
          },
          { change: 'a queue depth of 32', set: { 'workload.queue_depth': '32' }, iops: 3050, response_ns: 10_456_622 },
        ],
      },
    }
  }
  if (run.what === 'sweep') {
    return {
      sweep: {
        key: run.key,
        runs: run.values.map((value, n) => ({
          value,
          summary: { iops: 900 * Math.log2(2 + n), mean_ns: 1e6 * (1 + n), p99_ns: 2e6 * (1 + n) },
        })),
      },
    }
  }
  return {
    summary: {
      iops: 2185.6,
      mean_ns: 7321558.2,
      p99_ns: 7779246,
      ios: 10000,
      stopped_early: run.state === 'cancelled',
    },
  }
}

const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' }

createServer(async (request, answer) => {
  const url = new URL(request.url, 'http://127.0.0.1')
  const json = (value, status = 200) => {
    answer.writeHead(status, { 'content-type': 'application/json' })
    answer.end(JSON.stringify(value))
  }
  const fail = (status, code, message, hint = null) => json({ error: { code, message, hint } }, status)
  let body = ''
  for await (const piece of request) body += piece
  const given_ = body === '' ? {} : JSON.parse(body)
  const route = `${request.method} ${url.pathname}`
  const id = url.searchParams.get('id') ?? given_.id
  const one = /^\/api\/runs\/(\w+)(?:\/(\w+))?$/.exec(url.pathname)
  if (route === 'GET /api/session') {
    return json({
      sansim: '0.9.0',
      folder: 'studies',
      opened: { scenario: null, example: null, playback: given !== undefined },
    })
  }
  if (route === 'GET /api/scenarios') {
    return json({
      files: [...texts.keys()]
        .filter((one) => one.startsWith('file:'))
        .map((one) => ({ id: one, title: /title = "(.*)"/.exec(texts.get(one))?.[1] ?? one })),
      examples: [{ id: 'example:ring', title: 'Reads on a loop' }],
    })
  }
  if (url.pathname === '/api/text') {
    if (!texts.has(id)) return fail(404, 'unknown', 'There is no such scenario.')
    if (request.method === 'GET') return json({ id, text: texts.get(id), digest: digest(texts.get(id)) })
    if (id.startsWith('example:')) return fail(403, 'example', 'Examples are not changed.', 'save it as a file')
    if (given_.digest !== digest(texts.get(id))) return fail(409, 'changed', 'The file has changed on disk.')
    texts.set(id, given_.text)
    return json({ digest: digest(given_.text) })
  }
  if (route === 'GET /api/changed')
    return json({ changed: changedOnDisk || digest(texts.get(id) ?? '') !== url.searchParams.get('digest') })
  if (route === 'POST /api/test-change') {
    texts.set(id, `${texts.get(id)}# changed by another program\n`)
    return json({})
  }
  if (route === 'POST /api/check') return json(checked(given_.text))
  if (route === 'POST /api/edit') {
    const text = edited(given_.text, given_.edit)
    return json({ ...checked(text), text })
  }
  if (route === 'GET /api/kinds') return json({ kinds: KINDS })
  if (route === 'GET /api/runs') {
    return json({ runs: [...runs.values()].map(({ run, name, what, state }) => ({ run, name, what, state })) })
  }
  if (route === 'POST /api/runs') {
    const run = `r${runs.size + 1}`
    runs.set(run, { run, state: 'running', begun: Date.now(), ...given_ })
    return json({ run })
  }
  if (one !== null && runs.has(one[1])) {
    const run = runs.get(one[1])
    if (request.method === 'DELETE') {
      if (run.state === 'running') run.state = 'cancelled'
      return json({})
    }
    if (one[2] === 'progress') {
      answer.writeHead(200, { 'content-type': 'text/event-stream' })
      const timer = setInterval(() => {
        const share = Math.min(
          1,
          (Date.now() - run.begun) / (run.settings?.includes('run.duration=1 h') ? 60_000 : 1500),
        )
        if (share >= 1 && run.state === 'running') run.state = 'done'
        if (run.state === 'running')
          answer.write(
            `event: progress\ndata: ${JSON.stringify({ share, text: `${Math.round(share * 30)} s of 30 s` })}\n\n`,
          )
        else {
          answer.write(`event: done\ndata: ${JSON.stringify({ state: run.state, error: null, ...outcome(run) })}\n\n`)
          clearInterval(timer)
          answer.end()
        }
      }, 100)
      request.on('close', () => clearInterval(timer))
      return undefined
    }
    if (one[2] === 'playback' && run.what === 'run') {
      answer.writeHead(200, { 'content-type': 'application/octet-stream' })
      return answer.end(run.settings?.length > 0 ? files.faster : files.ring)
    }
    if (one[2] === 'report') {
      answer.writeHead(200, { 'content-type': 'text/html' })
      return answer.end('<!doctype html><title>report</title><p>The report.</p>')
    }
  }
  if (route === 'GET /api/playback') {
    const file = given === undefined ? null : (files[given] ?? readFileSync(given))
    if (file === null) return fail(404, 'no-playback', 'The studio was started without a playback file.')
    answer.writeHead(200, { 'content-type': 'application/octet-stream' })
    return answer.end(file)
  }
  if (url.pathname.startsWith('/api/')) return fail(404, 'unknown', `There is no ${url.pathname}.`)
  const path = normalize(url.pathname === '/' ? 'index.html' : url.pathname.slice(1))
  try {
    if (path.startsWith('..')) throw new Error('outside')
    let bytes = readFileSync(join(dist, path))
    const embedded = url.searchParams.get('file')
    if (path === 'player.html' && embedded !== null) {
      const base64 = Buffer.from(files[embedded] ?? readFileSync(embedded)).toString('base64')
      bytes = bytes
        .toString()
        .replace('</head>', `<script type="application/json" id="sansim-playback">"${base64}"</script></head>`)
    }
    answer.writeHead(200, {
      'content-type': types[extname(path)] ?? 'application/octet-stream',
      'content-security-policy': "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:",
      'x-content-type-options': 'nosniff',
    })
    return answer.end(bytes)
  } catch {
    answer.writeHead(404)
    return answer.end()
  }
}).listen(Number(process.argv[2] ?? 8000), '127.0.0.1', () => console.log(`http://127.0.0.1:${process.argv[2]}/`))
