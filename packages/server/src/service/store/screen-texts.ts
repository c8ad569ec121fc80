import { ServiceError } from '../../core/errors.js'
import { conclude, type Screened } from '../../guard/sanitize.js'
import type { Deps } from '../deps.js'
import type { Turns } from '../texts/fair-lane.js'
import { inSlices } from '../texts/text-lanes.js'

interface TextAt {
  readonly path: string
  readonly text: string
}

/** The guard's verdict on texts that a caller wants to store. A rejection is counted. */
export async function screenTexts(deps: Deps, place: Turns, texts: readonly TextAt[]): Promise<Screened> {
  try {
    return await judged(deps, place, texts, deps.settings.trust.policy)
  } catch (error) {
    if (error instanceof ServiceError) deps.meter.trustRejection(findingKinds(error))
    throw error
  }
}

/** The same, but nothing is rejected. */
export function weighTexts(deps: Deps, place: Turns, texts: readonly TextAt[]): Promise<Screened> {
  return judged(deps, place, texts, 'flag')
}

async function judged(
  deps: Deps,
  place: Turns,
  texts: readonly TextAt[],
  policy: 'reject' | 'flag',
): Promise<Screened> {
  const { threshold, sanitize } = deps.settings.trust
  const inspect = (some: readonly TextAt[]) => deps.texts.inspect(some.map(({ text }) => text))
  const verdicts = sanitize ? await inSlices(place, texts, ({ text }) => text, inspect) : []
  const parts = verdicts.map((verdict, index) => ({ path: texts[index]?.path ?? '', ...verdict }))
  return conclude(parts, { threshold, policy })
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
