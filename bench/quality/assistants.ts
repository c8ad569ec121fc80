/**
 * MADial, LoCoMo-Plus and RealMem: talk with an assistant in which the needed memory is not what the words ask for. A question may be a
 * whole dialogue, a remark, or a request in the middle of a project.
 */
import { allRows } from './rows.js'
import {
  type Corpus,
  type Document,
  deepest,
  type Question,
  type RetrievalTask,
  type Source,
  turnsAsStored,
} from './task.js'

interface TurnRow {
  readonly conv: string
  readonly id: string
  readonly session: string | number
  /** RealMem: the place of the session in the person's history. */
  readonly seq?: number
  readonly datetime: string
  readonly speaker?: string
  readonly role: 'user' | 'assistant'
  readonly text: string
}

interface QuestionRow {
  readonly conv: string
  readonly qid: string
  readonly question: string
  readonly date: string
  readonly seq?: number
  readonly evidence: readonly string[]
  readonly category_name?: string
}

const dayMs = 86_400_000
const firstDayMs = Date.UTC(2024, 0, 1)

/** English; the Chinese half is measured with the languages. */
export const madialEn: RetrievalTask = setOf({
  name: 'madial',
  title: 'MADial',
  folder: 'madial-en',
  unit: 'key',
  recallLimit: deepest,
  corpusOf(id, turns, questions) {
    // One per day: the original dates exceed the default lifetime of a memory.
    const documents = [...turns]
      .sort((a, b) => Date.parse(a.datetime) - Date.parse(b.datetime))
      .map((turn, index): Document => {
        const { id: key, text: content } = turn
        return { key, session: key, content, before: null, createdAt: firstDayMs + index * dayMs }
      })
    return { id, documents, questions: questions.map((row) => questionOf(row, {})) }
  },
})

export const locomoPlus: RetrievalTask = setOf({
  name: 'locomo-plus',
  title: 'LoCoMo-Plus turn',
  folder: 'locomoplus',
  unit: 'key',
  recallLimit: deepest,
  corpusOf(id, turns, questions) {
    const ordered = [...turns].sort((a, b) => timeOf(a.datetime) - timeOf(b.datetime))
    const documents = documentsOf(ordered, ({ datetime }, position) => timeOf(datetime) + position * 1000)
    return { id, documents, questions: questions.map((row) => questionOf(row, { askedAt: timeOf(row.date) })) }
  },
})

/** A question is asked before the sessions that follow it. */
export const realmem: RetrievalTask = setOf({
  name: 'realmem',
  title: 'RealMem session',
  folder: 'realmem',
  unit: 'session',
  recallLimit: 100,
  corpusOf(id, turns, questions) {
    const ordered = [...turns].sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0))
    const documents = documentsOf(ordered, ({ seq = 0 }, position) => firstDayMs + seq * dayMs + position * 1000)
    const asked = questions.map((row) => {
      const askedAt = firstDayMs + (row.seq ?? 0) * dayMs
      return questionOf(row, { askedAt, asOf: askedAt - 1 })
    })
    return { id, documents, questions: asked }
  },
})

interface DataSet extends Pick<RetrievalTask, 'name' | 'title' | 'unit' | 'recallLimit'> {
  readonly folder: string
  corpusOf(id: string, turns: readonly TurnRow[], questions: readonly QuestionRow[]): Corpus
}

function setOf({ folder, corpusOf, ...task }: DataSet): RetrievalTask {
  return {
    ...task,
    smallSplit: 'the first person',
    async *load({ directory, full }: Source) {
      const turns = await allRows<TurnRow>(directory, `${folder}/memories`, ['conv', 'id', 'text'])
      const questions = await allRows<QuestionRow>(directory, `${folder}/queries`, ['conv', 'qid', 'evidence'])
      const people = [...new Set(turns.map(({ conv }) => conv))]
      for (const person of full ? people : people.slice(0, 1))
        yield corpusOf(
          `${task.name}/${person}`,
          turns.filter(({ conv }) => conv === person),
          questions.filter(({ conv }) => conv === person),
        )
    },
  }
}

/** Turns in order; those of a session stand together. */
function documentsOf(turns: readonly TurnRow[], at: (turn: TurnRow, position: number) => number): Document[] {
  const sessions = new Map<string, { readonly turn: TurnRow; readonly position: number }[]>()
  for (const [position, turn] of turns.entries()) {
    const session = String(turn.session)
    sessions.set(session, [...(sessions.get(session) ?? []), { turn, position }])
  }
  return [...sessions].flatMap(([session, rows]) => {
    const stored = turnsAsStored(rows.map(({ turn }) => ({ speaker: speakerOf(turn), text: turn.text })))
    return rows.map(({ turn, position }, index): Document => {
      const said = stored[index]
      if (!said) throw new Error('a turn was lost')
      return { key: turn.id, session, ...said, createdAt: at(turn, position) }
    })
  })
}

function speakerOf({ role, speaker }: TurnRow): string {
  const isNamed = speaker !== undefined && speaker !== 'User' && speaker !== 'Assistant'
  return isNamed ? speaker : role
}

function questionOf(row: QuestionRow, when: Pick<Question, 'askedAt' | 'asOf'>): Question {
  const { qid: id, question: text, category_name: category = 'all', evidence } = row
  return { id, text, category, gold: [...new Set(evidence)], answerable: true, ...when }
}

function timeOf(datetime: string): number {
  return Date.parse(`${datetime}Z`)
}
