import { ServiceError } from '../../core/errors.js'
import type { Json, Metadata } from '../../core/memory.js'
import { type Screened, sanitize } from '../../guard/sanitize.js'
import type { Deps } from '../deps.js'

/** The guard's verdict on texts that a caller wants to store. A rejection is counted. */
export function screenTexts(deps: Deps, texts: readonly { readonly path: string; readonly text: string }[]): Screened {
  return countingRejections(deps, () => sanitize(deps.guard, texts, deps.settings.trust))
}

export function countingRejections<Verdict>(deps: Deps, judge: () => Verdict): Verdict {
  try {
    return judge()
  } catch (error) {
    if (error instanceof ServiceError) deps.meter.trustRejection(findingKinds(error))
    throw error
  }
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
export function metadataTexts(metadata: Metadata): { path: string; text: string }[] {
  const texts: { path: string; text: string }[] = []
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
  visit(metadata, 'metadata')
  return texts
}
