/** Totals from the metrics of the service, in the Prometheus text format. */
export interface Totals {
  readonly users: number
  readonly memories: number
  readonly bytes: number
}

/** Undefined if the service could not count in time, or reports something else. */
export function readTotals(metrics: string): Totals | undefined {
  const numberOf = (name: string) => {
    const line = metrics.split('\n').find((each) => each.startsWith(`keepsake_storage_${name} `))
    return line === undefined ? Number.NaN : Number(line.slice(line.lastIndexOf(' ')))
  }
  const [users, memories, bytes] = [numberOf('users'), numberOf('memories'), numberOf('bytes')]
  return [users, memories, bytes].some(Number.isNaN) || numberOf('up') === 0 ? undefined : { users, memories, bytes }
}

const units = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const

export function sizeText(bytes: number): string {
  const step = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** step
  return `${value >= 100 || step === 0 ? Math.round(value) : value.toFixed(1)} ${units[step]}`
}
