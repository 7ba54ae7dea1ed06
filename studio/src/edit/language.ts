/** Completion and hover of keys, from the kinds of components. */

import { autocompletion } from '@codemirror/autocomplete'
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'
import { hoverTooltip } from '@codemirror/view'
import type { Checked, ComponentKind, KindKey } from '../api'
import { tableAt } from './offsets'

export interface Knowledge {
  checked: () => Checked | null
  kinds: () => ComponentKind[]
}

function kindAt(knowledge: Knowledge, text: string, place: number): { kind: ComponentKind; prefix: string } | null {
  const table = tableAt(text, place)
  if (table === null) return null
  const [name, ...rest] = table.split('.')
  const component = knowledge.checked()?.components.find((one) => one.name === name)
  const kind = knowledge.kinds().find((one) => one.kind === component?.kind)
  return kind === undefined ? null : { kind, prefix: rest.length === 0 ? '' : `${rest.join('.')}.` }
}

function about(key: KindKey): string {
  const lines = [key.meaning]
  if (key.units !== null) lines.push(`Units: ${key.units.join(', ')}.`)
  if (key.choices !== null) lines.push(`One of ${key.choices.join(', ')}.`)
  if (key.default !== null) lines.push(`Default: ${key.default}.`)
  if (key.source !== null) lines.push(`Source: ${key.source}.`)
  if (key.required) lines.push('It is required.')
  return lines.join('\n')
}

export function language(knowledge: Knowledge): Extension {
  const complete = (context: CompletionContext): CompletionResult | null => {
    const text = context.state.doc.toString()
    const line = context.state.doc.lineAt(context.pos)
    const before = line.text.slice(0, context.pos - line.from)
    const kindValue = /^\s*kind\s*=\s*"([\w-]*)$/.exec(before)
    if (kindValue !== null) {
      const options = knowledge
        .kinds()
        .map((kind): Completion => ({ label: kind.kind, detail: kind.title, info: kind.summary }))
      return { from: context.pos - kindValue[1]!.length, options }
    }
    const found = kindAt(knowledge, text, context.pos)
    if (found === null) return null
    const value = /^\s*([\w.-]+)\s*=\s*"?([\w.-]*)$/.exec(before)
    if (value !== null) {
      const key = found.kind.keys.find((one) => one.key === found.prefix + value[1]!)
      if (key?.choices == null) return null
      const quoted = before.includes('"')
      const options = key.choices.map((label): Completion => ({ label, apply: quoted ? label : `"${label}"` }))
      return { from: context.pos - value[2]!.length, options }
    }
    const word = /^\s*([\w.-]*)$/.exec(before)
    if (word === null || (word[1] === '' && !context.explicit)) return null
    const options = found.kind.keys
      .filter((key) => key.key.startsWith(found.prefix))
      .map((key): Completion => {
        const label = key.key.slice(found.prefix.length)
        return { label, apply: `${label} = `, detail: key.type, info: about(key) }
      })
    return { from: context.pos - word[1]!.length, options }
  }
  const hover = hoverTooltip((view, place) => {
    const line = view.state.doc.lineAt(place)
    const set = /^(\s*)([\w.-]+)\s*=/.exec(line.text)
    if (set === null) return null
    const from = line.from + set[1]!.length
    const to = from + set[2]!.length
    if (place < from || place > to) return null
    const found = kindAt(knowledge, view.state.doc.toString(), place)
    const key = found?.kind.keys.find((one) => one.key === found.prefix + set[2]!)
    const text = set[2] === 'kind' ? found?.kind.summary : key === undefined ? undefined : about(key)
    if (text === undefined) return null
    return {
      pos: from,
      end: to,
      create: () => {
        const dom = document.createElement('div')
        dom.className = 'cm-about'
        dom.textContent = text
        return { dom }
      },
    }
  })
  return [autocompletion({ override: [complete] }), hover]
}
