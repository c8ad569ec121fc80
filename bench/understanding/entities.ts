/**
 * Which entities the tagger makes of natural texts, and which way their relationships point. Each case lists the
 * entities that a reader would want and those that do no harm; every other entity is junk.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type EntityMention, nameKey } from '../../packages/server/src/core/entity.js'
import { hybridTagger } from '../../packages/server/src/facts/tagging/hybrid-tagger.js'
import { ruleTagger } from '../../packages/server/src/facts/tagging/rule-tagger.js'
import type { Tagged, Tagger } from '../../packages/server/src/models/models.js'
import { openSpanReader } from '../../packages/server/src/models/tagger/span-reader.js'
import { markdownTable } from '../table.js'
import type { Part, PartOptions } from './part.js'

interface EntityCase {
  readonly id: string
  readonly text: string
  /** `name`: spellings of which any will do. */
  readonly want: readonly { readonly type: string; readonly name: readonly string[] }[]
  readonly may: readonly string[]
}

interface RelationCase {
  readonly id: string
  readonly text: string
  /** "Carla PARENT_OF me" */
  readonly want: readonly string[]
}

const speaker: EntityMention = { name: 'me', type: 'PERSON', key: 'user:me', aliases: [] }

export const entities: Part = {
  name: 'entities',
  about: 'entities of natural texts (wanted, junk) and directions of relationships',
  async measure(options) {
    const tagger = hybridTagger(await openSpanReader())
    try {
      const rows: string[][] = []
      for (const half of ['dev', 'kept'] as const) {
        const cases = await read<EntityCase>(options, half)
        // The half kept aside shows figures only, so that nobody tunes on it.
        const show = options.show && half === 'dev'
        rows.push(await entityRow(`${half}, model and rules`, tagger, cases, show))
        rows.push(await entityRow(`${half}, rules alone`, ruleTagger(), cases, false))
      }
      console.log(markdownTable(['texts', 'wanted', 'missed', 'wrong type', 'found', 'junk', 'junk share'], rows))
      const cases = await read<RelationCase>(options, 'relations')
      console.log()
      await relations('model and rules', tagger, cases, options.show)
      await relations('rules alone', ruleTagger(), cases, false)
    } finally {
      await tagger.close()
    }
  },
}

async function read<Case>({ repository }: PartOptions, name: string): Promise<Case[]> {
  const text = await readFile(join(repository, `bench/understanding/cases/entities/${name}.jsonl`), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Case)
}

function tag(tagger: Tagger, cases: readonly { readonly text: string }[]): Promise<Tagged[]> {
  return tagger.tag(cases.map(({ text }) => ({ text, speaker })))
}

async function entityRow(
  label: string,
  tagger: Tagger,
  cases: readonly EntityCase[],
  show: boolean,
): Promise<string[]> {
  const count = { wanted: 0, missed: 0, mistyped: 0, found: 0, junk: 0 }
  const tagged = await tag(tagger, cases)
  for (const [index, { id, text, want, may }] of cases.entries()) {
    const found = (tagged[index]?.entities ?? []).filter(({ key }) => key !== speaker.key)
    const keysOf = ({ name }: EntityCase['want'][number]) => new Set(name.map(nameKey))
    const matchOf = (wanted: EntityCase['want'][number]) => found.find(({ key }) => keysOf(wanted).has(key))
    const missed = want.filter((wanted) => !matchOf(wanted))
    const mistyped = want.filter((wanted) => (matchOf(wanted)?.type ?? wanted.type) !== wanted.type)
    const allowed = new Set([...want.flatMap(({ name }) => name), ...may].map(nameKey))
    const junk = found.filter(({ key }) => !allowed.has(key))
    count.wanted += want.length
    count.missed += missed.length
    count.mistyped += mistyped.length
    count.found += found.length
    count.junk += junk.length
    if (show && missed.length + junk.length + mistyped.length > 0)
      console.log(
        `${id} ${text}\n    missed: ${missed.map(({ name }) => name[0]).join(', ')}; ` +
          `junk: ${junk.map(({ name, type }) => `${type} ${name}`).join(', ')}; ` +
          `wrong type: ${mistyped.map((one) => `${matchOf(one)?.type} ${one.name[0]}`).join(', ')}`,
      )
  }
  const { wanted, missed, mistyped, found, junk } = count
  return [label, ...[wanted, missed, mistyped, found, junk].map(String), `${((100 * junk) / found).toFixed(1)}%`]
}

async function relations(label: string, tagger: Tagger, cases: readonly RelationCase[], show: boolean): Promise<void> {
  let [right, wanted, wrong] = [0, 0, 0]
  const tagged = await tag(tagger, cases)
  for (const [index, { id, text, want }] of cases.entries()) {
    const { entities = [], relationships = [] } = tagged[index] ?? {}
    const nameOf = (key: string) => (key === speaker.key ? 'me' : entities.find((entity) => entity.key === key)?.name)
    const found = relationships
      .filter(({ ends }) => !ends)
      .map(({ sourceKey, type, targetKey }) => `${nameOf(sourceKey)} ${type} ${nameOf(targetKey)}`)
    const missed = want.filter((one) => !found.includes(one))
    const extra = found.filter((one) => !want.includes(one))
    right += want.length - missed.length
    wanted += want.length
    wrong += extra.length
    if (show && missed.length + extra.length > 0)
      console.log(`${id} ${text}\n    missed: ${missed.join(', ')}; extra: ${extra.join(', ')}`)
  }
  console.log(`relationships, ${label}: ${right} of ${wanted} found, ${wrong} others`)
}
