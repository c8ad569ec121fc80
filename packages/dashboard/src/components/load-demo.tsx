import { useState } from 'preact/hooks'
import { useAction } from '../action.ts'
import { canRead, client } from '../connection.ts'
import { demoState, loadDemo } from '../demo.ts'
import { addressOf } from '../route.ts'
import { access, userId } from '../state.ts'
import { Command } from './command.tsx'
import { Confirm } from './dialog.tsx'
import { Problem } from './problem.tsx'

const demoUser = 'demo'

export function LoadDemo() {
  const state = demoState.value
  return (
    <>
      <p>
        A year in the life of Nora Vale, a fictional person: what she said, what she changed her mind about, and what
        has expired since. It gives every page something to show.
      </p>
      {state.kind === 'idle' && <Begin />}
      {state.kind === 'running' && <Progress done={state.done} total={state.total} waitSeconds={state.waitSeconds} />}
      {state.kind === 'failed' && <Problem error={state.error} again={() => void loadDemo(client.value)} />}
      {state.kind === 'done' && (
        <p>
          ✓ Loaded. Now <a href={addressOf('search')}>ask</a> where she lives.
        </p>
      )}
      <details>
        <summary>From a terminal</summary>
        <Command text="node packages/cli/keepsake.mjs demo" what="the command" />
      </details>
    </>
  )
}

/** With authentication off, the demo gets its own user. The user of a key may have real memories, so this asks before mixing them. */
function Begin() {
  const action = useAction()
  const [asks, setAsks] = useState(false)
  if (access.value !== 'open') {
    if (!canRead.value) return <p class="quiet">Available after the first step.</p>
    const begin = () =>
      action.run(async () => {
        const { total } = await client.value.listPage({ limit: 1, project: null })
        if (total === 0) void loadDemo(client.value)
        else setAsks(true)
      })
    return (
      <>
        <Button label="Load the demo for the user of the key" busy={action.busy} click={begin} />
        {action.problem !== undefined && <Problem error={action.problem} />}
        {asks && (
          <Confirm
            title="This user already has memories"
            action="Load it anyway"
            confirm={() => {
              setAsks(false)
              void loadDemo(client.value)
            }}
            close={() => setAsks(false)}
          >
            <p>Several hundred demo memories would be added to them, and may replace memories they contradict.</p>
          </Confirm>
        )}
      </>
    )
  }
  const begin = () => {
    userId.value = demoUser
    void loadDemo(client.value)
  }
  return <Button label="Load the demo for the user “demo”" busy={false} click={begin} />
}

interface ButtonProps {
  readonly label: string
  readonly busy: boolean
  readonly click: () => void
}

function Button({ label, busy, click }: ButtonProps) {
  return (
    <p class="row">
      <button type="button" class="button primary" disabled={busy} onClick={click}>
        {label}
      </button>
    </p>
  )
}

interface ProgressProps {
  readonly done: number
  readonly total: number
  readonly waitSeconds: number
}

function Progress({ done, total, waitSeconds }: ProgressProps) {
  return (
    <p class="row">
      <progress aria-label="Loading the demo" max={Math.max(1, total)} value={done} />
      <span>
        {total === 0 ? 'Checking…' : `${done} of ${total} parts`}
        {waitSeconds > 0 && `, waiting ${waitSeconds} s for the rate limit`}. You can look around in the meantime.
      </span>
    </p>
  )
}
