/** MADial in two languages and MemDaily in Chinese, as tasks that `doors.ts` stores by `POST /store` and asks by `POST /recall`. */
import { pick, random } from '../../random.js'
import { allRows } from '../rows.js'
import { type Document, deepest, type Question, type RetrievalTask, type Source } from '../task.js'
import { sampled } from './data.js'

interface MemoryRow {
  readonly conv: string
  readonly id: string
  readonly datetime: string
  readonly text: string
}

interface QuestionRow {
  readonly conv: string
  readonly qid: string
  readonly question: string
  readonly evidence: readonly string[]
}

const dayMs = 86_400_000
const minuteMs = 60_000
const firstDayMs = Date.UTC(2024, 0, 1)
const smallTrajectories = 120
const noisePerTrajectory = 20
const noiseSeed = 7

export const madialEn = madialTask('madial-en', 'MADial')
export const madialZh = madialTask('madial-zh', 'MADial, Chinese')

function madialTask(name: string, title: string): RetrievalTask {
  return {
    name,
    title,
    unit: 'key',
    recallLimit: deepest,
    smallSplit: 'all',
    async *load({ directory }: Source) {
      const memories = await allRows<MemoryRow>(directory, `${name}/memories`, ['conv', 'id', 'text'])
      const questions = await allRows<QuestionRow>(directory, `${name}/queries`, ['conv', 'qid', 'evidence'])
      for (const conversation of new Set(memories.map(({ conv }) => conv))) {
        yield {
          id: `${name}/${conversation}`,
          // One per day: the original dates exceed the default lifetime of a memory.
          documents: memories
            .filter(({ conv }) => conv === conversation)
            .sort((a, b) => Date.parse(a.datetime) - Date.parse(b.datetime))
            .map(({ id, text }, index) => documentOf(id, text, firstDayMs + index * dayMs)),
          questions: questions.filter(({ conv }) => conv === conversation).map(questionOf),
        }
      }
    },
  }
}

export const memdailyNoise: RetrievalTask = {
  name: 'memdaily',
  title: `MemDaily, Chinese, with ${noisePerTrajectory} unrelated lines`,
  unit: 'key',
  recallLimit: deepest,
  smallSplit: `${smallTrajectories} trajectories`,
  async *load({ directory, full }: Source) {
    const memories = await allRows<MemoryRow>(directory, 'memdaily/memories', ['conv', 'id', 'datetime', 'text'])
    const questions = await allRows<QuestionRow>(directory, 'memdaily/queries', ['conv', 'qid', 'evidence'])
    const noise = await allRows<{ id: string; text: string }>(directory, 'memdaily/noise', ['id', 'text'])
    const next = random(noiseSeed)
    for (const question of full ? questions : sampled(questions, smallTrajectories)) {
      const own = memories.filter(({ conv }) => conv === question.conv)
      const others = Array.from({ length: noisePerTrajectory }, () => ({
        line: pick(next, noise),
        after: pick(next, own),
      }))
      const documents = own.flatMap((memory) => {
        const at = Date.parse(`${memory.datetime}Z`)
        const following = others.filter(({ after }) => after === memory)
        return [
          documentOf(memory.id, memory.text, at),
          ...following.map(({ line }, index) =>
            documentOf(`${line.id}/${memory.id}/${index}`, line.text, at + (index + 1) * minuteMs),
          ),
        ]
      })
      yield { id: `memdaily/${question.qid}`, documents, questions: [questionOf(question)] }
    }
  },
}

function documentOf(key: string, content: string, createdAt: number): Document {
  return { key, session: key, content, before: null, createdAt }
}

function questionOf({ qid, question, evidence }: QuestionRow): Question {
  return { id: qid, text: question, category: 'all', gold: [...new Set(evidence)], answerable: true }
}
