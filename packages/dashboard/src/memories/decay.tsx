import { Curve } from '../components/curve.tsx'
import { Loaded } from '../components/loaded.tsx'
import { client } from '../connection.ts'
import { useLoad } from '../load.ts'
import { addressOf } from '../route.ts'
import { revision } from '../state.ts'

const words = {
  healthy: 'fresh',
  decaying: 'fading',
  expired: 'faint: still recalled, but behind fresher ones',
} as const

const shownDays = [7, 30, 90, 180, 365]

export function MemoryDecay({ id }: { readonly id: string }) {
  const load = useLoad(
    (ended) => client.value.decay.get(id, { forecastDays: shownDays, signal: ended }),
    [client.value, id, revision.value],
  )
  return (
    <section class="card" aria-labelledby="decay-title">
      <h2 id="decay-title">How it fades</h2>
      <Loaded load={load} what="Reading its decay">
        {(decay) => (
          <>
            <p>
              <strong class="number">{decay.decayScore.toFixed(2)}</strong>, {words[decay.status]}
            </p>
            <Curve
              points={[
                { days: 0, score: decay.decayScore },
                ...decay.forecast.map(({ days, decayScore }) => ({ days, score: decayScore })),
              ]}
            />
            <ul class="row small" aria-label="The score in the future, if it is not used">
              {decay.forecast.map(({ days, decayScore }) => (
                <li key={days} class="number">
                  in {days} days {decayScore.toFixed(2)}
                </li>
              ))}
            </ul>
            <p class="small quiet">
              Age {decay.ageDays.toFixed(1)} days, half-life {decay.halfLifeDays} days: {decay.timeDecay.toFixed(2)} by
              age × {decay.accessBoost.toFixed(2)} by use × {decay.recencyBoost.toFixed(2)} by last use.{' '}
              <a href={addressOf('decay', id)}>What if?</a>
            </p>
          </>
        )}
      </Loaded>
    </section>
  )
}
