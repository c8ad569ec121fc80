import type { StoreMemoriesAnswer } from '@keepsake/client'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useAction } from '../action.ts'
import { Command } from '../components/command.tsx'
import { Field } from '../components/field.tsx'
import { LoadDemo } from '../components/load-demo.tsx'
import { Problem } from '../components/problem.tsx'
import { SignIn } from '../components/sign-in.tsx'
import { visible } from '../components/visible.ts'
import { canRead, client, serviceUrl } from '../connection.ts'
import { counted } from '../counted.ts'
import { fieldValue } from '../form.ts'
import { addressOf } from '../route.ts'
import { access, announce, apiKey, changed, keyOwner, masterKey, userId } from '../state.ts'

export default function StartPage() {
  return (
    <>
      <p class="lead">Keepsake remembers for applications that forget. Seven steps, about ten minutes:</p>
      <ol class="steps">
        <Step title="Choose whose memories to see">{canRead.value ? <Known /> : <SignIn />}</Step>
        <Step title="Load something to see">
          <LoadDemo />
        </Step>
        <Step title="Store something yourself">{canRead.value ? <Tell /> : <Later />}</Step>
        <Step title="Ask a question">
          <p>
            Open <a href={addressOf('search')}>Search</a> and ask as you would ask a person. Each result shows what its
            score is made of.
          </p>
        </Step>
        <Step title="Look into the past">
          <p>
            Move the slider under <a href={addressOf('time')}>Time</a>: lists, searches and the{' '}
            <a href={addressOf('graph')}>graph</a> show what was known then.{' '}
            <a href={addressOf('contradictions')}>Contradictions</a> shows what replaced what, and why.
          </p>
        </Step>
        <Step title="Create a key">
          <p>
            Create one for each user of your application, under <a href={addressOf('keys')}>Keys</a>
            {access.value === 'open' && ', once the service runs with a master key'}.
          </p>
        </Step>
        <Step title="Connect an assistant">
          <p>An assistant that supports the Model Context Protocol connects to this address:</p>
          <Command text={`${serviceUrl}mcp`} what="the address" />
          <p>For Claude Code:</p>
          <Command text={claudeCommand()} what="the command" />
        </Step>
      </ol>
    </>
  )
}

function claudeCommand(): string {
  const header = access.value === 'keys' ? ' --header "Authorization: Bearer YOUR_KEY"' : ''
  return `claude mcp add --transport http keepsake ${serviceUrl}mcp${header}`
}

function Step({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <li class="card step">
      <h2>{title}</h2>
      {children}
    </li>
  )
}

function Later() {
  return <p class="quiet">Available after the first step.</p>
}

function Known() {
  return (
    <p>
      {access.value === 'open' ? (
        <>
          You see the memories of <strong>{userId.value}</strong>. Authentication is off: for more than one user, start
          the service with a master key.
        </>
      ) : (
        <>
          You see the memories of{' '}
          {keyOwner.value === undefined ? 'the user of your key' : <strong>{keyOwner.value}</strong>}.
        </>
      )}
      {masterKey.value !== undefined && apiKey.value !== undefined && ' The master key is available on the Keys page.'}
    </p>
  )
}

function Tell() {
  const action = useAction()
  const [stored, setStored] = useState<StoreMemoriesAnswer>()
  function submit(event: SubmitEvent) {
    event.preventDefault()
    const text = fieldValue(event, 'text')
    if (text === '') return
    action.run(async () => {
      const answer = await client.value.store(text, { source: 'dashboard' })
      setStored(answer)
      announce(`${counted(answer.memories.length, 'memory', 'memories')} stored`)
      changed()
    })
  }
  return (
    <form class="stack" onSubmit={submit}>
      <Field label="Text to store" hint="A few sentences. Keepsake finds out what they are about.">
        {(ids) => (
          <textarea
            {...ids}
            name="text"
            class="input"
            maxLength={50_000}
            required
            placeholder="John works at Acme Corp. I love hiking in the mountains."
          />
        )}
      </Field>
      {action.problem !== undefined && <Problem error={action.problem} />}
      <p class="row">
        <button type="submit" class="button" disabled={action.busy}>
          {action.busy ? 'Storing…' : 'Store'}
        </button>
      </p>
      {stored !== undefined && <Stored answer={stored} />}
    </form>
  )
}

const actionWords = { ADD: 'new', NOOP: 'already known', UPDATE: 'replaces an older one' } as const

function Stored({ answer }: { readonly answer: StoreMemoriesAnswer }) {
  return (
    <ul class="stack tight">
      {answer.memories.map(({ id, content, action, entities }) => (
        <li key={id}>
          <a class="words" dir="auto" href={addressOf('memories', id)}>
            {visible(content)}
          </a>{' '}
          <span class="small quiet">
            {actionWords[action]}
            {entities.length > 0 && `; about ${entities.join(', ')}`}
          </span>
        </li>
      ))}
    </ul>
  )
}
