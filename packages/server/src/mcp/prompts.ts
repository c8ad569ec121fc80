/** A prompt that puts what is known about the user at the beginning of a conversation. */
import { invalid, notFound } from '../core/errors.js'
import { recalledText } from './as-data.js'
import { forUser, type Session } from './operations.js'

/** What the prompt stands for, also where limits are counted. */
export const promptOperation = 'recallMemories'

export const contextPrompt = {
  name: 'user_context',
  title: 'What is known about me',
  description: 'Begins a conversation with what Keepsake knows about the user, on a topic or in general',
  arguments: [
    { name: 'topic', description: 'What the conversation is about; without it, the user in general', required: false },
  ],
}

const inGeneral = 'Who is the user: name, work, family, home, preferences, plans?'

export async function getPrompt(
  session: Session,
  asked: { readonly name: string; readonly arguments?: Readonly<Record<string, string>> | undefined },
) {
  if (asked.name !== contextPrompt.name) throw notFound('Prompt')
  const { topic, ...others } = asked.arguments ?? {}
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw invalid(unknown.slice(0, 100), 'is not a known argument')
  const query = topic === undefined || topic.trim() === '' ? inGeneral : topic
  const answer = await session.perform(promptOperation, { body: forUser(session, { query, limit: 20 }) })
  const request = 'Take what you know about me into account. If you need more, ask with recall_memories.'
  return {
    description: contextPrompt.description,
    messages: [
      { role: 'user' as const, content: { type: 'text' as const, text: `${request}\n\n${recalledText(answer)}` } },
    ],
  }
}
