import type { Keepsake } from '@keepsake/client'
import { useEffect, useState } from 'preact/hooks'
import { Bar } from '../components/bar.tsx'
import { Loaded } from '../components/loaded.tsx'
import { momentText } from '../components/moment.tsx'
import { SignIn } from '../components/sign-in.tsx'
import { client, masterClient, metricsText, type RateLimit, rateLimits } from '../connection.ts'
import { readTotals, sizeText } from '../health/totals.ts'
import { useLoad } from '../load.ts'
import { access, apiKey, masterKey, revision } from '../state.ts'

export default function HealthPage() {
  return (
    <>
      <Checks />
      <div class="columns">
        <Contents />
        <Limits />
      </div>
    </>
  )
}

/** Uses any available key, because the answer is the same for each. */
function asking(): Keepsake {
  return apiKey.value === undefined ? (masterClient.value ?? client.value) : client.value
}

function Checks() {
  const load = useLoad(
    async (ended) => ({ health: await asking().health({ signal: ended }), at: new Date() }),
    [client.value, masterClient.value, access.value],
    ({ health }) => `The service is ${health.status}`,
  )
  return (
    <section class="card" aria-labelledby="checks-title">
      <div class="row apart">
        <h2 id="checks-title">The service</h2>
        <button type="button" class="button small" onClick={load.again}>
          Refresh
        </button>
      </div>
      <Loaded load={load} what="Asking the service">
        {({ health, at }) => (
          <>
            <p class="row">
              <span class={`tag ${health.status === 'healthy' ? 'good' : 'bad'}`}>
                {health.status === 'healthy' ? '✓ healthy' : '✗ unhealthy'}
              </span>
              {health.version !== undefined && <span>Keepsake {health.version}</span>}
              {health.uptimeSeconds !== undefined && <span>up for {durationText(health.uptimeSeconds)}</span>}
              <span class="small quiet">checked {momentText(at)}</span>
            </p>
            {health.checks === undefined ? (
              <>
                <p>With a key, the service reports its version and the state of each part.</p>
                <SignIn />
              </>
            ) : (
              <table>
                <caption class="visually-hidden">Parts of the service</caption>
                <thead>
                  <tr>
                    <th scope="col">Part</th>
                    <th scope="col">State</th>
                  </tr>
                </thead>
                <tbody>
                  {Object.entries(health.checks).map(([part, state]) => (
                    <tr key={part}>
                      <th scope="row">{part.replaceAll('_', ' ')}</th>
                      <td>
                        <CheckState state={state} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </>
        )}
      </Loaded>
    </section>
  )
}

function Contents() {
  const mayAsk = access.value === 'open' || masterKey.value !== undefined
  const load = useLoad(
    async (ended) => (mayAsk ? readTotals(await metricsText(ended)) : undefined),
    [access.value, masterKey.value, revision.value],
  )
  return (
    <section class="card" aria-labelledby="contents-title">
      <h2 id="contents-title">What it contains</h2>
      {mayAsk ? (
        <Loaded load={load} what="Counting">
          {(totals) =>
            totals === undefined ? (
              <p class="quiet">The store did not answer in time.</p>
            ) : (
              <dl class="facts">
                <Total name="Users" text={totals.users.toLocaleString('en')} />
                <Total name="Memories" text={`${totals.memories.toLocaleString('en')}, with superseded ones`} />
                <Total name="On disk" text={sizeText(totals.bytes)} />
              </dl>
            )
          }
        </Loaded>
      ) : (
        <p class="quiet">With the master key, the numbers of users and memories and the size on disk are shown here.</p>
      )}
    </section>
  )
}

function Total({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="number">{text}</dd>
    </div>
  )
}

/** Healthy states from docs/api.md. Any other state is highlighted. */
const fine = new Set(['ok', 'memory', 'redis'])

/** A part that is switched off on purpose is not highlighted either. */
function CheckState({ state }: { readonly state: string }) {
  if (fine.has(state)) return <span class="tag good">✓ {state}</span>
  return <span class={`tag ${state === 'off' ? '' : 'warm'}`}>{state}</span>
}

function Limits() {
  const now = useNow()
  const limits = [...rateLimits.value.values()]
  return (
    <section class="card" aria-labelledby="limits-title">
      <h2 id="limits-title">Rate limits</h2>
      <p class="small quiet">As reported in the responses to this page, for its key or address.</p>
      {limits.length === 0 ? (
        <p>No response contained a limit: limits are off, or there were no requests yet.</p>
      ) : (
        <ul class="stack tight">
          {limits.map((limit) => (
            <LimitLine key={limit.group} limit={limit} now={now} />
          ))}
        </ul>
      )}
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
