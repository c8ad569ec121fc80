import { ServiceError } from '../../core/errors.js'
import type { Json, Metadata } from '../../core/memory.js'
import { conclude, type Screened } from '../../guard/sanitize.js'
import { withoutMarks } from '../../guard/secrets/marks.js'
import type { Deps } from '../deps.js'
import type { Turns } from '../texts/fair-lane.js'
import { inSlices } from '../texts/text-lanes.js'

export interface TextAt {
  readonly path: string
  readonly text: string
}

/** The guard's verdict on texts that a caller wants to store. A rejection is counted. */
export function screenTexts(deps: Deps, place: Turns, texts: readonly TextAt[]): Promise<Screened> {
  return countingRejections(deps, () => judged(deps, place, texts, deps.settings.trust.policy))
}

/** The same, but nothing is rejected. */
export function weighTexts(deps: Deps, place: Turns, texts: readonly TextAt[]): Promise<Screened> {
  return judged(deps, place, texts, 'flag')
}

export async function countingRejections<Verdict>(deps: Deps, judge: () => Promise<Verdict>): Promise<Verdict> {
  try {
    return await judge()
  } catch (error) {
    if (error instanceof ServiceError) deps.meter.trustRejection(findingKinds(error))
    throw error
  }
}

async function judged(
  deps: Deps,
  place: Turns,
  texts: readonly TextAt[],
  policy: 'reject' | 'flag',
): Promise<Screened> {
  const { sanitize, ...settings } = deps.settings.trust
  const inspect = (some: readonly TextAt[]) => deps.texts.inspect(some.map(({ text }) => withoutMarks(text)))
  const verdicts = sanitize ? await inSlices(place, texts, ({ text }) => text, inspect) : []
  const parts = verdicts.map((verdict, index) => ({ path: '', text: '', ...texts[index], ...verdict }))
  return conclude(parts, { ...settings, policy })
}

function findingKinds(error: ServiceError): string[] {
  const kinds = new Set<string>()
  for (const detail of error.details ?? []) {
    const findings: unknown = detail.findings
    if (!Array.isArray(findings)) continue
    for (const finding of findings) {
      if (typeof finding === 'object' && finding !== null && 'kind' in finding) kinds.add(String(finding.kind))
    }
  }
  return [...kinds]
}

/** Every key and text inside metadata, with its path: the guard reads them all. */
export function metadataTexts(metadata: Metadata): TextAt[] {
  return jsonTexts('metadata', metadata)
}

export function jsonTexts(name: string, json: Json): TextAt[] {
  const texts: TextAt[] = []
  const visit = (value: Json, path: string): void => {
    if (typeof value === 'string') texts.push({ path, text: value })
    else if (Array.isArray(value)) for (const [index, item] of value.entries()) visit(item, `${path}[${index}]`)
    else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        texts.push({ path: `${path}.${key}`, text: key })
        visit(item, `${path}.${key}`)
      }
    }
  }
  visit(json, name)
  return texts
}
