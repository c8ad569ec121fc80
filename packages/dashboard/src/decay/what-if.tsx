import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { Field } from '../components/field.tsx'

/** A half-life to try out, in days. Undefined for the current setting. */
export const triedHalfLife = signal<number | undefined>(undefined)

/** Days, roughly on a logarithmic scale. */
const choices = [1, 2, 3, 5, 7, 10, 14, 21, 30, 45, 60, 90, 120, 180, 270, 365, 545, 730, 1095, 1825, 3650]

/** While dragging, only the slider's own number changes, because any other change sends a request. */
const quietMs = 200

export function WhatIf({ inForce }: { readonly inForce: number }) {
  const [days, setDays] = useState(triedHalfLife.value ?? inForce)
  useEffect(() => {
    const timer = setTimeout(() => {
      triedHalfLife.value = days === inForce ? undefined : days
    }, quietMs)
    return () => clearTimeout(timer)
  }, [days, inForce])
  return (
    <section class="card" aria-labelledby="what-if-title">
      <h2 id="what-if-title">What if the half-life were…</h2>
      <Field
        label={`${days} days`}
        hint={`It is currently ${inForce} days. Moving the slider changes nothing in the service; the setting is SERVICE_DECAY_HALF_LIFE_DAYS.`}
      >
        {(ids) => (
          <input
            {...ids}
            type="range"
            class="wide-range"
            min={0}
            max={choices.length - 1}
            value={nearest(days)}
            aria-label="Half-life to try"
            aria-valuetext={`${days} days`}
            onInput={(event) => setDays(choices[event.currentTarget.valueAsNumber] ?? inForce)}
          />
        )}
      </Field>
      <p>
        <button type="button" class="button small" disabled={days === inForce} onClick={() => setDays(inForce)}>
          Reset to {inForce} days
        </button>
      </p>
    </section>
  )
}

function nearest(days: number): number {
  const distances = choices.map((choice) => Math.abs(Math.log(choice / days)))
  return distances.indexOf(Math.min(...distances))
}
