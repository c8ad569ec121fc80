/** Totals, tables, and failed cases as text. */
import { markdownTable } from '../table.js'
import type { NaturalCase } from './cases.js'
import type { Observed } from './observed.js'
import type { CaseScore, EndedScore } from './score.js'

export interface DoorResult {
  readonly door: string
  readonly seconds: number
  readonly totals: Totals
  readonly measured: readonly Measured[]
}

export interface Measured {
  readonly one: NaturalCase
  readonly observed: Observed
  readonly score: CaseScore
}

export interface Totals {
  readonly cases: number
  readonly stores: number
  readonly storeCpuMs: number
  readonly rows: readonly Row[]
}

/** `of` is null where a share has no meaning. */
export interface Row {
  readonly name: string
  readonly count: number
  readonly of: number | null
}

export function totalsOf(scores: readonly CaseScore[], storeMs: readonly number[]): Totals {
  const sum = (figure: (score: CaseScore) => number) => scores.reduce((total, score) => total + figure(score), 0)
  const answers = scores.flatMap((score) => score.answers)
  const changed = answers.filter((answer) => answer.changed)
  const ended = scores.flatMap((score) => score.ended)
  const inState = (...states: EndedScore['state'][]) => ended.filter(({ state }) => states.includes(state)).length
  const recognised = sum(({ same }) => same.found.length)
  const categories = [...new Set(scores.map(({ category }) => category))].sort()
  const rightCases = (name: string, some: readonly CaseScore[]): Row => ({
    name,
    count: some.filter(({ right }) => right).length,
    of: some.length,
  })
  const rows: Row[] = [
    { name: 'changed facts: newest first', count: changed.filter(({ first }) => first).length, of: changed.length },
    { name: 'old fact ended', count: inState('replaced', 'open'), of: ended.length },
    { name: '– replaced', count: inState('replaced'), of: ended.length },
    { name: '– open', count: inState('open'), of: ended.length },
    { name: '– not measurable', count: sum(({ unmeasurable }) => unmeasurable), of: null },
    { name: 'compatible facts lost', count: sum(({ lost }) => lost.length), of: null },
    { name: 'contradictions raised without need', count: sum(({ raised }) => raised.length), of: null },
    {
      name: 'small talk stored',
      count: sum(({ chatter }) => chatter.found.length),
      of: sum(({ chatter }) => chatter.of),
    },
    {
      name: 'statements lost',
      count: sum(({ statements }) => statements.found.length),
      of: sum(({ statements }) => statements.of),
    },
    {
      name: 'right quotes in no memory',
      count: sum(({ values }) => values.found.length),
      of: sum(({ values }) => values.of),
    },
    { name: 'turns refused', count: sum(({ refused }) => refused), of: null },
    { name: 'duplicates recognised', count: recognised, of: sum(({ same }) => same.of) },
    { name: '– precision', count: recognised, of: recognised + sum(({ mistaken }) => mistaken.length) },
    { name: 'questions: first result right', count: answers.filter(({ first }) => first).length, of: answers.length },
    {
      name: 'questions: all quotes found',
      count: answers.filter(({ complete }) => complete).length,
      of: answers.length,
    },
    rightCases('cases right', scores),
    ...categories.map((category) =>
      rightCases(
        `– ${category}`,
        scores.filter((score) => score.category === category),
      ),
    ),
  ]
  const storeCpuMs = storeMs.reduce((total, ms) => total + ms, 0) / Math.max(1, storeMs.length)
  return { cases: scores.length, stores: storeMs.length, storeCpuMs, rows }
}

/** Without any id or text of a case. */
export function sealedText({ door, seconds, totals }: DoorResult): string {
  return `${tableOf(door, totals)}\n\n${totals.cases} cases in ${seconds.toFixed(0)} s`
}

export function sealedJson({ door, seconds, totals }: DoorResult): object {
  return { door, seconds, ...totals }
}

