import { constants, getPriority, setPriority } from 'node:os'

/**
 * Lowers the priority of a thread that computes for long. When there are more such threads than cores, the thread that answers requests
 * gets a core first, because it needs it only briefly. Otherwise it would wait behind them, and take seconds to refuse what
 * it can refuse in milliseconds. With five steps, the other thread gets a contested core three times out of four.
 */
export function standBack(steps: number): void {
  // On other platforms the priority belongs to the whole process.
  if (process.platform !== 'linux') return
  // Relative to the current priority: a process that was started with a low one may not raise it, and the error would end this thread.
  setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + steps))
}
