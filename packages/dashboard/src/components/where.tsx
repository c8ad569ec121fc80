/** The head of the page: whose memories are shown, and of which project. */
import { useState } from 'preact/hooks'
import { useAction } from '../action.ts'
import { canRead, client, masterClient, openForUser, signOut } from '../connection.ts'
import { useLoad } from '../load.ts'
import { access, announce, apiKey, keyOwner, masterKey, project, revision, userId } from '../state.ts'
import { Dialog } from './dialog.tsx'
import { Icon } from './icon.tsx'
import { Problem } from './problem.tsx'
import { UserPicker } from './user-picker.tsx'

/** Shows whose memories are open, with a button to leave. */
export function Where() {
  const signedIn = apiKey.value !== undefined || masterKey.value !== undefined || userId.value !== undefined
  if (!signedIn) return <div class="where" />
  return (
    <div class="where">
      <Who />
      {canRead.value && <ShownProject />}
      <button
        type="button"
        class="button plain"
        onClick={signOut}
        aria-label="Leave: forget the key and everything that was shown"
      >
        <Icon name="leave" />
        <span class="tool-name">Leave</span>
      </button>
    </div>
  )
}

function Who() {
  const [picks, setPicks] = useState(false)
  const who = userId.value ?? (apiKey.value === undefined ? 'master key' : (keyOwner.value ?? 'user of the key'))
  if (access.value !== 'open' && masterClient.value === undefined) return <span class="who">{who}</span>
  return (
    <>
      <button
        type="button"
        class="button small who"
        aria-label={`${who}: show the memories of somebody else`}
        onClick={() => setPicks(true)}
      >
        <Icon name="profile" />
        <span class="who-name">{who}</span>
      </button>
      {picks && (
        <Dialog title="Whose memories?" close={() => setPicks(false)}>
          <PickUser done={() => setPicks(false)} />
        </Dialog>
      )}
    </>
  )
}

/** With the master key, it creates a key for the chosen user that expires by itself. */
export function PickUser({ done = () => undefined }: { readonly done?: () => void }) {
  const action = useAction()
  const master = masterClient.value
  const asking = master ?? client.value
  function choose(name: string) {
    action.run(async () => {
      if (master === undefined) userId.value = name
      else await openForUser(name)
      project.value = undefined
      announce(`Showing the memories of ${name}`)
      done()
    })
  }
  return (
    <>
      <UserPicker
        asking={asking}
        label={master === undefined ? 'User' : 'Whose memories'}
        hint={
          master === undefined
            ? 'The user_id that your application uses; demo for the demo data.'
            : 'Creates a key named “dashboard” for them, which expires in 12 hours.'
        }
        action="Open"
        busy={action.busy}
        choose={choose}
      />
      {action.problem !== undefined && <Problem error={action.problem} />}
    </>
  )
}

function ShownProject() {
  const load = useLoad(
    (ended) => client.value.projects({ signal: ended }),
    [apiKey.value, userId.value, revision.value],
  )
  const { current } = load
  // Without an answer, only the choice of before can be shown.
  const known = current.state === 'done' ? current.value : current.state === 'loading' ? (current.previous ?? []) : []
  const chosen = project.value
  if (known.length === 0 && chosen === undefined) return null
  const isListed = chosen === undefined || known.some(({ name }) => name === chosen)
  return (
    <label class="project">
      <span class="visually-hidden">Shown project</span>
      <select
        class="input small"
        value={chosen ?? ''}
        onChange={(event) => {
          const { value } = event.currentTarget
          project.value = value === '' ? undefined : value
        }}
      >
        <option value="">All projects</option>
        {!isListed && <option value={chosen}>{chosen}</option>}
        {known.map(({ name, memories }) => (
          <option key={name} value={name}>
            {name} ({memories})
          </option>
        ))}
      </select>
    </label>
  )
}
