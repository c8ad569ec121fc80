import type {
  Contradiction,
  ContradictionPageOptions,
  Keepsake,
  ListContradictionsAnswer,
  ListContradictionsQuery,
} from '@keepsake/client'
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useAction } from '../action.ts'
import { Empty, Loaded } from '../components/loaded.tsx'
import { Moment } from '../components/moment.tsx'
import { OfNow } from '../components/of-now.tsx'
import { Pager } from '../components/pager.tsx'
import { Problem } from '../components/problem.tsx'
import { visible } from '../components/visible.ts'
import { client } from '../connection.ts'
import { Merges } from '../contradictions/merges.tsx'
import { titleOf } from '../contradictions/title.ts'
import { counted } from '../counted.ts'
import { useLoad } from '../load.ts'
import { addressOf } from '../route.ts'
import { changed, notify, revision } from '../state.ts'

type Status = Contradiction['status']

const statusWords: Readonly<
  Record<Status, { readonly name: string; readonly meaning: string; readonly tone: string }>
> = {
  open: { name: 'Open', meaning: 'Both are kept until someone decides', tone: 'warm' },
  applied: { name: 'Applied', meaning: 'The new one replaced the old one, or the marked part of it', tone: '' },
  accepted: { name: 'Accepted', meaning: 'Someone confirmed the new one', tone: 'good' },
  reverted: { name: 'Reverted', meaning: 'The old one was restored', tone: 'bad' },
}

const statuses: readonly Status[] = ['open', 'applied', 'accepted', 'reverted']
const pageSize = 25
const chosen = signal<ListContradictionsQuery['status']>(undefined)

export default function ContradictionsPage() {
  return (
    <>
      <p>
        When a new memory contradicts an old one, the service decides which one to keep and says why. You can overrule
        it.
      </p>
      <OfNow what="Decisions are shown as of now, regardless of the time slider." />
      <fieldset class="row choices">
        <legend class="visually-hidden">Which contradictions</legend>
        <Choice value={undefined} label="All" />
        {statuses.map((status) => (
          <Choice key={status} value={status} label={statusWords[status].name} />
        ))}
      </fieldset>
      <List key={chosen.value} />
      <Merges />
    </>
  )
}

function Choice({ value, label }: { readonly value: Status | undefined; readonly label: string }) {
  return (
    <label class="choice">
      <input type="radio" name="status" checked={chosen.value === value} onChange={() => (chosen.value = value)} />
      <span>{label}</span>
    </label>
  )
}

/** Long texts end a page early: the rest of it is behind its cursor. */
async function readPage(reader: Keepsake, query: ContradictionPageOptions): Promise<ListContradictionsAnswer> {
  const { page, ...rest } = query
  let read = await reader.contradictions.listPage({ ...rest, page, limit: pageSize })
  while (read.nextCursor !== null && read.contradictions.length < pageSize) {
    const limit = pageSize - read.contradictions.length
    const more = await reader.contradictions.listPage({ ...rest, cursor: read.nextCursor, limit })
    read = { ...more, contradictions: [...read.contradictions, ...more.contradictions] }
  }
  return read
}

function List() {
  const [page, setPage] = useState(1)
  const load = useLoad(
    (ended) => readPage(client.value, { status: chosen.value, page, signal: ended }),
    [client.value, chosen.value, page, revision.value],
    ({ total }) => counted(total, 'contradiction'),
  )
  return (
    <Loaded load={load} what="Reading contradictions">
      {({ contradictions, total }) =>
        total === 0 ? (
          <Empty title="No contradictions">
            <p>
              {chosen.value === undefined
                ? 'When a new fact replaces an old one, both appear here with the reason.'
                : 'None of this kind.'}
            </p>
          </Empty>
        ) : (
          <section class="stack" aria-labelledby="contradictions-title">
            <h2 id="contradictions-title">{total === 1 ? 'One contradiction' : `${total} contradictions`}</h2>
            <ul class="changes">
              {contradictions.map((contradiction) => (
                <Item key={contradiction.id} contradiction={contradiction} />
              ))}
            </ul>
            <Pager page={page} pages={Math.ceil(total / pageSize)} go={setPage} />
          </section>
        )
      }
    </Loaded>
  )
}

function Item({ contradiction }: { readonly contradiction: Contradiction }) {
  const { id, status, why, old, part, createdAt, decidedAt } = contradiction
  const action = useAction()
  const words = statusWords[status]
  function decide(verdict: 'accept' | 'revert') {
    action.run(async () => {
      await client.value.contradictions[verdict](id)
      notify(verdict === 'accept' ? 'Accepted: the new memory is kept' : 'Reverted: the old memory is restored')
      changed()
    })
  }
  const isOutdated = status === 'applied' || status === 'accepted'
  const { new: newer } = contradiction
  return (
    <li class="change">
      <p class="change-title" title={why}>
        {titleOf(contradiction)}
      </p>
      <p class="change-line">
        <Side memory={old} name="before">
          {part === null ? visible(old.content) : <Marked content={old.content} part={part} isOutdated={isOutdated} />}
        </Side>
        <span aria-hidden="true">→</span>
        <Side memory={newer} name="now">
          {visible(newer.content)}
        </Side>
      </p>
      <p class="change-state small">
        <span class={`tag ${words.tone}`} title={words.meaning}>
          {words.name}
        </span>
        <span class="quiet">
          <Moment at={decidedAt ?? createdAt} />
        </span>
        <span class="visually-hidden">{why}</span>
      </p>
      <span class="row change-actions">
        {status !== 'accepted' && (
          <button type="button" class="button small" disabled={action.busy} onClick={() => decide('accept')}>
            Accept<span class="visually-hidden"> the new one: {why}</span>
          </button>
        )}
        {status !== 'reverted' && (
          <button type="button" class="button small" disabled={action.busy} onClick={() => decide('revert')}>
            Revert<span class="visually-hidden"> to the old one: {why}</span>
          </button>
        )}
      </span>
      {action.problem !== undefined && <Problem error={action.problem} />}
    </li>
  )
}

interface SideProps {
  readonly memory: Contradiction['old']
  readonly name: string
  readonly children: ComponentChildren
}

function Side({ memory: { id, content, supersededAt }, name, children }: SideProps) {
  return (
    <a class={supersededAt === null ? '' : 'gone'} href={addressOf('memories', id)} dir="auto" title={visible(content)}>
      <span class="visually-hidden">{name}: </span>
      {children}
    </a>
  )
}

interface MarkedProps {
  readonly content: string
  readonly part: NonNullable<Contradiction['part']>
  readonly isOutdated: boolean
}

/** Strikes the part through if it is outdated, and highlights it if that is undecided or was reverted. */
function Marked({ content, part: { start, end }, isOutdated }: MarkedProps) {
  const Tag = isOutdated ? 'del' : 'mark'
  return (
    <>
      {content.slice(0, start)}
      <Tag>
        <span class="visually-hidden">{isOutdated ? 'outdated: ' : 'contested: '}</span>
        {content.slice(start, end)}
      </Tag>
      {content.slice(end)}
    </>
  )
}
