import type { Keepsake } from '@keepsake/client'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Bar } from '../components/bar.tsx'
import { Loaded } from '../components/loaded.tsx'
import { momentText } from '../components/moment.tsx'
import { Problem } from '../components/problem.tsx'
import { SignIn } from '../components/sign-in.tsx'
import { client, masterClient, metricsText, type RateLimit, rateLimits } from '../connection.ts'
import { readTotals, sizeText, type Totals } from '../health/totals.ts'
import { type Loading, useLoad } from '../load.ts'
import { access, apiKey, masterKey, revision } from '../state.ts'

export default function HealthPage() {
  const health = useLoad(
    async (ended) => ({ health: await asking().health({ signal: ended }), at: new Date() }),
    [client.value, masterClient.value, access.value],
    ({ health: { status } }) => `The service is ${status}`,
  )
  const mayCount = access.value === 'open' || masterKey.value !== undefined
  const totals = useLoad(
    async (ended) => (mayCount ? readTotals(await metricsText(ended)) : undefined),
    [access.value, masterKey.value, revision.value],
  )
  function refresh() {
    health.again()
    totals.again()
  }
  return (
    <>
      <Loaded load={health} what="Asking the service">
        {(answer) => (
          <>
            <p class="row apart">
              <span class="small quiet">Checked {momentText(answer.at)}</span>
              <button type="button" class="button small" onClick={refresh}>
                Refresh
              </button>
            </p>
            <dl class="tiles" aria-label="The service">
              <State health={answer.health} />
              <Contents totals={totals.current} mayCount={mayCount} />
            </dl>
            {totals.current.state === 'failed' && <Problem error={totals.current.error} again={totals.again} />}
            <Checks health={answer.health} />
          </>
        )}
      </Loaded>
      <Limits />
    </>
  )
}

/** Uses any available key, because the answer is the same for each. */
function asking(): Keepsake {
  return apiKey.value === undefined ? (masterClient.value ?? client.value) : client.value
}

type Health = Awaited<ReturnType<Keepsake['health']>>

function State({ health: { status, version, uptimeSeconds } }: { readonly health: Health }) {
  return (
    <>
      <Tile name="State">
        <span class={status === 'healthy' ? 'good' : 'bad'}>{status === 'healthy' ? '✓ healthy' : '✗ unhealthy'}</span>
      </Tile>
      {version !== undefined && <Tile name="Version">{version}</Tile>}
      {uptimeSeconds !== undefined && <Tile name="Up for">{durationText(uptimeSeconds)}</Tile>}
    </>
  )
}

interface ContentsProps {
  readonly totals: Loading<Totals | undefined>
  readonly mayCount: boolean
}

function Contents({ totals, mayCount }: ContentsProps) {
  if (!mayCount) {
    return (
      <Tile name="Users, memories, disk">
        – <span class="tile-note">shown with the master key</span>
      </Tile>
    )
  }
  const known = totals.state === 'done' ? totals.value : totals.state === 'loading' ? totals.previous : undefined
  // The service did not count in time, or has not answered yet.
  const missing = totals.state === 'loading' ? '…' : '–'
  const number = (value: number | undefined) => value?.toLocaleString('en') ?? missing
  return (
    <>
      <Tile name="Users">{number(known?.users)}</Tile>
      <Tile name="Memories">
        {number(known?.memories)} <span class="tile-note">of all users, with history</span>
      </Tile>
      <Tile name="On disk">{known === undefined ? missing : sizeText(known.bytes)}</Tile>
    </>
  )
}

function Tile({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div class="tile">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Checks({ health: { checks } }: { readonly health: Health }) {
  if (checks === undefined) {
    return (
      <section class="card" aria-labelledby="checks-title">
        <h2 id="checks-title">Parts</h2>
        <p>With a key, the service reports its version and the state of each part.</p>
        <SignIn />
      </section>
    )
  }
  return (
    <section class="card" aria-labelledby="checks-title">
      <h2 id="checks-title">Parts</h2>
      <table class="dense">
        <caption class="visually-hidden">Parts of the service</caption>
        <thead>
          <tr>
            <th scope="col">Part</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(checks).map(([part, state]) => (
            <tr key={part}>
              <th scope="row">{part.replaceAll('_', ' ')}</th>
              <td>{part === loaded ? state : <CheckState state={state} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** A list of names instead of a state. */
const loaded = 'loaded_models'

/** Healthy states from docs/api.md. Any other state is highlighted. */
const fine = new Set(['ok', 'memory', 'redis'])

/** A part that is switched off on purpose is not highlighted either. */
function CheckState({ state }: { readonly state: string }) {
  if (fine.has(state)) return <span class="tag good">✓ {state}</span>
  return <span class={`tag ${state === 'off' ? '' : 'warm'}`}>{state}</span>
}

/** Nothing where limits are off. */
function Limits() {
  const now = useNow()
  const limits = [...rateLimits.value.values()]
  if (limits.length === 0) return null
  return (
    <section class="card" aria-labelledby="limits-title">
      <h2 id="limits-title">Rate limits</h2>
      <p class="small quiet">What this key or address has left.</p>
      <ul class="stack tight">
        {limits.map((limit) => (
          <LimitLine key={limit.group} limit={limit} now={now} />
        ))}
      </ul>
    </section>
  )
}

function LimitLine({ limit, now }: { readonly limit: RateLimit; readonly now: number }) {
  const left = Math.max(0, Math.ceil(limit.resetSeconds - (now - limit.at) / 1000))
  // When the window has ended, the full limit is available again.
  const remaining = left === 0 ? limit.limit : limit.remaining
  return (
    <li class="stack tight">
      <span class="row apart">
        <strong>{limit.group}</strong>
        <span class="number small">
          {remaining} of {limit.limit} left{left > 0 ? `, resets in ${left} s` : ''}
        </span>
      </span>
      <Bar share={remaining / limit.limit} tone={remaining === 0 ? 'warm' : 'accent'} />
    </li>
  )
}

function useNow(): number {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return now
}

function durationText(seconds: number): string {
  const units: readonly (readonly [number, string])[] = [
    [86_400, 'days'],
    [3600, 'hours'],
    [60, 'minutes'],
  ]
  for (const [size, name] of units) if (seconds >= 2 * size) return `${Math.floor(seconds / size)} ${name}`
  return `${seconds} seconds`
}
