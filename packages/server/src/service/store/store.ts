/** A text becomes memories: reading → draft → decide → commit → present, one file each. */
import type { Actor } from '../../core/actor.js'
import { timed } from '../../core/meter.js'
import type { Once } from '../../core/once.js'
import type { UserScope } from '../../core/scope.js'
import type { Deps } from '../deps.js'
import { hideSecrets } from '../secrets/hide-secrets.js'
import { inLane, turnTaker } from '../texts/text-lanes.js'
import { lengthOf, lengthOfSubmitted } from '../texts/text-work.js'
import { audited } from './audited.js'
import { type CommitOptions, commit } from './commit.js'
import { Consultation } from './consultation.js'
import { decide } from './decide.js'
import { type Drafted, draft } from './draft.js'
import { inTurn } from './in-turn.js'
import { type KeptText, whileKept } from './inbox.js'
import { outlineOf, present } from './present.js'
import { readText } from './reading.js'
import { metadataTexts } from './screen-texts.js'
import type { StoreInput } from './store-input.js'
import type { Stored } from './stored.js'

/** @throws AlreadyAnswered where another store with the same idempotency key was first. */
export async function store(
  deps: Deps,
  actor: Actor,
  scope: UserScope,
  given: StoreInput,
  once?: Once,
): Promise<Stored> {
  return audited(deps, actor, scope, () => {
    const input = hideSecrets(deps, scope, given)
    return inLane(deps.textLanes.enter(turnTaker(actor, scope.userId), charactersOf(input)), async (place) => {
      const reading = await timed(deps.meter, 'understand', () => readText(deps, place, scope, input))
      const consultation = Consultation.open(deps, reading.overall)
      const drafted = () => draft(deps, place, scope, reading, consultation)
      if (consultation === null) return settle(deps, scope, await drafted(), { once })
      // A model may take longer than this process lives, so the text itself is on disk until the commit.
      return whileKept(deps, scope, { actor, input, once }, drafted, (ready, rawId) =>
        settle(deps, scope, ready, { once, rawId }),
      )
    })
  })
}

/**
 * Stores a text that a crash left in the inbox, without the language model. @throws RawTextGone where it was stored or erased
 * in the meantime, and AlreadyAnswered where its sender has sent it again.
 */
export async function storeKept(
  deps: Deps,
  scope: UserScope,
  rawId: string,
  { actor, input: kept, once }: KeptText,
): Promise<Stored> {
  return audited(deps, actor, scope, () => {
    // An earlier release, or other settings, may have left a secret there.
    const input = hideSecrets(deps, scope, kept)
    return inLane(deps.textLanes.enterAlways(turnTaker(actor, scope.userId), charactersOf(input)), async (place) => {
      const drafted = await draft(deps, place, scope, await readText(deps, place, scope, input), null)
      return settle(deps, scope, drafted, { once, rawId })
    })
  })
}

/** Everything that the guard reads. */
export function charactersOf({ text, metadata }: StoreInput): number {
  return lengthOfSubmitted(text) + lengthOf(metadataTexts(metadata), (each) => each.text)
}

function settle(deps: Deps, scope: UserScope, drafted: Drafted, options: CommitOptions): Promise<Stored> {
  return inTurn(deps, scope, async () => {
    const decided = await decide(deps, scope, drafted)
    const outline = outlineOf(scope, decided)
    const committed = await commit(deps, { scope, decided, outline, options })
    return present(outline, decided, committed)
  })
}
