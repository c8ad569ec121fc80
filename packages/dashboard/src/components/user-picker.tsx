import type { Keepsake, ListUsersAnswer } from '@keepsake/client'
import { useEffect, useState } from 'preact/hooks'
import { counted } from '../counted.ts'
import { fieldValue } from '../form.ts'
import { Field } from './field.tsx'

interface PickerProps {
  /** May list users: with the master key, or with authentication off. */
  readonly asking: Keepsake
  readonly label: string
  readonly hint?: string
  readonly action: string
  readonly busy?: boolean
  readonly choose: (userId: string) => void
}

const shownUsers = 8
/** After the last key, so that typing sends one request. */
const quietMs = 200

/** A field for a user's id, with the users that match it. Any id can be entered, because a user exists from the first memory on. */
export function UserPicker({ asking, label, hint, action, busy = false, choose }: PickerProps) {
  const [text, setText] = useState('')
  const found = useUsers(asking, text.trim())
  function submit(event: SubmitEvent) {
    event.preventDefault()
    const name = fieldValue(event, 'user')
    if (name !== '') choose(name)
  }
  return (
    <form class="stack tight" onSubmit={submit}>
      <Field label={label} hint={hint}>
        {(ids) => (
          <div class="search-line">
            <input
              {...ids}
              name="user"
              autocomplete="off"
              spellcheck={false}
              required
              maxLength={128}
              class="input"
              onInput={(event) => setText(event.currentTarget.value)}
            />
            <button type="submit" class="button primary" disabled={busy}>
              {action}
            </button>
          </div>
        )}
      </Field>
      {found !== undefined && <Found found={found} text={text.trim()} busy={busy} choose={choose} />}
    </form>
  )
}

/** Undefined if it is not known, also after an error: the field works without suggestions. */
function useUsers(asking: Keepsake, text: string): ListUsersAnswer | undefined {
  const [found, setFound] = useState<ListUsersAnswer>()
  useEffect(() => {
    const ended = new AbortController()
    const query = { limit: shownUsers, signal: ended.signal, ...(text === '' ? {} : { q: text }) }
    const timer = setTimeout(() => {
      asking.usersPage(query).then(
        (answer) => setFound(answer),
        () => {
          if (!ended.signal.aborted) setFound(undefined)
        },
      )
    }, quietMs)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [asking, text])
  return found
}

interface FoundProps {
  readonly found: ListUsersAnswer
  readonly text: string
  readonly busy: boolean
  readonly choose: (userId: string) => void
}

function Found({ found: { users, total }, text, busy, choose }: FoundProps) {
  if (users.length === 0) {
    return (
      <p class="small quiet" role="status">
        {text === '' ? 'Nobody has memories yet.' : `Nobody whose id contains “${text}” has memories.`}
      </p>
    )
  }
  return (
    <>
      <ul class="picked">
        {users.map(({ userId, memories }) => (
          <li key={userId}>
            <button type="button" class="button choose small" disabled={busy} onClick={() => choose(userId)}>
              <span class="picked-name">{userId}</span>
              <span class="small quiet number">{counted(memories, 'memory', 'memories')}</span>
            </button>
          </li>
        ))}
      </ul>
      {total > users.length && (
        <p class="small quiet">
          {users.length} of {total}: type to find others.
        </p>
      )}
    </>
  )
}
