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
        A year in the life of Nora Vale, who does not exist: what she told, what she changed her mind about, and what
        has expired since. Every page has something to show then.
      </p>
      {state.kind === 'idle' && <Begin />}
      {state.kind === 'running' && <Progress done={state.done} total={state.total} waitSeconds={state.waitSeconds} />}
      {state.kind === 'failed' && <Problem error={state.error} again={() => void loadDemo(client.value)} />}
      {state.kind === 'done' && (
        <p>
          ✓ It is there. Now <a href={addressOf('search')}>ask</a> where she lives.
        </p>
      )}
      <details>
        <summary>From a terminal</summary>
        <Command text="node packages/cli/keepsake.mjs demo" what="the command" />
      </details>
    </>
  )
}

/** With authentication off it has a user of its own; a key's user may have memories that nobody wants to mix it with. */
function Begin() {
  const action = useAction()
  const [asks, setAsks] = useState(false)
  if (access.value !== 'open') {
    if (!canRead.value) return <p class="quiet">After the first step.</p>
    const begin = () =>
      action.run(async () => {
        const { total } = await client.value.listPage({ limit: 1, project: null })
        if (total === 0) void loadDemo(client.value)
        else setAsks(true)
      })
    return (
      <>
        <Button label="Load the demo into the user of the key" busy={action.busy} click={begin} />
        {action.problem !== undefined && <Problem error={action.problem} />}
        {asks && (
          <Confirm
            title="This user has memories already"
            action="Load it all the same"
            confirm={() => {
              setAsks(false)
              void loadDemo(client.value)
            }}
            close={() => setAsks(false)}
          >
            <p>Some hundred memories of the demo would come between them, and may replace what they contradict.</p>
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
        {total === 0 ? 'Looking…' : `${done} of ${total} parts`}
        {waitSeconds > 0 && `, waiting ${waitSeconds} s for the rate limit`}. You may look around meanwhile.
      </span>
    </p>
  )
}
