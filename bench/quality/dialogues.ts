/** LoCoMo, REALTALK and BEAM: long conversations by turn, and questions with the turns that answer them. */
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
  readonly session: number
  readonly datetime: string | null
  /** BEAM: `March-15-2024`, the day of the conversation from here on. */
  readonly anchor?: string | null
  readonly speaker: string
  readonly text: string
  readonly image_caption?: string | null
}

interface QuestionRow {
  readonly conv: string
  readonly qid: string
  readonly question: string
  readonly category_name: string
  readonly evidence: readonly string[]
  readonly adversarial?: boolean
  readonly abstention?: boolean
}

export const locomo = dialogueTask({ name: 'locomo', title: 'LoCoMo turn', folder: 'locomo' })
export const realtalk = dialogueTask({
  name: 'realtalk',
  title: 'REALTALK turn',
  folder: 'realtalk',
})
export const beam = dialogueTask({
  name: 'beam',
  title: 'BEAM 100K turn',
  folder: 'beam/100K',
})

function dialogueTask(set: { readonly name: string; readonly title: string; readonly folder: string }): RetrievalTask {
  return {
    name: set.name,
    title: set.title,
    unit: 'key',
    recallLimit: deepest,
    smallSplit: 'the first conversation',
    async *load({ directory, full }: Source) {
      const turns = await allRows<TurnRow>(directory, `${set.folder}/memories`, ['conv', 'id', 'speaker', 'text'])
      const questions = await allRows<QuestionRow>(directory, `${set.folder}/queries`, ['conv', 'qid', 'evidence'])
      const conversations = [...new Set(turns.map((turn) => turn.conv))]
      for (const conversation of full ? conversations : conversations.slice(0, 1)) {
        yield corpusOf(
          `${set.name}/${conversation}`,
          turns.filter((turn) => turn.conv === conversation),
          questions.filter((question) => question.conv === conversation),
        )
      }
    },
  }
}

function corpusOf(id: string, turns: readonly TurnRow[], rows: readonly QuestionRow[]): Corpus {
  const documents = documentsOf(turns)
  const keys = new Set(documents.map(({ key }) => key))
  const questions = rows.flatMap((row): Question[] => {
    const answerable = row.adversarial !== true && row.abstention !== true
    const gold = answerable ? [...new Set(row.evidence)].filter((key) => keys.has(key)) : []
    // A question without evidence in the conversation can't be measured, and is not marked as unanswerable either.
    if (answerable && gold.length === 0) return []
    return [{ id: row.qid, text: row.question, category: row.category_name, gold, answerable }]
  })
  return { id, documents, questions }
}

/** The date of conversations without dates. */
const undatedMs = Date.UTC(2024, 0, 1)

function documentsOf(turns: readonly TurnRow[]): Document[] {
  const sessions = [...new Set(turns.map(({ session }) => session))]
  const saidMs = datesOf(turns)
  return sessions.flatMap((session) => {
    const rows = turns.flatMap((turn, position) => (turn.session === session ? [{ turn, position }] : []))
    const stored = turnsAsStored(rows.map(({ turn }) => ({ speaker: turn.speaker, text: turn.text + captionOf(turn) })))
    return stored.map((said, index): Document => {
      const row = rows[index]
      if (!row) throw new Error('a turn was lost')
      // Many turns share a date; adding a second per turn keeps their order, which breaks ties between equal scores.
      return {
        key: row.turn.id,
        session: String(session),
        ...said,
        createdAt: (saidMs[row.position] ?? 0) + row.position * 1000,
      }
    })
  })
}

function captionOf(turn: TurnRow): string {
  return turn.image_caption ? ` [image: ${turn.image_caption}]` : ''
}

function datesOf(turns: readonly TurnRow[]): number[] {
  let anchorMs = undatedMs
  return turns.map(({ datetime, anchor }) => {
    if (anchor) anchorMs = Date.parse(`${anchor.replaceAll('-', ' ')} UTC`)
    const ms = datetime === null ? anchorMs : Date.parse(`${datetime}Z`)
    if (Number.isNaN(ms)) throw new Error(`no readable date: ${datetime ?? anchor}`)
    return ms
  })
}
