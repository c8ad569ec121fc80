/** People, organisations and places that the service's tagger finds in texts of ten languages. */
import { type EntityType, nameKey } from '../../../packages/server/src/core/entity.js'
import { hybridTagger } from '../../../packages/server/src/facts/tagging/hybrid-tagger.js'
import { openSpanReader } from '../../../packages/server/src/models/tagger/span-reader.js'
import type { NamesRow } from './data.js'

export interface NamesFigures {
  readonly language: string
  readonly texts: number
  /** Names with the right type. */
  readonly f1: number
  readonly precision: number
  readonly recall: number
  /** Names with any type. */
  readonly untypedF1: number
}

const typeOf: Readonly<Record<string, EntityType>> = { person: 'PERSON', organization: 'ORG', place: 'LOCATION' }
const counted: ReadonlySet<string> = new Set(Object.values(typeOf))
const speaker = { name: 'me', type: 'PERSON', key: 'user:me', aliases: [] } as const

const patienceMs = 600_000

export async function measureNames(byLanguage: ReadonlyMap<string, readonly NamesRow[]>): Promise<NamesFigures[]> {
  // On a busy machine the service would continue without the model, which is not measured here.
  const tagger = hybridTagger(await openSpanReader(), { timeoutMs: () => patienceMs })
  const figures: NamesFigures[] = []
  try {
    for (const [language, rows] of byLanguage) {
      const tagged = await tagger.tag(rows.map(({ text }) => ({ text, speaker })))
      if (tagger.lastCallFailed()) throw new Error(`${language}: the tagger's model did not answer`)
      const [typed, untyped] = [new Count(), new Count()]
      for (const [index, { entities }] of rows.entries()) {
        // A project is no name of these kinds, but nobody would call it junk.
        const ignored = new Set(entities.flatMap(({ name, type }) => (type in typeOf ? [] : [nameKey(name)])))
        const wanted = entities.flatMap(({ name, type }) => {
          const known = typeOf[type]
          return known === undefined ? [] : [{ key: nameKey(name), type: known }]
        })
        const found = (tagged[index]?.entities ?? []).filter(
          ({ key, type }) => key !== speaker.key && counted.has(type) && !ignored.has(key),
        )
        typed.add(wanted.map(withType), found.map(withType))
        untyped.add(
          wanted.map(({ key }) => key),
          found.map(({ key }) => key),
        )
      }
      figures.push({ language, texts: rows.length, ...typed.figures(), untypedF1: untyped.figures().f1 })
    }
  } finally {
    await tagger.close()
  }
  return figures
}

function withType({ key, type }: { readonly key: string; readonly type: string }): string {
  return `${type} ${key}`
}

class Count {
  private right = 0
  private found = 0
  private wanted = 0

  add(wanted: readonly string[], found: readonly string[]): void {
    const [want, got] = [new Set(wanted), new Set(found)]
    this.wanted += want.size
    this.found += got.size
    this.right += [...got].filter((name) => want.has(name)).length
  }

  figures() {
    const share = (of: number) => (of === 0 ? 0 : this.right / of)
    const sum = this.found + this.wanted
    return { precision: share(this.found), recall: share(this.wanted), f1: sum === 0 ? 0 : (2 * this.right) / sum }
  }
}