export function openText(result: DoorResult, failures: boolean): string {
  const { measured } = result
  const failed = failures ? measured.filter(({ score }) => faultsOf(score).length > 0) : []
  const listed = (title: string, textsOf: (score: CaseScore) => readonly string[]) => {
    const lines = measured.flatMap(({ score }) => textsOf(score).map((text) => `  ${score.id} ${text}`))
    return `${title}:${lines.length === 0 ? ' none' : ['', ...lines].join('\n')}`
  }
  return [
    ...failed.map((one) => `${failureText(one)}\n`),
    sealedText(result),
    listed('compatible facts lost', ({ lost }) => lost.map(({ content, how }) => `"${content}" (${how})`)),
    listed('contradictions raised without need', ({ raised }) => raised.map(({ why }) => why)),
  ].join('\n')
}

export function openJson(result: DoorResult): object {
  return { ...sealedJson(result), results: result.measured }
}

function tableOf(door: string, { rows, stores, storeCpuMs }: Totals): string {
  const share = ({ count, of }: Row) => (of === null || of === 0 ? '–' : ((100 * count) / of).toFixed(1))
  return markdownTable(
    [`door: ${door}`, 'count', 'of', '%'],
    [
      ...rows.map((row) => [row.name, String(row.count), row.of === null ? '–' : String(row.of), share(row)]),
      ['processor time per store, ms', storeCpuMs.toFixed(1), String(stores), '–'],
    ],
  )
}

const shownResults = 3

/** A failed case for reading: its faults, what was sent and stored, the contradictions, and the best results. */
function failureText({ one, observed, score }: Measured): string {
  const lines = [`${one.id} (${one.category}; ${one.voice})`, ...faultsOf(score).map((fault) => `  ✗ ${fault}`)]
  const states = new Map(observed.memories.map((memory) => [memory.id, memory]))
  for (const [index, turn] of one.turns.entries()) {
    const { stored = [], refused = false } = observed.turns[index] ?? {}
    lines.push(`  ${index} ${turn.name ?? turn.role} ${turn.at}: ${turn.content}`)
    if (refused) lines.push('      refused')
    for (const { id, action, content } of stored) {
      const { superseded = false, outdated = [] } = states.get(id) ?? {}
      const parts = outdated.map(({ text }) => ` [outdated: ${text}]`).join('')
      lines.push(`      ${action} ${content}${superseded ? ' [superseded]' : ''}${parts}`)
    }
  }
  for (const { status, why } of observed.contradictions) lines.push(`  contradiction, ${status}: ${why}`)
  for (const [index, { ask, right, outdated, wrong = [] }] of one.questions.entries()) {
    const unwanted = [...outdated, ...wrong]
    lines.push(`  ? ${ask} [${right.join(' | ')}]${unwanted.length === 0 ? '' : ` not [${unwanted.join(' | ')}]`}`)
    for (const { score: relevance, content } of (observed.answers[index] ?? []).slice(0, shownResults))
      lines.push(`      ${relevance.toFixed(3)} ${content}`)
  }
  return lines.join('\n')
}

function faultsOf(score: CaseScore): string[] {
  return [
    ...score.answers.filter(({ first }) => !first).map(({ ask }) => `first result: ${ask}`),
    ...score.answers.filter(({ complete }) => !complete).map(({ ask }) => `quotes not found: ${ask}`),
    ...score.ended.filter(({ state }) => state === 'missed').map(({ quote }) => `not ended: "${quote}"`),
    ...score.lost.map(({ content, how }) => `lost: "${content}" (${how})`),
    ...score.raised.map((found) => `raised without need: "${found.old.content}" / "${found.new.content}"`),
    ...score.chatter.found.map((turn) => `small talk stored: turn ${turn}`),
    ...score.statements.found.map((turn) => `statement lost: turn ${turn}`),
    ...score.values.found.map((quote) => `in no memory: "${quote}"`),
    ...(score.same.found.length === score.same.of
      ? []
      : [`duplicates: ${score.same.found.length} of ${score.same.of} recognised`]),
    ...score.mistaken.map(([first, second]) => `taken for the same: turns ${first} and ${second}`),
  ]
}
