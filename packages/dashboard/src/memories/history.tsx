import type { GetMemoryHistoryAnswer, MemoryVersion } from '@keepsake/client'
import { useEffect, useState } from 'preact/hooks'
import { useAction } from '../action.ts'
import { Loaded } from '../components/loaded.tsx'
import { Moment } from '../components/moment.tsx'
import { Problem } from '../components/problem.tsx'
import { visible } from '../components/visible.ts'
import { client } from '../connection.ts'
import { useLoad } from '../load.ts'
import { announce, revision } from '../state.ts'
import { ChangedWords } from './changed-words.tsx'
import { outdatedWords } from './outdated-words.ts'

export function History({ id }: { readonly id: string }) {
  const load = useLoad((ended) => client.value.historyPage(id, { signal: ended }), [client.value, id, revision.value])
  return (
    <Loaded load={load} what="Reading its history">
      {(history) => <Pages id={id} first={history} />}
    </Loaded>
  )
}

/** Appends further pages to the first. */
function Pages({ id, first }: { readonly id: string; readonly first: GetMemoryHistoryAnswer }) {
  const [shown, setShown] = useState(first)
  const action = useAction()
  useEffect(() => setShown(first), [first])
  function showMore(cursor: string) {
    action.run(async () => {
      const page = await client.value.historyPage(id, { cursor })
      const versions = [...shown.versions, ...page.versions]
      setShown({ ...page, versions, provenance: [...shown.provenance, ...page.provenance] })
      announce(`${page.versions.length + page.provenance.length} more`)
    })
  }
  const after = shown.nextCursor
  return (
    <>
      {action.problem !== undefined && <Problem error={action.problem} />}
      {after !== null && (
        <button type="button" class="button" disabled={action.busy} onClick={() => showMore(after)}>
          {action.busy ? 'Reading…' : 'Show more of its history'}
        </button>
      )}
      <div class="columns">
        <Versions history={shown} />
        <Origins history={shown} />
      </div>
    </>
  )
}

function Versions({ history: { versions } }: { readonly history: GetMemoryHistoryAnswer }) {
  const newestFirst = versions.map((version, index) => ({ version, before: versions[index - 1] })).reverse()
  return (
    <section class="card" aria-labelledby="history-title">
      <h2 id="history-title">{versions.length === 1 ? 'One version' : `${versions.length} versions`}</h2>
      <ol class="stack" reversed>
        {newestFirst.map(({ version, before }) => (
          <li key={version.version} class="version">
            <p class="small quiet">
              Version {version.version}, from <Moment at={version.validFrom} time />
              {version.validTo !== null && (
                <>
                  {' '}
                  to <Moment at={version.validTo} time />
                </>
              )}
            </p>
            <Changes version={version} before={before} />
          </li>
        ))}
      </ol>
    </section>
  )
}

interface ChangesProps {
  readonly version: MemoryVersion
  readonly before: MemoryVersion | undefined
}

function Changes({ version, before }: ChangesProps) {
  if (before === undefined)
    return (
      <p class="words" dir="auto">
        {visible(version.content)}
      </p>
    )
  const others = otherChanges(before, version)
  return (
    <>
      {version.content === before.content ? (
        <p class="quiet">The text is unchanged.</p>
      ) : (
        <ChangedWords before={before.content} after={version.content} />
      )}
      {others.map((text) => (
        <p key={text} class="small words" dir="auto">
          {text}
        </p>
      ))}
    </>
  )
}

function otherChanges(before: MemoryVersion, version: MemoryVersion): string[] {
  const compared: readonly (readonly [string, string, string])[] = [
    ['Project', before.project ?? 'none', version.project ?? 'none'],
    ['Expires', before.expiresAt ?? 'never', version.expiresAt ?? 'never'],
    ['Trust', before.trustScore.toFixed(2), version.trustScore.toFixed(2)],
    ['Metadata', JSON.stringify(before.metadata), JSON.stringify(version.metadata)],
    ['Outdated', outdatedWords(before), outdatedWords(version)],
  ]
  return compared.filter(([, old, now]) => old !== now).map(([name, old, now]) => `${name}: ${old} → ${now}`)
}

function Origins({ history: { provenance, nextCursor } }: { readonly history: GetMemoryHistoryAnswer }) {
  return (
    <section class="card" aria-labelledby="origin-title">
      <h2 id="origin-title">Where it comes from</h2>
      {provenance.length === 0 && nextCursor === null && <p class="quiet">The original text is not kept.</p>}
      <ol class="stack">
        {provenance.map(({ documentId, source, storedAt, text }) => (
          <li key={documentId}>
            <p class="small quiet">
              Stored <Moment at={storedAt} time />, source {source}
            </p>
            <blockquote class="words quote" dir="auto">
              {visible(text)}
            </blockquote>
          </li>
        ))}
      </ol>
    </section>
  )
}
