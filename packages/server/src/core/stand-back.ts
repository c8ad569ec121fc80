import { constants, getPriority, setPriority } from 'node:os'

/**
 * Called by a thread that computes for long. Where there are more such threads than cores, they leave the core to the thread that
 * answers requests, which needs it for a moment only: else it waits its turn behind them, and refuses in seconds what it could
 * refuse in milliseconds. Five steps: a core that both want goes to the other three times of four.
 */
export function standBack(steps: number): void {
  // Elsewhere a priority is that of the whole process.
  if (process.platform !== 'linux') return
  // From where it is: a process that was started with less must not ask for more, and the refusal would end this thread.
  setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + steps))
}
