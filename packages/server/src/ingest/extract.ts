import { type EntityMention, nameKey } from '../core/entity.js'
import type { Tagged, Tagger } from '../models/models.js'

/** Who and what each memory is about. "I" is its speaker: the one named, else the user. */
export async function extract(
  tagger: Tagger,
  memories: readonly { readonly content: string; readonly speakerName?: string }[],
  userId: string,
): Promise<Tagged[]> {
  const user = userMention(userId)
  return tagger.tag(
    memories.map(({ content, speakerName }) => ({
      text: content,
      speaker: speakerName === undefined ? user : (namedSpeaker(speakerName) ?? user),
    })),
  )
}

/** The prefix keeps a user apart from a person who happens to have the user id for a name. */
function userMention(userId: string): EntityMention {
  return { name: userId, type: 'PERSON', key: `user:${userId}`, aliases: [] }
}

function namedSpeaker(name: string): EntityMention | null {
  const key = nameKey(name)
  return key === '' ? null : { name: name.trim(), type: 'PERSON', key, aliases: [] }
}
