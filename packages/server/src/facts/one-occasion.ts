/** One occasion or case that differs from what is so otherwise: "Standup is moved to ten tomorrow", "Mum has cancelled Sunday". */
import { pattern } from '../core/pattern.js'

const weekday = '(?:mon|tues|wednes|thurs|fri|satur|sun)day'
const oneOccasion = new RegExp(
  pattern`(?<![\p{L}])(?:tomorrow|today|tonight|this (?:once|time|morning|afternoon|evening|week|weekend|month|${weekday})
    |next (?:week|weekend|time|${weekday})|for (?:the|this|a|one) (?:day|week|weekend|month|spring|summer|autumn|winter|time being)|temporarily|for now
    |until further notice)(?![\p{L}])`,
  'iu',
)
const habit = new RegExp(
  pattern`(?<![\p{L}])(?:every|each|always|usually|normally|regularly|daily|weekly|monthly|yearly|annually|(?:${weekday}|weekend|morning|evening|night)s)
    (?![\p{L}])`,
  'iu',
)
/** "I've given up swimming": a habit as such ends or becomes another one. */
const forGood = new RegExp(
  pattern`(?<![\p{L}])(?:now|from now on|any ?more|any longer|no longer|these days|nowadays|stopped|quit|gave up|given up|for good|permanently
    |switched|changed|instead|sold|retired|since|starting)(?![\p{L}])`,
  'iu',
)

/** "120 requests for tenant Basalt only": the others keep what the old text says. */
const onlyFor = /(?<![\p{L}])(?:only (?:for|in|on|at|if|when|with)|except)(?![\p{L}])| only[.!]?$/iu

/** The new text tells of one occasion or one case, the old one of what is so otherwise. */
export function isException(fresh: string, old: string): boolean {
  if (onlyFor.test(fresh) && !onlyFor.test(old)) return true
  if (oneOccasion.test(fresh)) return !oneOccasion.test(old)
  return habit.test(old) && !habit.test(fresh) && !forGood.test(fresh)
}
