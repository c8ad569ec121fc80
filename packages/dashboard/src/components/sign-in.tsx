import { useState } from 'preact/hooks'
import { discover, discoveryError, signIn } from '../connection.ts'
import { fieldValue } from '../form.ts'
import { access, announce } from '../state.ts'
import { Field } from './field.tsx'
import { Waiting } from './loaded.tsx'
import { Problem } from './problem.tsx'
import { PickUser } from './where.tsx'

/** Asks for what a page needs before it can show data: a reachable service, a key, or a user name. */
export function SignIn() {
  if (access.value === 'unknown') {
    if (discoveryError.value === undefined) return <Waiting what="Looking for the service" />
    return <Problem error={discoveryError.value} again={() => void discover()} />
  }
  return access.value === 'open' ? <AskUser /> : <AskKey />
}

function AskKey() {
  const [problem, setProblem] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  async function submit(event: SubmitEvent) {
    event.preventDefault()
    const key = fieldValue(event, 'key')
    if (key === '') return
    setBusy(true)
    setProblem(undefined)
    try {
      await signIn(key)
      announce('The key is accepted')
    } catch (error) {
      setProblem(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form class="card sign-in" onSubmit={submit}>
      <h2>Enter a key</h2>
      <p>
        An API key gives access to the memories of its user. The master key manages keys, and gives no access to
        memories.
      </p>
      <Field
        label="Key"
        hint="It stays in this tab’s memory. Nothing is stored, and it is gone when you close the tab."
      >
        {(ids) => (
          <input
            {...ids}
            name="key"
            type="password"
            autocomplete="off"
            spellcheck={false}
            required
            class="input mono"
          />
        )}
      </Field>
      {problem !== undefined && <Problem error={problem} />}
      <p class="row">
        <button type="submit" class="button primary" disabled={busy}>
          {busy ? 'Checking…' : 'Open'}
        </button>
      </p>
    </form>
  )
}

function AskUser() {
  return (
    <section class="card sign-in" aria-labelledby="ask-title">
      <h2 id="ask-title">Whose memories?</h2>
      <p>Authentication is off: anyone who can reach this address can read and write the memories of every user.</p>
      <PickUser />
    </section>
  )
}
