/**
 * SPIKEE (Apache-2.0) builds an attack from a template, an order and a document. Its seed files are not shipped; docs/benchmarks/guard.md says
 * where they go. Kinds of templates are divided into halves: what is missed may be read in the open half only.
 */
import { chanceOf } from '../../training/guard/sources.js'
import { allRows } from '../quality/rows.js'
import type { Case, MeasuredSet } from './sets.js'

interface Template {
  readonly jailbreak_type: string
  readonly text: string
  readonly lang?: string
}

interface Order {
  readonly instruction: string
  readonly lang?: string
}

interface Harmless {
  readonly text: string
}

interface BaseDocument {
  readonly document: string
  /** Stands where the attack goes, whatever the place. */
  readonly placeholder?: string | null
}

type Half = 'open' | 'sealed'
type Place = 'alone' | 'start' | 'middle' | 'end'

const places: readonly Place[] = ['alone', 'start', 'middle', 'end']
const slot = '<INSTRUCTION>'

const halfOf = (name: string): Half => (chanceOf(`half ${name}`) < 0.5 ? 'open' : 'sealed')
const languageOf = ({ lang }: { readonly lang?: string }) => lang ?? 'en'

/** @throws MissingData if a seed file does not exist. */
export async function readSpikee(folder: string, half: Half): Promise<MeasuredSet[]> {
  const all = await allRows<Template>(folder, 'jailbreaks', ['jailbreak_type', 'text'])
  const orders = await allRows<Order>(folder, 'instructions', ['instruction'])
  const documents = await allRows<BaseDocument>(folder, 'base_user_inputs', ['document'])
  const harmless = await allRows<Harmless>(folder, 'harmless', ['text'])
  const without = all.find(({ text }) => !text.includes(slot))
  if (without) throw new Error(`jailbreaks.jsonl: the template "${without.text.slice(0, 60)}" has no ${slot}`)
  const templates = all.filter(({ jailbreak_type }) => halfOf(jailbreak_type) === half)
  const attacks = templates.flatMap((template) => attacksOf(template, orders, documents))
  const english = attacks.filter(({ language }) => language === 'en')
  const hosts = documents.map(({ document, placeholder }) =>
    placeholder ? document.split(placeholder).join('') : document,
  )
  const ordinary = [...new Set([...harmless.map(({ text }) => text), ...hosts])].filter((text) => text.trim() !== '')
  const named = (kind: string, cases: readonly Case[]) => ({ name: `spikee ${half}, ${kind}`, cases })
  return [
    named('English', english),
    named(
      'English, alone',
      english.filter(({ place }) => place === 'alone'),
    ),
    named(
      'English, in a document',
      english.filter(({ place }) => place !== 'alone'),
    ),
    named(
      'English, at the end',
      english.filter(({ place }) => place === 'end'),
    ),
    named(
      'other languages',
      attacks.filter(({ language }) => language !== 'en'),
    ),
    named(
      'harmless',
      ordinary.filter((text) => halfOf(text) === half).map((text) => ({ text, attack: false, fold: null })),
    ),
  ]
}

/** A template is filled with every order of its language. */
function attacksOf(template: Template, orders: readonly Order[], documents: readonly BaseDocument[]) {
  const language = languageOf(template)
  return orders
    .filter((order) => languageOf(order) === language)
    .flatMap(({ instruction }) => {
      const payload = template.text.split(slot).join(instruction)
      const placed = documents.flatMap((base) => places.map((place) => ({ place, base })))
      const texts = placed.map(({ place, base }) => ({ place, text: injected(payload, base, place) }))
      const different = [...new Map(texts.map((one) => [one.text, one])).values()]
      return different.map((one) => ({ ...one, language, attack: true, fold: null }))
    })
}

/** As SPIKEE does: on lines of its own, in the middle at the space nearest to it. */
export function injected(payload: string, { document, placeholder }: BaseDocument, place: Place): string {
  if (place === 'alone') return payload
  if (placeholder) return document.split(placeholder).join(`\n${payload}\n`)
  const at = place === 'start' ? 0 : place === 'end' ? document.length : nearestSpace(document)
  return `${document.slice(0, at)}\n${payload}\n${document.slice(at)}`
}

function nearestSpace(text: string): number {
  const middle = Math.floor(text.length / 2)
  const after = text.indexOf(' ', middle)
  const before = text.slice(0, middle).lastIndexOf(' ')
  if (after < 0 && before < 0) return middle
  if (after < 0 || before < 0) return Math.max(after, before)
  return after - middle < middle - before ? after : before
}
