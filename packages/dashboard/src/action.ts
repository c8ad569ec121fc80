import { useState } from 'preact/hooks'

export interface Action {
  readonly busy: boolean
  /** The error of the last run. */
  readonly problem: unknown
  readonly run: (work: () => Promise<void>) => void
  readonly clear: () => void
}

/** An action behind a button. Only one run at a time; its error is shown next to the button. */
export function useAction(): Action {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>(undefined)
  const perform = async (work: () => Promise<void>) => {
    setBusy(true)
    setProblem(undefined)
    try {
      await work()
    } catch (error) {
      setProblem(error)
    } finally {
      setBusy(false)
    }
  }
  return {
    busy,
    problem,
    run: (work) => {
      if (!busy) void perform(work)
    },
    clear: () => setProblem(undefined),
  }
}
