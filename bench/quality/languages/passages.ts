/** XQuAD as tasks that `doors.ts` stores by `POST /store` and asks by `POST /recall`: a user per language, a passage per day. */
import { deepest, type Question, type RetrievalTask, type Source } from '../task.js'
import { englishQuestionSet, type PassageQuestion, type QuestionSet, questionSet, sampled } from './data.js'

const dayMs = 86_400_000
const firstDayMs = Date.UTC(2024, 0, 1)
/** A passage becomes several memories and ranks by the best of them. */
const memoriesOfPassage = 5

export const sameLanguage = 'same language'
export const inEnglish = 'English question'

/** `language`: that of the passages; `en` has no second kind of question. */
export function passageTask(language: string, half: QuestionSet, questionsPerKind: number): RetrievalTask {
  return {
    name: `passages-${language}`,
    title: `XQuAD, ${language}`,
    unit: 'session',
    recallLimit: memoriesOfPassage * deepest,
    smallSplit: `${questionsPerKind} questions per language`,
    async *load({ directory, full }: Source) {
      const english = await englishQuestionSet(directory, half)
      const own = language === 'en' ? english : await questionSet(directory, language)
      const asked = (questions: readonly PassageQuestion[]) => (full ? questions : sampled(questions, questionsPerKind))
      yield {
        id: `passages/${language}`,
        documents: own.passages.map(({ id, text }, index) => ({
          key: id,
          session: id,
          content: text,
          before: null,
          createdAt: firstDayMs + index * dayMs,
        })),
        questions: [
          ...asked(own.questions).map((question) => questionOf(question, sameLanguage)),
          ...(language === 'en' ? [] : asked(english.questions).map((question) => questionOf(question, inEnglish))),
        ],
      }
    },
  }
}

function questionOf({ id, text, gold }: PassageQuestion, category: string): Question {
  return { id: `${id}/${category}`, text, category, gold, answerable: true }
}
