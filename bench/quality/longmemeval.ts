/** LongMemEval-S: each question with its own haystack of about 48 sessions, and all of them as one pool. */
import { mostMemories } from './ask.js'
import { allRows, readRows } from './rows.js'
import {
  type Corpus,
  type Document,
  deepest,
  evenly,
  type Question,
  type RetrievalTask,
  type Source,
  type Turn,
  turnOf,
  turnsAsStored,
} from './task.js'

interface QuestionRow {
  readonly qid: string
  readonly type: string
  readonly abstention: boolean
  readonly question: string
  readonly question_date: string
  readonly haystack: readonly string[]
  readonly dates: readonly string[]
  /** Indices in the haystack. */
  readonly gold: readonly number[]
  /** Index in the haystack, index in the session. */
  readonly gold_turns: readonly (readonly [number, number])[]
}

interface SessionRow {
  readonly sid: string
  /** `r`: `u` or `a`. */
  readonly turns: readonly { readonly r: string; readonly t: string }[]
}

/**
 * Questions are sorted by kind: every fifteenth gives ten of all kinds, each with the sessions it needs and some
 * others.
 */
const smallEvery = 15
const smallHaystack = 6
const smallSplit = `10 of 150 questions, ${smallHaystack} sessions of each haystack`

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
  // Several turns of one session may rank before the first turn of the next session.
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
  title: 'LongMemEval one pool, sessions by their best turn',
  unit: 'session',
  recallLimit: mostMemories,
  smallSplit: `${smallSplit}, as one pool`,
  load: (source) => pool(source, turnsOf, 'turns'),
}

export const wholePoolTask: RetrievalTask = {
  name: 'lme-pool-whole',
  title: 'LongMemEval one pool, one memory per session',
  unit: 'session',
  recallLimit: deepest,
  smallSplit: `${smallSplit}, as one pool`,
  load: (source) => pool(source, wholeSession, 'sessions'),
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
    const documents = row.haystack.flatMap((sid, place) =>
      divide(sid, turnsIn(sessions, sid), dateOf(row, row.dates[place])),
    )
    yield { id: `lme-${kind}/${row.qid}`, documents, questions: questionOf(row, goldOf(row)) }
  }
}

async function* pool(source: Source, divide: Divide, kind: string): AsyncGenerator<Corpus> {
  const { questions, sessions } = await read(source)
  // A session may be in several haystacks on different days: the first haystack's day is used.
  const documents = new Map<string, readonly Document[]>()
  for (const row of questions) {
    for (const [place, sid] of row.haystack.entries()) {
      if (!documents.has(sid)) documents.set(sid, divide(sid, turnsIn(sessions, sid), dateOf(row, row.dates[place])))
    }
  }
  yield {
    id: `lme-pool-${kind}/${source.full ? 'full' : 'small'}`,
    documents: [...documents.values()].flat(),
    // Unanswerable from its own haystack does not mean unanswerable from the whole pool.
    questions: questions.filter((row) => !row.abstention).flatMap((row) => questionOf(row, goldSessions(row))),
  }
}

/** Several tasks, and often several questions, use the same session. */
const storedTurns = new Map<string, ReturnType<typeof turnsAsStored>>()

function turnsOf(sid: string, turns: readonly Turn[], saidMs: number): Document[] {
  const stored = storedTurns.get(sid) ?? turnsAsStored(turns)
  storedTurns.set(sid, stored)
  return stored.map((turn, position) => ({
    key: turnKey(sid, position),
    session: sid,
    ...turn,
    createdAt: saidMs + position * 1000,
  }))
}

function wholeSession(sid: string, turns: readonly Turn[], saidMs: number): Document[] {
  const content = turns.map((turn) => turnOf(turn).content).join('\n')
  return [{ key: sid, session: sid, content, before: null, createdAt: saidMs }]
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
  return [
    {
      id: row.qid,
      text: row.question,
      category: row.type,
      gold,
      answerable: !row.abstention,
      askedAt: dateOf(row, row.question_date),
    },
  ]
}

async function read({ directory, full }: Source) {
  const all = await allRows<QuestionRow>(directory, 'longmemeval/s', [
    'qid',
    'type',
    'question',
    'question_date',
    'haystack',
    'dates',
  ])
  const questions = full ? all : all.filter((_, index) => index % smallEvery === 0).map(withSmallHaystack)
  const wanted = new Set(questions.flatMap((row) => row.haystack))
  const sessions = new Map<string, readonly Turn[]>()
  for await (const row of readRows<SessionRow>(directory, 'longmemeval/sessions', ['sid', 'turns'])) {
    if (wanted.has(row.sid)) sessions.set(row.sid, row.turns.map(turnIn))
  }
  return { questions, sessions }
}

function withSmallHaystack(row: QuestionRow): QuestionRow {
  const needed = new Set(row.gold)
  const others = row.haystack.map((_, place) => place).filter((place) => !needed.has(place))
  const fill = evenly(others, Math.max(0, smallHaystack - needed.size))
  const kept = [...needed, ...fill].sort((a, b) => a - b)
  return {
    ...row,
    haystack: kept.map((place) => sidAt(row, place)),
    dates: kept.map((place) => row.dates[place] ?? ''),
    gold: row.gold.map((place) => kept.indexOf(place)),
    gold_turns: row.gold_turns.map(([place, turn]) => [kept.indexOf(place), turn]),
  }
}

function turnsIn(sessions: ReadonlyMap<string, readonly Turn[]>, sid: string): readonly Turn[] {
  const turns = sessions.get(sid)
  if (!turns) throw new Error(`longmemeval: a haystack refers to the missing session ${sid}`)
  return turns
}

function sidAt(row: QuestionRow, place: number): string {
  const sid = row.haystack[place]
  if (sid === undefined) throw new Error(`longmemeval: ${row.qid} has no session ${place}`)
  return sid
}

function turnIn({ r, t }: SessionRow['turns'][number]): Turn {
  return { speaker: r === 'a' ? 'assistant' : 'user', text: t }
}

function turnKey(sid: string, position: number): string {
  return `${sid}:${position}`
}

/** `2023/05/20 (Sat) 06:13` */
function dateOf(row: QuestionRow, date: string | undefined): number {
  const [, year, month, day, hour, minute] = date?.match(/^(\d{4})\/(\d\d)\/(\d\d) \(\w+\) (\d\d):(\d\d)$/) ?? []
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute))
  if (Number.isNaN(ms)) throw new Error(`longmemeval: ${row.qid} has no readable date: ${date}`)
  return ms
}
