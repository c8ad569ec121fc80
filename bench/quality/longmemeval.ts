/** LongMemEval-S: each question with a haystack of some 48 sessions of its own, and all of them as one pool. */
import { allRows, readRows } from './rows.js'
import { type Corpus, type Document, deepest, type Question, type RetrievalTask, type Source, turnOf } from './task.js'

interface QuestionRow {
  readonly qid: string
  readonly type: string
  readonly abstention: boolean
  readonly question: string
  readonly haystack: readonly string[]
  readonly dates: readonly string[]
  /** Places in the haystack. */
  readonly gold: readonly number[]
  /** Place in the haystack, place in the session. */
  readonly gold_turns: readonly (readonly [number, number])[]
}

interface Turn {
  readonly r: string
  readonly t: string
}

interface SessionRow {
  readonly sid: string
  readonly turns: readonly Turn[]
}

/** They are sorted by kind: every fifteenth gives ten of all kinds. */
const smallEvery = 15
const smallSplit = `10 of 150 questions (every ${smallEvery}th), their haystacks whole`
/** As many as the API gives: several turns of one session may come before the next session's first. */
const mostMemories = 100

export const turnTask: RetrievalTask = {
  name: 'lme-turn',
  title: 'LongMemEval-S turn',
  unit: 'key',
  recallLimit: deepest,
  smallSplit,
  load: (source) => haystacks(source, turnsOf, goldTurns, 'turns'),
}

export const sessionTask: RetrievalTask = {
  name: 'lme-session',
  title: 'LongMemEval-S session, by its best turn',
  unit: 'session',
  recallLimit: mostMemories,
  smallSplit,
  load: (source) => haystacks(source, turnsOf, goldSessions, 'turns'),
}

export const wholeSessionTask: RetrievalTask = {
  name: 'lme-whole',
  title: 'LongMemEval-S session, one memory each',
  unit: 'session',
  recallLimit: deepest,
  smallSplit,
  load: (source) => haystacks(source, wholeSession, goldSessions, 'sessions'),
}

export const poolTask: RetrievalTask = {
  name: 'lme-pool',
  title: 'LongMemEval one pool, one memory a session',
  unit: 'session',
  recallLimit: deepest,
  smallSplit: `${smallSplit}, as one pool`,
  async *load(source) {
    const { questions, sessions } = await read(source)
    // A session may be in several haystacks, on other days: the first one's day stands.
    const documents = new Map<string, Document>()
    for (const row of questions) {
      for (const [place, sid] of row.haystack.entries()) {
        if (documents.has(sid)) continue
        for (const document of wholeSession(sid, turnsIn(sessions, sid), dateOf(row, place)))
          documents.set(sid, document)
      }
    }
    yield {
      id: `lme-pool/${source.full ? 'full' : 'small'}`,
      documents: [...documents.values()],
      // Unanswerable from its own haystack does not mean unanswerable from everybody's.
      questions: questions.filter((row) => !row.abstention).flatMap((row) => questionOf(row, goldSessions(row))),
    }
  },
}

type Divide = (sid: string, turns: readonly Turn[], saidMs: number) => Document[]

async function* haystacks(
  source: Source,
  divide: Divide,
  goldOf: (row: QuestionRow) => string[],
  kind: string,
): AsyncGenerator<Corpus> {
  const { questions, sessions } = await read(source)
  for (const row of questions) {
    const documents = row.haystack.flatMap((sid, place) => divide(sid, turnsIn(sessions, sid), dateOf(row, place)))
    yield { id: `lme-${kind}/${row.qid}`, documents, questions: questionOf(row, goldOf(row)) }
  }
}

function turnsOf(sid: string, turns: readonly Turn[], saidMs: number): Document[] {
  return turns.map((turn, position) => ({
    key: turnKey(sid, position),
    session: sid,
    ...turnOf(speakerOf(turn), turn.t),
    createdAt: saidMs + position * 1000,
  }))
}

function wholeSession(sid: string, turns: readonly Turn[], saidMs: number): Document[] {
  const content = turns.map((turn) => turnOf(speakerOf(turn), turn.t).content).join('\n')
  return [{ key: sid, session: sid, content, createdAt: saidMs }]
}

function goldTurns(row: QuestionRow): string[] {
  return row.gold_turns.map(([place, turn]) => turnKey(sidAt(row, place), turn))
}

function goldSessions(row: QuestionRow): string[] {
  return row.gold.map((place) => sidAt(row, place))
}

function questionOf(row: QuestionRow, evidence: readonly string[]): Question[] {
  const gold = row.abstention ? [] : [...new Set(evidence)]
  if (!row.abstention && gold.length === 0) return []
  return [{ id: row.qid, text: row.question, category: row.type, gold, answerable: !row.abstention }]
}

async function read({ directory, full }: Source) {
  const all = await allRows<QuestionRow>(directory, 'longmemeval/s', ['qid', 'type', 'question', 'haystack', 'dates'])
  const questions = full ? all : all.filter((_, index) => index % smallEvery === 0)
  const wanted = new Set(questions.flatMap((row) => row.haystack))
  const sessions = new Map<string, readonly Turn[]>()
  for await (const row of readRows<SessionRow>(directory, 'longmemeval/sessions', ['sid', 'turns'])) {
    if (wanted.has(row.sid)) sessions.set(row.sid, row.turns)
  }
  return { questions, sessions }
}

function turnsIn(sessions: ReadonlyMap<string, readonly Turn[]>, sid: string): readonly Turn[] {
  const turns = sessions.get(sid)
  if (!turns) throw new Error(`longmemeval: a haystack names the session ${sid}, which is not there`)
  return turns
}

function sidAt(row: QuestionRow, place: number): string {
  const sid = row.haystack[place]
  if (sid === undefined) throw new Error(`longmemeval: ${row.qid} has no session ${place}`)
  return sid
}

function speakerOf(turn: Turn): string {
  return turn.r === 'a' ? 'assistant' : 'user'
}

function turnKey(sid: string, position: number): string {
  return `${sid}:${position}`
}

/** `2023/05/20 (Sat) 06:13` */
function dateOf(row: QuestionRow, place: number): number {
  const [, year, month, day, hour, minute] =
    row.dates[place]?.match(/^(\d{4})\/(\d\d)\/(\d\d) \(\w+\) (\d\d):(\d\d)$/) ?? []
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute))
  if (Number.isNaN(ms)) throw new Error(`longmemeval: ${row.qid} has no readable date at ${place}`)
  return ms
}
