/** A text becomes memories: screen → draft → decide → commit → present, one file each. */
import type { Actor } from '../../core/actor.js'
import type { Once } from '../../core/once.js'
import type { UserScope } from '../../core/scope.js'
import type { Deps } from '../deps.js'
import { inLane } from '../texts/text-lanes.js'
import { lengthOf, lengthOfSubmitted } from '../texts/text-work.js'
import { audited } from './audited.js'
import { type CommitOptions, commit } from './commit.js'
import { Consultation } from './consultation.js'
import { decide } from './decide.js'
import { type Drafted, draft } from './draft.js'
import { inTurn } from './in-turn.js'
import { type KeptText, whileKept } from './inbox.js'
import { metadataTexts } from './metadata-texts.js'
import { outlineOf, present } from './present.js'
import { screen } from './screen.js'
import type { StoreInput } from './store-input.js'
import type { Stored } from './stored.js'

/** @throws AlreadyAnswered where another store with the same idempotency key was first. */
export async function store(
  deps: Deps,
  actor: Actor,
  scope: UserScope,
  input: StoreInput,
  once?: Once,
): Promise<Stored> {
  return audited(deps, actor, scope, () =>
    inLane(deps.textLanes.enter(scope.userId, charactersOf(input)), async (place) => {
      const screened = await screen(deps, place, scope, input)
      const consultation = Consultation.open(deps, screened)
      const drafted = () => draft(deps, place, scope, input, screened, consultation)
      if (consultation === null) return settle(deps, scope, await drafted(), { once })
      // A model may take longer than this process lives, so the text itself is on disk until the commit.
      return whileKept(deps, scope, { actor, input, once }, drafted, (ready, rawId) =>
        settle(deps, scope, ready, { once, rawId }),
      )
    }),
  )
}

/**
 * Stores a text that a crash left in the inbox, without the language model. @throws RawTextGone where it was stored or erased
 * in the meantime, and AlreadyAnswered where its sender has sent it again.
 */
export async function storeKept(
  deps: Deps,
  scope: UserScope,
  rawId: string,
  { actor, input, once }: KeptText,
): Promise<Stored> {
  return audited(deps, actor, scope, () =>
    inLane(deps.textLanes.enterAlways(scope.userId, charactersOf(input)), async (place) => {
      const screened = await screen(deps, place, scope, input)
      const drafted = await draft(deps, place, scope, input, screened, null)
      return settle(deps, scope, drafted, { once, rawId })
    }),
  )
}

/** Everything that the guard reads. */
function charactersOf({ text, metadata }: StoreInput): number {
  return lengthOfSubmitted(text) + lengthOf(metadataTexts(metadata), (each) => each.text)
}

function settle(deps: Deps, scope: UserScope, drafted: Drafted, options: CommitOptions): Promise<Stored> {
  return inTurn(deps, scope, async () => {
    const decided = await decide(deps, scope, drafted)
    const outline = outlineOf(scope, decided)
    const committed = await commit(deps, scope, decided, outline, options)
    return present(outline, decided, committed)
  })
}
