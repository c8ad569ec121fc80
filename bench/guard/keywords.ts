/** The obvious baseline: a text that contains one of these words is an attack. */
import type { Guard } from '../../packages/server/src/models/models.js'

const words = [
  'ignore previous',
  'ignore all',
  'ignore the above',
  'ignore your',
  'disregard',
  'forget everything',
  'forget all',
  'override',
  'bypass',
  'jailbreak',
  'system prompt',
  'your instructions',
  'previous instructions',
  'developer mode',
  'do anything now',
  'pretend to be',
  'pretend you are',
  'act as',
  'you are now',
  'from now on',
  'role play',
  'roleplay',
  'no restrictions',
  'unrestricted',
  'unfiltered',
  'uncensored',
  'reveal',
  'password',
  'secret',
  'without telling',
  '<|im_start|>',
  '[inst]',
]

export function keywordGuard(): Guard {
  return {
    inspect(text) {
      const plain = text.toLowerCase()
      return { trustScore: words.some((word) => plain.includes(word)) ? 0 : 1, findings: [] }
    },
  }
}
