import { expect } from 'vitest'
import { everyoneScope, type Scope } from '../../core/scope.js'
import type { OutdatedVersion } from '../ports/vector-upkeep.js'
import type { Subject } from './subject.js'

/** The model that the tests re-embed with. */
export const youngModel = 'young-model'

/** Every version that another model embedded, read in slices. */
export async function outdatedIn(
  subject: Subject,
  scope: Scope = everyoneScope(),
  limit = 100,
  modelId = youngModel,
): Promise<OutdatedVersion[]> {
  const found: OutdatedVersion[] = []
  for (let mark: string | null = null; ; ) {
    const slice = await subject.storage.outdated(scope, modelId, mark, limit)
    expect(slice.versions.length).toBeLessThanOrEqual(limit)
    if (slice.versions.length === 0) return found
    found.push(...slice.versions)
    mark = slice.mark
  }
}
