/**
 * A query that asks for nothing: an application may recall with whatever the user just said. "I said yes to the school fair again" is
 * meant to find what an attentive listener would think of, not a memory with the same words. English only, and only what somebody says of
 * themselves: a search such as "The user's allergies and diet." has no "I".
 */
import { isForeign } from '../../language/words/is-foreign.js'

/** Fewer words are rather a search than a sentence. */
const leastWords = 7
/** No more of a text is read. */
const mostCharacters = 2_000

const before = '(?<![\\p{L}\\p{N}])'
const after = '(?![\\p{L}\\p{N}])'
const start = '(?:^|[.!;:…]["”’)]? )'
const auxiliary =
  "(?:is|are|was|were|do|does|did|could|would|should|has|have|had)(?:n['’]?t)?|am|can|can['’]?t|will|won['’]?t|shall"

const word = /[\p{L}\p{N}]+/gu
const asking = /[?？؟]/u
/** "I" where a clause begins: "the book that I wanted" and "the hotel we stayed at" are things to look for. */
const speaks = new RegExp(
  `(?:^|[.!,;:…—–("“] ?|${before}(?:and|but|so|because|when|since|after|before|while|if|as|though|although|until|now|then|today|yesterday|tonight|finally|honestly|sometimes|lately|again|later|ago|morning|evening|night|week|month|year|time) )(?:i|we)(?:['’](?:m|re|ve|d|ll)|m|ve)?${after}`,
  'iu',
)
/** "When the bonus came, …" asks nothing; "when did it come" does. */
const question = new RegExp(
  `${start}(?:(?:so|and|but|ok|okay|hey|hi),? )?(?:${auxiliary}|(?:when|where)(?:['’]?s|['’]d| (?:${auxiliary}))|(?:(?:in|at|on|for|to|from|with|since|about|by) )?(?:what|who|whose|whom|which|why|how)(?:['’]?s|['’](?:re|d|ll))?)${after}`,
  'iu',
)
const order = new RegExp(
  `${start}(?:add|ask|book|build|change|check|choose|compare|convert|cook|create|debug|delete|describe|design|draft|draw|explain|find|fix|generate|get|give|help|implement|let|list|look|make|move|name|open|order|outline|pick|plan|prepare|recall|recommend|refactor|remember|remind|remove|rename|replace|review|rewrite|run|search|send|set|show|skip|sort|suggest|summari[sz]e|tell|test|translate|update|use|write)${after}`,
  'iu',
)
const wish = new RegExp(
  `${before}(?:please|(?:tell|show|give|find|remind|help) (?:me|us))${after}|${start}(?:i (?:need|want|forgot|wonder|was wondering|(?:can['’]?t|cannot|don['’]?t) (?:remember|recall|know))|i(?:['’]?m| am) (?:looking for|wondering|trying to (?:find|remember))|i['’]d (?:like|love)|i would (?:like|love))${after}`,
  'iu',
)

/** Whether it tells somebody to do something: "Recommend a takeaway". */
export function isOrder(text: string): boolean {
  return order.test(text) || wish.test(text)
}

/** Whether it neither asks nor tells somebody to do something: a search such as "wifi password", or a claim to look up. */
export function isStatement(text: string): boolean {
  const said = text.slice(0, mostCharacters).trim()
  // A long text may end with its question.
  if (asking.test(said) || asking.test(text.slice(-mostCharacters))) return false
  return !question.test(said) && !order.test(said) && !wish.test(said)
}

export function isRemark(text: string): boolean {
  const said = text.slice(0, mostCharacters).trim()
  if ((said.match(word)?.length ?? 0) < leastWords || !speaks.test(said)) return false
  return isStatement(text) && !isForeign(said)
}
