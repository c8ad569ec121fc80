/** RealMem: long histories of people with an assistant. A question sees only earlier sessions, and is answered by sessions. */
import { mostMemories } from './ask.js'
import { allRows } from './rows.js'
import { type Corpus, type Document, type Question, type RetrievalTask, type Source, turnsAsStored } from './task.js'

interface TurnRow {
  readonly conv: string
  readonly id: string
  readonly session: string
  /** Number of the session. */
  readonly seq: number
  readonly datetime: string
  readonly role: string
  readonly text: string
}

interface QuestionRow {
  readonly conv: string
  readonly qid: string
  readonly question: string
  readonly seq: number
  readonly evidence: readonly string[]
  readonly category_name: string
}

const smallQuestions = 20

export const realmem: RetrievalTask = {
  name: 'realmem',
  title: 'RealMem session, by its best turn',
  unit: 'session',
  // Several turns of one session may rank before the first turn of the next session.
  recallLimit: mostMemories,
  smallSplit: `the first ${smallQuestions} questions of one person`,
  async *load({ directory, full }: Source) {
    const turns = await allRows<TurnRow>(directory, 'realmem/memories', ['conv', 'id', 'session', 'seq', 'text'])
    const questions = await allRows<QuestionRow>(directory, 'realmem/queries', ['conv', 'qid', 'seq', 'evidence'])
    const people = [...new Set(turns.map(({ conv }) => conv))]
    for (const person of full ? people : people.slice(0, 1)) {
      const asked = questions.filter(({ conv }) => conv === person).sort((a, b) => a.seq - b.seq)
      const own = turns.filter(({ conv }) => conv === person).sort((a, b) => a.seq - b.seq)
      yield corpusOf(person, own, full ? asked : asked.slice(0, smallQuestions))
    }
  },
}

function corpusOf(person: string, turns: readonly TurnRow[], rows: readonly QuestionRow[]): Corpus {
  const last = rows.at(-1)?.seq ?? 0
  // Sessions after the last question can't be evidence.
  const documents = documentsOf(turns.filter(({ seq }) => seq < last))
  const questions = rows.flatMap((row): Question[] => {
    const seen = turns.filter(({ seq }) => seq < row.seq).length
    const known = new Set(documents.slice(0, seen).map(({ session }) => session))
    const gold = [...new Set(row.evidence)].filter((session) => known.has(session))
    // A question without evidence among what it sees can't be measured.
    if (gold.length === 0) return []
    const asOf = documents[seen - 1]?.createdAt ?? 0
    return [{ id: row.qid, text: row.question, category: row.category_name, gold, answerable: true, seen, asOf }]
  })
  return { id: `realmem/${person}`, documents, questions }
}

function documentsOf(turns: readonly TurnRow[]): Document[] {
  const sessions = [...new Set(turns.map(({ session }) => session))]
  return sessions.flatMap((session) => {
    const rows = turns.flatMap((turn, position) => (turn.session === session ? [{ turn, position }] : []))
    const said = turnsAsStored(rows.map(({ turn: { role, text } }) => ({ speaker: role, text })))
    return said.map((stored, index): Document => {
      const row = rows[index]
      if (!row) throw new Error('a turn was lost')
      // Many turns share a date; a second per turn keeps their order.
      const createdAt = Date.parse(`${row.turn.datetime}Z`) + row.position * 1000
      return { key: row.turn.id, session, ...stored, createdAt }
    })
  })
}
