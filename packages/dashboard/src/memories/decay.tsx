import { Bar } from '../components/bar.tsx'
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

export function MemoryDecay({ id }: { readonly id: string }) {
  const load = useLoad((ended) => client.value.decay.get(id, { signal: ended }), [client.value, id, revision.value])
  return (
    <section class="card" aria-labelledby="decay-title">
      <h2 id="decay-title">How it fades</h2>
      <Loaded load={load} what="Reading its decay">
        {(decay) => (
          <>
            <p>
              <strong class="number">{decay.decayScore.toFixed(2)}</strong>, {words[decay.status]}
            </p>
            <table>
              <caption class="visually-hidden">The score now and in the future, if it is not used</caption>
              <thead>
                <tr>
                  <th scope="col">When</th>
                  <th scope="col">
                    <span class="visually-hidden">As a bar</span>
                  </th>
                  <th scope="col" class="number">
                    Score
                  </th>
                </tr>
              </thead>
              <tbody>
                {[{ days: 0, decayScore: decay.decayScore }, ...decay.forecast].map(({ days, decayScore }) => (
                  <tr key={days}>
                    <th scope="row">{days === 0 ? 'Now' : `In ${days} days`}</th>
                    <td class="part-bar">
                      <Bar share={decayScore} />
                    </td>
                    <td class="number">{decayScore.toFixed(2)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
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
