/** A prompt that starts a conversation with what is known about the user. */
import { invalid, notFound } from '../core/errors.js'
import { profileText, recalledText } from './as-data.js'
import { forUser, getProfile, type Session } from './operations.js'

export const contextPrompt = {
  name: 'user_context',
  title: 'What is known about me',
  description: 'Starts a conversation with what Keepsake knows about the user, on one topic or in general',
  arguments: [
    { name: 'topic', description: 'What the conversation is about; by default the user in general', required: false },
  ],
}

export async function getPrompt(
  session: Session,
  asked: { readonly name: string; readonly arguments?: Readonly<Record<string, string>> | undefined },
) {
  if (asked.name !== contextPrompt.name) throw notFound('Prompt')
  const { topic, ...others } = asked.arguments ?? {}
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw invalid(unknown.slice(0, 100), 'is not a known argument')
  const known =
    topic === undefined || topic.trim() === ''
      ? profileText(await getProfile(session))
      : recalledText(await session.perform.recallMemories({ body: forUser(session, { query: topic, limit: 20 }) }))
  const request = 'Take what you know about me into account. If you need more, call recall_memories.'
  return {
    description: contextPrompt.description,
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text: `${request}\n\n${known}` } }],
  }
}
