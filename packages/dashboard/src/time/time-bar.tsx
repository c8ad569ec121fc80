import { useEffect, useState } from 'preact/hooks'
import { Icon } from '../components/icon.tsx'
import { momentText } from '../components/moment.tsx'
import { canRead, client } from '../connection.ts'
import { useLoad } from '../load.ts'
import { asOf, revision } from '../state.ts'
import { dayOf, endOfDay, type Step, stepped } from './days.ts'
import { Histogram } from './histogram.tsx'
import { firstMoment, sliderOn, switchOff } from './range.ts'

/** Shown on every page that follows it while the slider is on or the past is shown, so that nobody mistakes an old answer for a current one. */
export function TimeBar() {
  const then = asOf.value
  if (!canRead.value || (then === undefined && !sliderOn.value)) return null
  return (
    <section class={`then time-bar ${then === undefined ? 'now' : ''}`} aria-label="The time shown">
      <Icon name="time" />
      <p role="status">
        {then === undefined ? (
          'As it is now'
        ) : (
          <>
            As it was on <strong>{momentText(then)}</strong>
          </>
        )}
      </p>
      {sliderOn.value && <Slider />}
      <span class="row">
        {!sliderOn.value && (
          <button type="button" class="button small" onClick={() => (sliderOn.value = true)}>
            Slider
          </button>
        )}
        {then !== undefined && (
          <button type="button" class="button small" onClick={() => (asOf.value = undefined)}>
            Back to now
          </button>
        )}
        {sliderOn.value && (
          <button type="button" class="button small" onClick={switchOff}>
            Switch off
          </button>
        )}
      </span>
    </section>
  )
}

function Slider() {
  const load = useLoad((ended) => firstMoment(client.value, ended), [client.value, revision.value])
  const { current } = load
  if (current.state === 'failed') {
    return (
      <button type="button" class="button small" onClick={load.again}>
        The time range could not be loaded: try again
      </button>
    )
  }
  const first = current.state === 'done' ? current.value : current.previous
  if (first === undefined) {
    const isDone = current.state === 'done'
    return (
      <span class="quiet" aria-busy={!isDone}>
        {isDone ? 'No memories yet' : 'Reading…'}
      </span>
    )
  }
  return <Days first={dayOf(new Date(first))} />
}

/** While dragging, only the slider's own date changes, because any other change makes every list send a request. */
const quietMs = 200

function Days({ first }: { readonly first: number }) {
  const today = dayOf(new Date())
  const shown = asOf.value === undefined ? today : dayOf(new Date(asOf.value))
  const [day, setDay] = useState(shown)
  const [step, setStep] = useState<Step>('day')
  useEffect(() => setDay(shown), [shown])
  useEffect(() => {
    if (day === shown) return
    const timer = setTimeout(() => {
      asOf.value = day >= today ? undefined : endOfDay(day).toISOString()
    }, quietMs)
    return () => clearTimeout(timer)
  }, [day, shown, today])
  const move = (by: Step, direction: 1 | -1) =>
    setDay((before) => Math.min(today, Math.max(first, stepped(before, by, direction))))
  function act(event: KeyboardEvent) {
    const direction = stepOfKey[event.key]
    if (direction === undefined || event.ctrlKey || event.altKey || event.metaKey) return
    event.preventDefault()
    move(event.key.startsWith('Page') ? 'month' : event.shiftKey ? 'week' : step, direction)
  }
  return (
    <>
      <label class="time-range">
        <span class="visually-hidden">
          Day: arrow keys move by the chosen step, with Shift by a week, Page Up and Page Down by a month
        </span>
        <span class="time-axis">
          <input
            type="range"
            min={first}
            max={Math.max(today, first + 1)}
            value={day}
            aria-valuetext={day >= today ? 'now' : dayText(day)}
            onInput={(event) => setDay(event.currentTarget.valueAsNumber)}
            onKeyDown={act}
          />
          <Histogram first={first} last={today} />
        </span>
        <output class="small number">{day >= today ? 'now' : dayText(day)}</output>
      </label>
      <span class="row">
        <button type="button" class="button small" disabled={day <= first} onClick={() => move(step, -1)}>
          Earlier
        </button>
        <label>
          <span class="visually-hidden">Step</span>
          <select class="input small" value={step} onChange={(event) => setStep(readStep(event.currentTarget.value))}>
            <option value="day">a day</option>
            <option value="week">a week</option>
            <option value="month">a month</option>
          </select>
        </label>
        <button type="button" class="button small" disabled={day >= today} onClick={() => move(step, 1)}>
          Later
        </button>
      </span>
    </>
  )
}

const stepOfKey: Readonly<Record<string, 1 | -1>> = {
  ArrowRight: 1,
  ArrowUp: 1,
  PageUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
  PageDown: -1,
}

function readStep(text: string): Step {
  return text === 'week' || text === 'month' ? text : 'day'
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' })

function dayText(day: number): string {
  return dayFormat.format(endOfDay(day))
}
