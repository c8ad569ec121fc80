/** The guarantees of every engine. The test of an engine calls this once with a function that opens an empty store. */
import { afterEach, beforeEach, describe } from 'vitest'
import { describeAnswers } from './answers.js'
import { describeAsOf } from './as-of.js'
import { describeClaims } from './claims.js'
import { describeContestedParts } from './contested-parts.js'
import { describeContradictions } from './contradictions.js'
import { describeConversations } from './conversations.js'
import { describeEntities } from './entities.js'
import { describeErasing } from './erasing.js'
import { describeEvents } from './events.js'
import { describeFacts } from './facts.js'
import { describeFeed } from './feed.js'
import { describeFilters } from './filters.js'
import { describeGrants } from './grants.js'
import { describeGraph } from './graph.js'
import { describeInbox } from './inbox.js'
import { describeIndexSegments } from './index-segments.js'
import { describeIsolation } from './isolation.js'
import { describeItemEvents } from './item-events.js'
import { describeItems } from './items.js'
import { describeKeysAndDurability } from './keys-and-durability.js'
import { describeMerges } from './merges.js'
import { Notebook } from './notebook.js'
import { describeOutdatedParts } from './outdated-parts.js'
import { describeOverview } from './overview.js'
import { describePagesAndVersions } from './pages-and-versions.js'
import { describePortable } from './portable.js'
import { describeQuota } from './quota.js'
import { describeReading } from './reading.js'
import { describeRelationships } from './relationships.js'
import { describeRetirements } from './retirements.js'
import { describeSpaces } from './spaces.js'
import type { OpenedStorage, Subject } from './subject.js'
import { describeTurnBefore } from './turn-before.js'
import { describeVectorUpkeep } from './vector-upkeep.js'
import { describeWebhooks } from './webhooks.js'
import { describeWriting } from './writing.js'

export function describeStorageContract(name: string, open: () => Promise<OpenedStorage>): void {
  describe(`${name} meets the storage contract`, () => {
    let opened: OpenedStorage | undefined
    let others: OpenedStorage[] = []
    let subject: Subject | undefined

    beforeEach(async () => {
      opened = await open()
      const { storage } = opened
      const openAnother = async () => {
        const other = await open()
        others.push(other)
        return other
      }
      const { reopen, portableReader } = opened
      subject = { storage, notebook: new Notebook(storage), reopen, portableReader, openAnother }
    })
    afterEach(async () => {
      await opened?.destroy()
      for (const other of others) await other.destroy()
      others = []
    })

    const current = (): Subject => {
      if (!subject) throw new Error('the storage is only open inside a test')
      return subject
    }
    describeWriting(current)
    describeErasing(current)
    describeInbox(current)
    describeConversations(current)
    describeAnswers(current)
    describeEvents(current)
    describeWebhooks(current)
    describeSpaces(current)
    describeOverview(current)
    describeItems(current)
    describeItemEvents(current)
    describeQuota(current)
    describeReading(current)
    describePagesAndVersions(current)
    describeAsOf(current)
    describeFacts(current)
    describeFeed(current)
    describeIndexSegments(current)
    describeVectorUpkeep(current)
    describeTurnBefore(current)
    describeEntities(current)
    describeMerges(current)
    describeFilters(current)
    describeGraph(current)
    describeRelationships(current)
    describeContradictions(current)
    describeRetirements(current)
    describeOutdatedParts(current)
    describeContestedParts(current)
    describeIsolation(current)
    describeKeysAndDurability(current)
    describeGrants(current)
    describeClaims(current)
    describePortable(current)
  })
}
