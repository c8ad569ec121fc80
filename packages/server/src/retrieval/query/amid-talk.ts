/**
 * A question amid small talk: "It rained all day and I'm tired. Anyway, where did I put the spare key?" The vector of the whole is that
 * of the talk, so the question is asked by itself too. A question that needs the talk ("What does she eat?") is not.
 */
import { sentencesOf } from '../../language/sentences/sentences.js'
import { isShort, leans, questionsIn, word } from './parts.js'

/** A longer text describes something. */
const mostCharacters = 1_500
const mostQuestions = 3
/** Fewer letters beside the questions are a greeting. */
const leastTalk = 12

/** A sentence ends with few signs, and only its end is looked at. */
const asking = /[?？؟][!！?？"”’」』)]{0,8}$/u
/** "The question is: …", "was ich wissen wollte: …" */
const announced =
  /^[^:：]{0,60}(?:question|ask|know|frag|wissen|pregunt|saber|demand|savoir|domand|sapere|pergunt|vraag|weten|вопрос|спрос|узнать|问|問|聞きた|知りた|質問)[^:：]{0,20}[:：]\s*(?=\S{2})/iu
/** "What I really wanted to ask": what was asked before does not count. */
const really =
  /(?:really|actually|真正|其实|其實|eigentlich|en realidad|en fait|in realtà|na verdade|eigenlijk|на самом деле|本当は)/iu

/** The questions, without the talk. None if there is no talk, or nothing that can be asked without it. */
export function questionsAmidTalk(text: string): readonly string[] {
  const said = text.trim()
  if (said.length > mostCharacters) return []
  const sentences = sentencesOf(said, mostCharacters).map(({ start, end }) => said.slice(start, end).trim())
  const meant = sentences.findLastIndex((each) => announced.test(each) && really.test(each))
  const asked = sentences.filter((each, place) => asking.test(each) && place >= meant)
  const talk = sentences.filter((each) => !asked.includes(each)).join(' ')
  if (asked.length === 0 || asked.length > mostQuestions || lettersIn(talk) < leastTalk) return []
  const bare = asked.map((each) => each.replace(announced, ''))
  return bare.flatMap((each) => {
    const parts = questionsIn(each)
    return parts.length > 0 || leans(each) || needs(each, talk) ? parts : [each]
  })
}

const wantsHelp =
  /^(?:(?:so|and|do you have|got) )?any (?:\p{L}+ )?(?:advice|help|ideas?|input|recommendations?|suggestions?|thoughts|tips)(?![\p{L}\p{N}])/iu
const definite = /(?<![\p{L}\p{N}])(?:the|this|that|these|those) (\p{L}{3,})/giu

/** "Any tips?" asks about the talk, and "what was the event?" about the event that the talk mentions. */
function needs(question: string, talk: string): boolean {
  if (isShort(question) || wantsHelp.test(question)) return true
  const said = new Set((talk.toLowerCase().match(word) ?? []).map(singular))
  return [...question.toLowerCase().matchAll(definite)].some(([, noun = '']) => said.has(singular(noun)))
}

function singular(noun: string): string {
  return noun.replace(/s$/, '')
}

function lettersIn(text: string): number {
  // A Chinese character is about as long as three letters.
  return (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0) + 2 * (text.match(/\p{Script=Han}/gu)?.length ?? 0)
}
