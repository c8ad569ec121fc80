import type { ApiKey, CreateKeyAnswer } from '@keepsake/client'
import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { useAction } from '../action.ts'
import { Command } from '../components/command.tsx'
import { Copy } from '../components/copy.tsx'
import { Confirm } from '../components/dialog.tsx'
import { Field } from '../components/field.tsx'
import { Empty, Loaded } from '../components/loaded.tsx'
import { Moment } from '../components/moment.tsx'
import { Problem } from '../components/problem.tsx'
import { TableFrame } from '../components/table-frame.tsx'
import { masterClient, openWithKey, signIn } from '../connection.ts'
import { fieldValue } from '../form.ts'
import { useLoad } from '../load.ts'
import { addressOf } from '../route.ts'
import { access, changed, masterKey, notify, revision } from '../state.ts'

/** A new key is shown once, until the next one is created or it is hidden. */
const made = signal<CreateKeyAnswer | undefined>(undefined)

export default function KeysPage() {
  if (access.value === 'open') return <Off />
  if (masterKey.value === undefined) return <AskMaster />
  return (
    <>
      <p>
        An API key gives access to the memories of one user and nothing else, and may be limited further. The key of an
        application acts for the user that each request names. The service stores only a hash of a key.
      </p>
      {made.value !== undefined && <Made key={made.value.id} answer={made.value} />}
      <CreateKey />
      <KeyList />
    </>
  )
}

function Off() {
  return (
    <section class="card" aria-labelledby="off-title">
      <h2 id="off-title">Authentication is off</h2>
      <p>
        Anyone who can reach this address can read and write the memories of every user, and there are no keys. To
        switch it on, stop the service and start it with a master key:
      </p>
      <Command text="SERVICE_MASTER_KEY=$(openssl rand -hex 32); export SERVICE_MASTER_KEY" what="the first command" />
      <Command text={'echo "$SERVICE_MASTER_KEY"; npx keepsake serve'} what="the second command" />
      <p class="small quiet">Write the key down: it creates and revokes the keys of users, here and with the API.</p>
    </section>
  )
}

function AskMaster() {
  const action = useAction()
  function submit(event: SubmitEvent) {
    event.preventDefault()
    const key = fieldValue(event, 'master')
    if (key === '') return
    action.run(async () => {
      await signIn(key)
      if (masterKey.value === undefined)
        notify('That is an API key: its memories are now open, but managing keys needs the master key')
    })
  }
  return (
    <form class="card sign-in" onSubmit={submit}>
      <h2>The master key</h2>
      <p>
        It creates and revokes API keys. It is the <code>SERVICE_MASTER_KEY</code> that the service was started with.
      </p>
      <Field label="Master key" hint="It stays in this tab’s memory, and is used on this page only.">
        {(ids) => (
          <input
            {...ids}
            name="master"
            type="password"
            class="input mono"
            autocomplete="off"
            spellcheck={false}
            required
          />
        )}
      </Field>
      {action.problem !== undefined && <Problem error={action.problem} />}
      <p class="row">
        <button type="submit" class="button primary" disabled={action.busy}>
          {action.busy ? 'Checking…' : 'Open'}
        </button>
      </p>
    </form>
  )
}

function CreateKey() {
  const action = useAction()
  function submit(event: SubmitEvent) {
    event.preventDefault()
    const form = event.currentTarget
    const isApplication = fieldValue(event, 'kind') === 'application'
    const user = fieldValue(event, 'user')
    const asked = {
      ...(isApplication ? { kind: 'application' as const, userPrefix: user || undefined } : { userId: user }),
      name: fieldValue(event, 'name'),
      access: accessOf(fieldValue(event, 'access')),
      project: fieldValue(event, 'project') || undefined,
      ttl: fieldValue(event, 'ttl') || undefined,
    }
    action.run(async () => {
      const answer = await masterClient.value?.keys.create(asked)
      if (answer === undefined) return
      made.value = answer
      notify(`A key for ${usersOf(answer)} was created: copy it now`)
      changed()
      if (form instanceof HTMLFormElement) form.reset()
    })
  }
  return (
    <form class="card" onSubmit={submit}>
      <h2>Create a key</h2>
      <div class="columns">
        <Field label="Kind" hint="An application names the user in each request">
          {(ids) => (
            <select {...ids} name="kind" class="input">
              <option value="user">of one user</option>
              <option value="application">of an application</option>
            </select>
          )}
        </Field>
        <Field label="User" hint="Whose memories it can access. Application: how its users’ ids start; empty: all">
          {(ids) => <input {...ids} name="user" class="input" maxLength={128} autocomplete="off" />}
        </Field>
        <Field label="Name" hint="A label, such as laptop">
          {(ids) => <input {...ids} name="name" class="input" required maxLength={100} autocomplete="off" />}
        </Field>
        <Field label="Access" hint="A key that only stores sees no memories">
          {(ids) => (
            <select {...ids} name="access" class="input">
              <option value="full">read and write</option>
              <option value="read">only read</option>
              <option value="write">only store</option>
            </select>
          )}
        </Field>
        <Field label="Project" hint="The only project it reaches; empty: all">
          {(ids) => <input {...ids} name="project" class="input" maxLength={128} autocomplete="off" />}
        </Field>
        <Field label="Expires after" hint="Such as 12h or 30d; empty: never">
          {(ids) => (
            <input
              {...ids}
              name="ttl"
              class="input"
              pattern="[1-9][0-9]*(min|mo|[hdwmy])"
              maxLength={12}
              autocomplete="off"
            />
          )}
        </Field>
      </div>
      {action.problem !== undefined && <Problem error={action.problem} />}
      <p class="row">
        <button type="submit" class="button primary" disabled={action.busy}>
          Create the key
        </button>
      </p>
    </form>
  )
}

