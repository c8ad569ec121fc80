/** LoCoMo-Plus: remarks in a conversation, and the turns far away in meaning that an attentive listener would think of. */
import { allRows } from './rows.js'
import { type Document, deepest, type Question, type RetrievalTask, type Source, turnsAsStored } from './task.js'

interface TurnRow {
  readonly conv: string
  readonly id: string
  readonly session: string | number
  readonly datetime: string
  readonly speaker: string
  readonly text: string
}

interface QuestionRow {
  readonly conv: string
  readonly qid: string
  readonly question: string
  readonly date: string
  readonly evidence: readonly string[]
  readonly category_name: string
}

export const locomoPlus: RetrievalTask = {
  name: 'locomo-plus',
  title: 'LoCoMo-Plus turn',
  unit: 'key',
  recallLimit: deepest,
  smallSplit: 'the first conversation',
  async *load({ directory, full }: Source) {
    const turns = await allRows<TurnRow>(directory, 'locomoplus/memories', ['conv', 'id', 'speaker', 'text'])
    const questions = await allRows<QuestionRow>(directory, 'locomoplus/queries', ['conv', 'qid', 'evidence'])
    const conversations = [...new Set(turns.map(({ conv }) => conv))]
    for (const conversation of full ? conversations : conversations.slice(0, 1)) {
      const own = turns.filter(({ conv }) => conv === conversation)
      const asked = questions.filter(({ conv }) => conv === conversation)
      yield { id: `locomo-plus/${conversation}`, documents: documentsOf(own), questions: asked.map(questionOf) }
    }
  },
}

/** In the order in which they were said: the cues stand behind the conversation in the file. */
function documentsOf(turns: readonly TurnRow[]): Document[] {
  const ordered = [...turns].sort((a, b) => timeOf(a.datetime) - timeOf(b.datetime))
  const sessions = [...new Set(ordered.map(({ session }) => session))]
  return sessions.flatMap((session) => {
    const rows = ordered.flatMap((turn, position) => (turn.session === session ? [{ turn, position }] : []))
    return turnsAsStored(rows.map(({ turn }) => turn)).map((said, index): Document => {
      const row = rows[index]
      if (!row) throw new Error('a turn was lost')
      // Many turns share a date; a second per turn keeps their order.
      const createdAt = timeOf(row.turn.datetime) + row.position * 1000
      return { key: row.turn.id, session: String(session), ...said, createdAt }
    })
  })
}

function questionOf({ qid, question, date, category_name: category, evidence }: QuestionRow): Question {
  return { id: qid, text: question, category, gold: [...new Set(evidence)], answerable: true, askedAt: timeOf(date) }
}

function timeOf(datetime: string): number {
  return Date.parse(`${datetime}Z`)
}
