import { useState } from 'preact/hooks'

export interface Action {
  readonly busy: boolean
  /** What the last run failed with. */
  readonly problem: unknown
  readonly run: (work: () => Promise<void>) => void
  readonly clear: () => void
}

/** Something that a button does: one at a time, and its failure is shown where it was asked for. */
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
