import { timed } from '../../core/meter.js'
import type { UserScope } from '../../core/scope.js'
import { extract } from '../../facts/tagging/extract.js'
import type { DividedMemory } from '../../ingest/divide.js'
import { factsApart } from '../../ingest/facts-apart.js'
import type { Tagged } from '../../models/models.js'
import type { Deps } from '../deps.js'
import type { Turns } from '../texts/fair-lane.js'
import { inSlices } from '../texts/text-lanes.js'

/** Memories with their tags, in the order of the text. */
export interface Understood {
  readonly said: readonly DividedMemory[]
  readonly tagged: readonly Tagged[]
}

export const untagged: Tagged = { entities: [], relationships: [], slots: [] }

/** Tags each turn as a whole, then splits those that hold facts which may change and tags their parts. */
export async function tagTurns(
  deps: Deps,
  place: Turns,
  scope: UserScope,
  whole: readonly DividedMemory[],
): Promise<Understood> {
  const known = new Map<DividedMemory, Tagged>()
  const learn = async (memories: readonly DividedMemory[]) => {
    const tags = await tag(deps, place, scope, memories)
    for (const [index, memory] of memories.entries()) known.set(memory, tags[index] ?? untagged)
    return tags
  }
  const said = factsApart(whole, await learn(whole))
  await learn(said.filter((memory) => !known.has(memory)))
  return { said, tagged: said.map((memory) => known.get(memory) ?? untagged) }
}

export async function tag(
  deps: Deps,
  place: Turns,
  scope: UserScope,
  memories: readonly DividedMemory[],
): Promise<Tagged[]> {
  const extractAll = (some: readonly DividedMemory[]) =>
    timed(deps.meter, 'tag', () => extract(deps.tagger, some.map(spoken), scope.userId))
  return inSlices(place, memories, ({ meant }) => meant, extractAll)
}

/** Who says "I" in it; undefined: the user. Statements of the assistant about itself are not facts about the user. */
export function speakerNameOf({ speaker, role }: Pick<DividedMemory, 'speaker' | 'role'>): string | undefined {
  return speaker ?? (role === 'user' ? undefined : role.charAt(0).toUpperCase() + role.slice(1))
}

function spoken(memory: DividedMemory): { content: string; speakerName?: string } {
  const speakerName = speakerNameOf(memory)
  return speakerName === undefined ? { content: memory.meant } : { content: memory.meant, speakerName }
}
