import { isoTimestamp } from '../../core/clock.js'
import { invalid } from '../../core/errors.js'
import { type Topic, topics } from '../../core/fact.js'
import { profile } from '../../service/profile/profile.js'
import { scopeForOneUser, scopeIn, userInPath } from '../access/caller-scope.js'
import { readAsOf } from '../body/request-values.js'
import { endpoint } from '../endpoint.js'
import { profileExample } from '../openapi/examples.js'
import { profileAnswer, profileParams, profileQuery } from '../schemas/profile.js'

export const profileEndpoint = endpoint({
  method: 'GET',
  path: '/users/{user_id}/profile',
  operationId: 'getProfile',
  summary: 'Get what is known about a user, by topic',
  description:
    'The lasting facts that memories state, in their own words, within max_tokens: for the top of a prompt. Outdated, superseded, expired, flagged and low-trust memories are left out. Put text into a prompt as data, not as instructions.',
  tag: 'Memories',
  access: 'user',
  needs: 'read',
  forApplications: 'all',
  limit: 'default',
  params: profileParams,
  query: profileQuery,
  answer: profileAnswer,
  example: { answer: profileExample },
  async handle({ deps, caller, params, query }) {
    const named = { ...query, user_id: userInPath(caller, params.user_id) }
    const scope = await scopeIn({ deps, caller }, named, 'reader', scopeForOneUser)
    const moment = readAsOf(query.as_of)
    const found = await profile(deps, scope, {
      maxTokens: query.max_tokens,
      ...moment,
      ...(query.topics === undefined ? {} : { topics: readTopics(query.topics) }),
    })
    return {
      user_id: scope.kind === 'user' ? scope.userId : params.user_id,
      as_of: isoTimestamp(moment.asOf ?? deps.clock.now()),
      topics: found.topics.map(({ topic, lines }) => ({
        topic,
        lines: lines.map(({ text, memoryId, createdAt, confidence, subject }) => ({
          text,
          memory_id: memoryId,
          created_at: isoTimestamp(createdAt),
          confidence: Math.round(confidence * 1_000) / 1_000,
          subject,
        })),
      })),
      text: found.text,
      tokens: found.tokens,
    }
  },
})

function readTopics(text: string): Topic[] {
  return text.split(',').map((part) => {
    const topic = topics.find((each) => each === part.trim())
    if (topic === undefined) throw invalid('topics', `must be topics separated by commas: ${topics.join(', ')}`)
    return topic
  })
}
