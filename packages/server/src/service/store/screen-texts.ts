import { ServiceError } from '../../core/errors.js'
import { type Screened, sanitize } from '../../guard/sanitize.js'
import type { Deps } from '../deps.js'

/** The guard's verdict on texts that a caller wants to store. A rejection is counted. */
export function screenTexts(deps: Deps, texts: readonly { readonly path: string; readonly text: string }[]): Screened {
  try {
    return sanitize(deps.guard, texts, deps.settings.trust)
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
