/** Shares by source, and the threshold. */
import { markdownTable } from '../../bench/table.js'
import { doubtfulScore, trustScoreOf } from '../../packages/server/src/guard/trust-scale.js'
import type { Item } from './dataset.js'

export interface Scored {
  readonly item: Item
  readonly score: number
}

const harmlessInstructions = [
  'awesome_prompts_benign',
  'wildguard_benign',
  'benign_instructions/alpaca_eval',
  'benign_instructions/self-instruct',
  'benign_chat/chat/lme_sharegpt_user',
  'lme_u',
]

/** The score that this share of harmless instructions reaches, their sources weighing alike. NotInject has no say: it measures. */
export function thresholdOf(scored: readonly Scored[], share: number): number {
  const pools = harmlessInstructions.map((source) =>
    scored.filter(({ item }) => item.source === source && !item.attack).map(({ score }) => score),
  )
  const shareAbove = (score: number) =>
    pools.reduce((sum, pool) => sum + pool.filter((one) => one > score).length / (pool.length || 1), 0) / pools.length
  let [low, high] = [-20, 20]
  for (let step = 0; step < 40; step += 1) {
    const middle = (low + high) / 2
    if (shareAbove(middle) > share) low = middle
    else high = middle
  }
  return high
}

/** As the guard combines them: what each leaves of the trust is multiplied. */
const combined = ({ item, score }: Scored, threshold: number) =>
  item.ruleTrust / (1 + Math.exp(score - threshold)) < 0.5

export function groupTable(scored: readonly Scored[], threshold: number): string {
  const groups = new Map<string, Scored[]>()
  for (const one of scored) {
    const key = `${one.item.attack ? 'attacks' : 'harmless'}: ${one.item.source}`
    const group = groups.get(key)
    if (group) group.push(one)
    else groups.set(key, [one])
  }
  const percent = (part: readonly Scored[], all: readonly Scored[]) =>
    `${((100 * part.length) / all.length).toFixed(1)}%`
  const rows = [...groups].sort().map(([key, all]) => [
    key,
    String(all.length),
    percent(
      all.filter((one) => combined(one, threshold)),
      all,
    ),
    percent(
      all.filter(({ item }) => item.ruleTrust < 0.5),
      all,
    ),
    percent(
      all.filter(({ score }) => score > threshold),
      all,
    ),
  ])
  return markdownTable([`flagged at ${threshold.toFixed(2)}`, 'texts', 'both', 'rules', 'classifier'], rows)
}

/** One line for a threshold: what is refused wrongly, then what is found. */
export function summary(scored: readonly Scored[], share: number): string {
  const threshold = thresholdOf(scored, share)
  const percent = (name: string, pattern: RegExp, attack: boolean) => {
    const some = scored.filter(({ item }) => item.attack === attack && pattern.test(item.source))
    const flagged = some.filter((one) => combined(one, threshold))
    return `${name} ${((100 * flagged.length) / some.length).toFixed(1)}`
  }
  return [
    `${share} at ${threshold.toFixed(2)}:`,
    percent('NotInject', /notinject/i, false),
    percent('dialogue', /^(?:msc|sgd|locomo|realtalk|topical|clinc|taskmaster)/, false),
    percent('assistant', /lme_u$|lme_personal|lme_ultra/, false),
    percent('roles', /awesome/, false),
    percent('WildGuard', /wildguard/, false),
    percent('| deepset', /deepset/, true),
    percent('wild', /inthewild/, true),
    percent('JailbreakBench', /jailbreakb/, true),
    percent('CyberSecEval', /cyber/, true),
    percent('Tensor Trust', /tensor/, true),
    percent('NeurAlchemy', /neural/, true),
  ].join(' ')
}

/** Of the texts in other languages, as the service would decide with its default settings. */
export function languageTable(scored: readonly Scored[], threshold: number, languages: readonly string[]): string {
  const trustOf = ({ item, score }: Scored) => {
    const weight = 1 / (1 + Math.exp(threshold - score))
    return trustScoreOf(item.ruleProduct * (weight < 0.2 ? 1 : 1 - weight))
  }
  const shares = (source: string) => {
    const trusts = scored.filter(({ item }) => item.source === source).map(trustOf)
    const share = (most: number) => ((100 * trusts.filter((trust) => trust < most).length) / trusts.length).toFixed(1)
    return [String(trusts.length), share(0.5), share(doubtfulScore)]
  }
  return markdownTable(
    ['', 'attacks', 'refused', 'found', 'look-alikes', 'refused', 'flagged', 'sentences', 'refused', 'flagged'],
    languages.map((language) => [
      language,
      ...shares(`made/${language}`),
      ...shares(`made/benign-${language}`),
      ...shares(`tatoeba-${language}`),
    ]),
  )
}
