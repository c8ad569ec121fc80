/**
 * Records written for an agent's memory, to be recalled later (AgentPoison, MINJA): a demonstration of the wrong
 * action, reasoning that leads from one subject to another, orders that wait for a question. People also tell each
 * other what to do, so most of these rules require a word that only makes sense to a reader who answers queries.
 */
import { pattern } from '../core/pattern.js'
import { type GuardRule, gap, rule } from './rule.js'

const query = '(?:quer(?:y|ies)|questions?|prompts?|requests?|searches|lookups?)'
/** A name, or a few words. */
const few = '[^ ]{1,24}(?: [^ ]{1,24}){0,5}'
const answerer = '(?:you|the (?:assistant|agent|model|ai|bot|system))'

export const recordRules: readonly GuardRule[] = [
  // the log of an agent: its thoughts, actions and observations
  rule('delimiter_injection', 0.55, '\\bthoughts?: .{1,200}\\baction(?: input)?: '),
  rule('delimiter_injection', 0.55, '\\baction(?: input)?: .{1,160}\\b(?:observation|final answer): '),
  // one subject substituted for another, for whoever asks
  rule(
    'memory_poisoning',
    0.6,
    `\\breplac(?:e|ing) .{1,60} (?:with|by) .{1,60} in (?:the|any|every|all|each|this|such) ${query}\\b`,
  ),
  rule(
    'memory_poisoning',
    0.55,
    `\\b${query}\\b.{1,100}\\b(?:refer to|use|look up|retrieve|fetch|answer with|respond with|return|consult) ${few} (?:instead of|rather than|in place of)\\b`,
  ),
  rule(
    'memory_poisoning',
    0.55,
    pattern`
      \b(?:refer to|use|look up|retrieve|fetch|answer with|respond with|return|consult) ${few} (?:instead of
      |rather than|in place of) .{1,120}\b(?:all|any|every|each|later|future|subsequent|following) ${query}\b
    `,
  ),
  rule(
    'memory_poisoning',
    0.5,
    `\\b(?:use|apply|follow|keep to) (?:this|it|the same|these)${gap(2)} (?:for|in|with) (?:all|any|every|each) (?:later |future |other |such |similar |subsequent |following )?${query}\\b`,
  ),
  // orders that wait for a question
  rule(
    'memory_poisoning',
    0.55,
    pattern`
      \b(?:for|on|to|at|with) (?:any|all|every
      |each) (?:later |future |such |other )?${query}\b.{0,80}\b(?:${answerer} (?:must|shall|should|have to|has to
      |need to|needs to|will)|always|never|only)\b
    `,
  ),
  rule(
    'memory_poisoning',
    0.55,
    pattern`
      \b(?:when|whenever|if|once|as soon as) you (?:see|get|receive|encounter|are asked|read|meet
      |hear)${gap(3)} (?:such |this |these |similar )?${query}\b.{0,60}\b(?:do not|don't|never|always|instead|must
      |simply|just)\b
    `,
  ),
  rule(
    'memory_poisoning',
    0.5,
    `\\b(?:do not|don't|never) (?:look|search|read|check)(?: any)? further\\b.{0,100}\\b(?:report|claim|say|confirm|answer)\\b`,
  ),
  rule(
    'memory_poisoning',
    0.5,
    '\\b(?:report|claim|pretend|confirm|state) (?:success|that it (?:worked|was done|succeeded))\\b',
  ),
]
