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
const auxiliary =
  "is|are|was|were|am|do|does|did|can|could|will|would|should|shall|has|have|had|isn['’]t|aren['’]t|don['’]t|didn['’]t"

const word = /[\p{L}\p{N}]+/gu
const asking = /[?？؟]/u
const speaks = new RegExp(`${before}(?:i|we)(?:['’](?:m|re|ve|d|ll)|m|ve)?${after}`, 'iu')
/** "When the bonus came, …" asks nothing; "when did it come" does. */
const question = new RegExp(
  `^(?:(?:so|and|but|ok|okay|hey|hi),? )?(?:${auxiliary}|(?:when|where) (?:${auxiliary})|what|who|whose|whom|which|why|how)(?:['’](?:s|re|d|ll))?${after}`,
  'iu',
)
const order = new RegExp(
  `^(?:add|ask|book|build|check|choose|compare|convert|cook|create|debug|describe|design|draft|draw|explain|find|fix|generate|get|give|help|list|look|make|open|order|outline|pick|plan|prepare|recall|recommend|remember|remind|review|rewrite|run|search|send|set|show|skip|sort|suggest|summari[sz]e|tell|translate|update|use|write)${after}`,
  'iu',
)
const wish = new RegExp(
  `${before}(?:please|(?:tell|show|give|find|remind|help) (?:me|us))${after}|(?:^|[.!;] )(?:i (?:need|want|forgot|wonder|(?:can['’]?t|cannot|don['’]?t) (?:remember|recall|know))|i(?:['’]?m| am) (?:looking for|trying to (?:find|remember))|i['’]d (?:like|love)|i would (?:like|love))${after}`,
  'iu',
)

export function isRemark(text: string): boolean {
  const said = text.slice(0, mostCharacters).trim()
  if (asking.test(said) || (said.match(word)?.length ?? 0) < leastWords) return false
  return speaks.test(said) && !question.test(said) && !order.test(said) && !wish.test(said) && !isForeign(said)
}