function usersOf({ userId, userPrefix }: Pick<ApiKey, 'userId' | 'userPrefix'>): string {
  if (userId !== null) return userId
  return userPrefix === null ? 'every user' : `users ${userPrefix}…`
}

function accessOf(text: string): ApiKey['access'] {
  return text === 'read' || text === 'write' ? text : 'full'
}

function Made({ answer }: { readonly answer: CreateKeyAnswer }) {
  return (
    <section class="card made" aria-labelledby="made-title">
      <h2 id="made-title">
        The key of {usersOf(answer)}, “{answer.name}”
      </h2>
      <p>This is the only time it is shown.</p>
      <p class="row">
        <code class="sunken words">{answer.key}</code>
        <Copy text={answer.key} what="the key" />
      </p>
      <p class="row">
        {answer.userId !== null && (
          <button
            type="button"
            class="button"
            onClick={() => {
              openWithKey(answer.key, answer.userId ?? undefined)
              notify(`The memories of ${answer.userId} are open`)
            }}
          >
            Use it in this tab
          </button>
        )}
        <button type="button" class="button" onClick={() => (made.value = undefined)}>
          I have copied it: hide it
        </button>
      </p>
    </section>
  )
}

function KeyList() {
  const [revoking, setRevoking] = useState<ApiKey>()
  const load = useLoad(
    async (ended) => (await masterClient.value?.keys.list({ signal: ended })) ?? [],
    [masterClient.value, revision.value],
    (keys) => `${keys.length} keys`,
  )
  return (
    <Loaded load={load} what="Reading keys">
      {(keys) =>
        keys.length === 0 ? (
          <Empty title="There are no keys yet" />
        ) : (
          <>
            <div class="card">
              <TableFrame label="Keys">
                <table>
                  <caption>{keys.length === 1 ? 'One key' : `${keys.length} keys`}, newest first</caption>
                  <thead>
                    <tr>
                      <th scope="col">Name</th>
                      <th scope="col">User</th>
                      <th scope="col">Key</th>
                      <th scope="col">Limits</th>
                      <th scope="col">Created</th>
                      <th scope="col">Last used</th>
                      <th scope="col">State</th>
                    </tr>
                  </thead>
                  <tbody>
                    {keys.map((key) => (
                      <KeyRow key={key.id} apiKey={key} revoke={() => setRevoking(key)} />
                    ))}
                  </tbody>
                </table>
              </TableFrame>
            </div>
            {revoking !== undefined && <Revoke apiKey={revoking} close={() => setRevoking(undefined)} />}
          </>
        )
      }
    </Loaded>
  )
}

function KeyRow({ apiKey: key, revoke }: { readonly apiKey: ApiKey; readonly revoke: () => void }) {
  return (
    <tr>
      <th scope="row">{key.name}</th>
      <td>{usersOf(key)}</td>
      <td>
        <code>{key.preview}</code>
      </td>
      <td>
        <Limits apiKey={key} />
      </td>
      <td>
        <Moment at={key.createdAt} time />
      </td>
      <td>{key.lastUsedAt === null ? 'never' : <Moment at={key.lastUsedAt} time />}</td>
      <td>
        {key.status === 'revoked' ? (
          <span class="tag bad">revoked {key.revokedAt !== null && <Moment at={key.revokedAt} />}</span>
        ) : (
          <span class="row">
            {key.status === 'active' ? <span class="tag good">active</span> : <span class="tag bad">expired</span>}
            <button type="button" class="button small danger" onClick={revoke}>
              Revoke…<span class="visually-hidden"> {key.name}</span>
            </button>
          </span>
        )}
      </td>
    </tr>
  )
}

function Limits({ apiKey: { access, project, expiresAt } }: { readonly apiKey: ApiKey }) {
  if (access === 'full' && project === null && expiresAt === null) return <>none</>
  return (
    <>
      {access !== 'full' && <span class="tag">{access === 'read' ? 'only reads' : 'only stores'}</span>}{' '}
      {project !== null && <span class="tag">project {project}</span>}{' '}
      {expiresAt !== null && (
        <span class="tag">
          until <Moment at={expiresAt} />
        </span>
      )}
    </>
  )
}

function Revoke({ apiKey: key, close }: { readonly apiKey: ApiKey; readonly close: () => void }) {
  const action = useAction()
  function revoke() {
    action.run(async () => {
      await masterClient.value?.keys.revoke(key.id)
      notify(`The key “${key.name}” is revoked`)
      close()
      changed()
    })
  }
  return (
    <Confirm title={`Revoke “${key.name}”?`} action="Revoke it" busy={action.busy} confirm={revoke} close={close}>
      <p>
        Anything that uses it for {usersOf(key)} is refused immediately, everywhere. This can’t be undone, but you can
        create a{' '}
        <a href={addressOf('keys')} onClick={close}>
          new key
        </a>{' '}
        at any time. No memory is lost.
      </p>
      {action.problem !== undefined && <Problem error={action.problem} />}
    </Confirm>
  )
}
