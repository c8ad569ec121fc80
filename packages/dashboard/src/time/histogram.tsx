import { client } from '../connection.ts'
import { counted } from '../counted.ts'
import { useLoad } from '../load.ts'
import { project, revision } from '../state.ts'
import { binsOf } from './bins.ts'

const binCount = 60

/** How many memories were created over time, under the slider. Hidden from screen readers: the list gives the dates. */
export function Histogram({ first, last }: { readonly first: number; readonly last: number }) {
  const load = useLoad(
    (ended) => client.value.activity({ signal: ended }),
    [client.value, project.value, revision.value],
  )
  const { current } = load
  // Only a decoration of the slider, so an error shows nothing.
  const days = current.state === 'done' ? current.value : current.state === 'loading' ? current.previous : undefined
  if (days === undefined) return <span class="histogram" aria-hidden="true" />
  const bins = binsOf(days, first, last, binCount)
  const most = Math.max(1, ...bins)
  return (
    <span class="histogram" aria-hidden="true">
      {bins.map((created, index) => (
        <span
          key={index}
          title={counted(created, 'memory', 'memories')}
          style={{ height: created === 0 ? '0' : `${Math.max(8, (100 * created) / most)}%` }}
        />
      ))}
    </span>
  )
}
