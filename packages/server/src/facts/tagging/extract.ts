import { type EntityMention, nameKey } from '../../core/entity.js'
import type { Tagged, Tagger } from '../../models/models.js'

/** Finds the people and things that each memory is about. "I" is its speaker: the named one, otherwise the user. */
export async function extract(
  tagger: Tagger,
  memories: readonly { readonly content: string; readonly speakerName?: string }[],
  userId: string,
): Promise<Tagged[]> {
  return tagger.tag(
    memories.map(({ content, speakerName }) => ({ text: content, speaker: speakerOf(userId, speakerName) })),
  )
}

export function speakerOf(userId: string, speakerName: string | undefined): EntityMention {
  const named = speakerName === undefined ? null : namedSpeaker(speakerName)
  return named ?? userMention(userId)
}

/** The prefix distinguishes a user from a person whose name equals the user id. */
function userMention(userId: string): EntityMention {
  return { name: userId, type: 'PERSON', key: `user:${userId}`, aliases: [] }
}

function namedSpeaker(name: string): EntityMention | null {
  const key = nameKey(name)
  return key === '' ? null : { name: name.trim(), type: 'PERSON', key, aliases: [] }
}
