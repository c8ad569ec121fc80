/** The part of `learn.ts` about questions without an answer: the weight of a lead, and the meaning of a score. */
import { defaultFusion, type FusionSettings } from '../../packages/server/src/retrieval/rank/fuse.js'
import { markdownTable } from '../table.js'
import {
  areaOf,
  chancesByAll,
  errorOf,
  fitLead,
  fitScale,
  type LeadFit,
  type TopCase,
  whatTells,
  withLead,
} from './calibration.js'
import { fuseAgain, onlySignals, rerankAgain, topOf } from './fuse-again.js'
import type { Case } from './fusion-search.js'

const noLead: LeadFit = { weight: 0, usualLead: 0 }
const currentLead: LeadFit = { weight: defaultFusion.weights.lead, usualLead: defaultFusion.usualLead }

export async function scaleReport(
  folds: readonly (readonly Case[])[],
  learned: readonly FusionSettings[],
  final: FusionSettings,
): Promise<string> {
  const sets = new Set(folds.flat().flatMap(({ set, question }) => (question.answerable ? [] : [set])))
  if (sets.size === 0) return 'There is no question without an answer: nothing to calibrate.'
  const parts = folds.map((fold) => fold.filter(({ set }) => sets.has(set)))
  const tops = parts.map((part, index) => part.map((one) => topCase(one, learned[index] ?? defaultFusion)))
  const leads = tops.map((part) => fitLead(tops.filter((other) => other !== part).flat()))
  const all = parts.flat().map((one) => topCase(one, final))
  const lead = fitLead(all)
  return `${areasTable(sets, tops, leads)}

Weight of the lead: ${shown(lead.weight)}, typical lead ${shown(lead.usualLead)}; by fold ${leads
    .map(({ weight, usualLead }) => `${shown(weight)} and ${shown(usualLead)}`)
    .join(', ')}; current ${shown(currentLead.weight)} and ${shown(currentLead.usualLead)}.

Predictors of an answer, by the effect of a typical difference: ${tellingSignals(all, parts.flat())}.

${await scalesTable(parts, final, lead)}`
}

function areasTable(
  sets: ReadonlySet<string>,
  tops: readonly (readonly TopCase[])[],
  leads: readonly LeadFit[],
): string {
  const byAll = tops.map((part) => chancesByAll(tops.filter((other) => other !== part).flat(), part))
  const kinds: readonly (readonly [string, (one: TopCase, part: number, place: number) => number])[] = [
    ['sum alone', ({ sum }) => sum],
    ['with the current lead', (one) => withLead(one, currentLead)],
    ['with a lead fitted on the other folds', (one, part) => withLead(one, leads[part] ?? noLead)],
    ['all signals of the best candidate, fitted likewise', (_, part, place) => byAll[part]?.[place] ?? 0],
  ]
  const rows = [...sets].flatMap((set) =>
    kinds.map(([kind, scoreOf]) => {
      const parts = tops.map((part, index) =>
        part.flatMap((one, place) =>
          one.set === set ? [{ answerable: one.answerable, score: scoreOf(one, index, place) }] : [],
        ),
      )
      return [`${set}: ${kind}`, ...[...parts, parts.flat()].map((part) => percent(areaOf(part)))]
    }),
  )
  return markdownTable(['AUC of the top score, held out', ...tops.map((_, index) => `fold ${index + 1}`), 'all'], rows)
}

function tellingSignals(tops: readonly TopCase[], cases: readonly Case[]): string {
  const signals = Object.keys(cases[0]?.candidates[0]?.scores ?? {})
  const names = ['sum', 'a speaker is named', 'lead', 'distance to the tenth', ...signals]
  return whatTells(tops)
    .map((effect, index) => ({ name: names[index] ?? '', effect }))
    .sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect))
    .map(({ name, effect }) => `${name} ${effect < 0 ? '−' : '+'}${Math.abs(effect).toFixed(2)}`)
    .join(', ')
}

/** One scale per recall mode. */
async function scalesTable(
  parts: readonly (readonly Case[])[],
  settings: FusionSettings,
  lead: LeadFit,
): Promise<string> {
  const { weights } = settings
  const alone = (name: 'semantic' | 'keyword') => ({ ...settings, weights: onlySignals(weights, [name]) })
  const reranked = { ...settings, usualLead: lead.usualLead, weights: { ...weights, lead: lead.weight } }
  const kinds: readonly (readonly [string, LeadFit, (one: Case) => TopCase | Promise<TopCase>])[] = [
    ['hybrid', lead, (one) => topCase(one, settings)],
    ['semantic', noLead, (one) => topCase(one, alone('semantic'))],
    ['keyword', noLead, (one) => topCase(one, alone('keyword'))],
    ['rerank', noLead, (one) => rerankedTop(one, reranked)],
  ]
  const rows: string[][] = []
  for (const [kind, kindLead, topFor] of kinds) {
    const tops = await Promise.all(parts.map((part) => Promise.all(part.map(topFor))))
    const scale = fitScale(tops.flat(), kindLead)
    const errors = tops.map((part) =>
      errorOf(part, kindLead, fitScale(tops.filter((other) => other !== part).flat(), kindLead)),
    )
    const error = errors.reduce((sum, one) => sum + one, 0) / errors.length
    rows.push([kind, shown(scale.middle), scale.slope.toFixed(1), shown(error)])
  }
  return markdownTable(['scale', 'middle', 'slope', 'held-out squared error (coin toss: 0.25)'], rows)
}

function topCase(one: Case, settings: FusionSettings): TopCase {
  return { ...labelOf(one), ...topOf(one, settings) }
}

async function rerankedTop(one: Case, settings: FusionSettings): Promise<TopCase> {
  const { topScore } = await rerankAgain(one, fuseAgain(one, settings), settings)
  return { ...labelOf(one), sum: topScore, lead: null, others: [] }
}

function labelOf({ set, question }: Case): Pick<TopCase, 'set' | 'answerable'> {
  return { set, answerable: question.answerable }
}

function shown(value: number): string {
  return value.toFixed(3)
}

function percent(share: number | undefined): string {
  return share === undefined ? '' : (share * 100).toFixed(1)
}
