/** Texts of our own making from `attacks.txt` and `harmless.txt`, and from the books of other languages. */
import { readFileSync } from 'node:fs'
import { pick, type Random } from '../../bench/random.js'
import { foldCount } from './folds.js'
import { chanceOf, type Sample } from './sources.js'

interface Book {
  readonly lists: ReadonlyMap<string, readonly string[]>
  readonly templates: ReadonlyMap<string, readonly string[]>
}

/** Lines `name: a ; b` are lists, lines under `# name` templates. */
function readBook(name: string): Book {
  const lists = new Map<string, string[]>()
  const templates = new Map<string, string[]>()
  let kind: string[] | null = null
  for (const raw of readFileSync(new URL(name, import.meta.url), 'utf8')
    .split('\n')
    .slice(3)) {
    const line = raw.replaceAll('\\n', '\n')
    const list = kind === null ? /^(\w+): (.*)$/s.exec(line) : null
    if (line.startsWith('# ')) {
      kind = []
      templates.set(line.slice(2), kind)
    } else if (list) lists.set(list[1] ?? '', (list[2] ?? '').split(' ; '))
    else if (line !== '') kind?.push(line)
  }
  return { lists, templates }
}

/** `{name}` from a list, `[a|b|]` a choice, both inside each other; `⟦⟧` are brackets that stay. */
function fill(template: string, lists: Book['lists'], next: Random): string {
  let text = template
  for (;;) {
    const before = text
    text = text.replace(/\[([^[\]]*)\]/g, (_, options: string) => pick(next, options.split('|')))
    text = text.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const list = lists.get(name)
      return list ? pick(next, list) : whole
    })
    if (text === before) break
  }
  return text.replace(/⟦/g, '[').replace(/⟧/g, ']').replace(/ {2,}/g, ' ').trim()
}

/** As people type: capital first letter, all capitals, none, a full stop forgotten. */
function typed(text: string, next: Random): string {
  const style = next()
  if (style < 0.08) return text.toUpperCase()
  if (style < 0.3) return text.toLowerCase()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** `hosts` are ordinary texts: half of the attacks stand inside one, as they do in mails and pages. */
export function madeAttacks(count: number, hosts: readonly string[], next: Random): Sample[] {
  const { lists, templates: kinds } = readBook('attacks.txt')
  return Array.from({ length: count }, () => {
    const [kind, templates] = pick(next, [...kinds])
    const order = typed(fill(pick(next, templates), lists, next), next)
    const where = next()
    const host = pick(next, hosts)
    const [first, last] = cut(host, next)
    const glue = pick(next, [' ', '\n', '\n\n', '. ', ' '])
    const text =
      where < 0.45
        ? order
        : where < 0.65
          ? `${host}${glue}${order}`
          : where < 0.75
            ? `${order}${glue}${host}`
            : `${first}${glue}${order}${glue}${last}`
    return { text, attack: true, source: `made/${kind}`, learn: true }
  })
}

/** At a space near the middle. */
function cut(text: string, next: Random): [string, string] {
  const at = text.indexOf(' ', Math.floor(text.length * (0.25 + next() / 2)))
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

export function madeBenign(count: number, hosts: readonly string[], next: Random): Sample[] {
  const { lists, templates: kinds } = readBook('harmless.txt')
  const templates = [...kinds.values()].flat()
  return Array.from({ length: count }, () => {
    const text = typed(fill(pick(next, templates), lists, next), next)
    const where = next()
    const host = pick(next, hosts)
    return {
      text: where < 0.7 ? text : where < 0.85 ? `${host} ${text}` : `${text} ${host}`,
      attack: false,
      source: 'made/benign',
      learn: true,
    }
  })
}

/** Each has two books in `languages/`. */
export const otherLanguages = ['de', 'es', 'fr', 'pt', 'it', 'nl', 'ru', 'zh', 'ja'] as const

/** Fills of each template. */
const fillsEach = { attacks: 24, harmless: 24 } as const

/**
 * A template's texts are all in one fold, so that no text measures what another filling of its template taught. `hosts` are ordinary
 * sentences of the language.
 */
export function madeInLanguage(language: string, hosts: readonly string[], next: Random): Sample[] {
  const common = readBook('languages/common.txt').lists
  return (['attacks', 'harmless'] as const).flatMap((side) => {
    const book = readBook(`languages/${language}.${side}.txt`)
    const lists = new Map([...common, ...book.lists])
    const attack = side === 'attacks'
    return [...book.templates.values()].flat().flatMap((template) => {
      const fold = Math.floor(chanceOf(`fold ${template}`) * foldCount)
      const texts = Array.from({ length: fillsEach[side] }, () =>
        amongSentences(typed(fill(template, lists, next), next), hosts, attack ? 0.55 : 0.7, next),
      )
      const source = attack ? `made/${language}` : `made/benign-${language}`
      return [...new Set(texts)].map((text) => ({ text, attack, source, learn: true, fold }))
    })
  })
}

/** Alone with the given chance, otherwise before or after one or two sentences. */
function amongSentences(text: string, hosts: readonly string[], alone: number, next: Random): string {
  if (next() < alone) return text
  const host = next() < 0.5 ? pick(next, hosts) : `${pick(next, hosts)} ${pick(next, hosts)}`
  return next() < 0.6 ? `${host} ${text}` : `${text} ${host}`
}
