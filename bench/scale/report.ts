/** The results as tables. */
import { markdownTable } from '../table.js'
import type { Cluster } from './cluster.js'
import type { Assumptions, Inputs } from './inputs.js'
import { errorOf, type Prediction } from './predict.js'

export function sourcesOf({ published, speed, calibrated }: Inputs): string {
  return [
    `costs: ${calibrated.command}, ${calibrated.measuredAt}, ${calibrated.machine}`,
    `load: ${published.source.figures}, ${published.source.command}, ${published.source.date}`,
    `speed: ${speed.source.figures}, ${speed.source.command}, ${speed.source.date}`,
  ].join('\n')
}

export function comparisonTable(predictions: readonly Prediction[]): string {
  const rows = predictions.map((prediction) => {
    const { what, unit, predicted, measured } = prediction
    const error = errorOf(prediction)
    return [what, figure(predicted, unit), figure(measured, unit), `${error > 0 ? '+' : ''}${error.toFixed(0)}%`]
  })
  return markdownTable(['held out', 'predicted', 'measured', 'error'], rows)
}

export function clusterTable(clusters: readonly Cluster[], assumptions: Assumptions): string {
  const row = (label: string, cell: (cluster: Cluster) => string) => [label, ...clusters.map(cell)]
  const { databaseCores, databaseMemoryGb, databaseDiskGb, databaseMaxConnections } = assumptions
  return markdownTable(
    ['memories', ...clusters.map(({ memories }) => memories.toLocaleString('en-US'))],
    [
      row('users', ({ users }) => users.toLocaleString('en-US')),
      row('requests per second, busiest hour', ({ perSecond }) => perSecond.toFixed(0)),
      row('instances', ({ instances }) => String(instances)),
      row('– cores each', ({ coresPerInstance }) => String(coresPerInstance)),
      row('– memory each, GB', ({ instanceMegabytes }) => gigabytes(instanceMegabytes)),
      row('– SERVICE_INDEX_MEMORY_MB', ({ indexMegabytes }) => String(indexMegabytes)),
      row('all instances: cores', ({ instances, coresPerInstance }) => String(instances * coresPerInstance)),
      row('– memory, GB', ({ instances, instanceMegabytes }) => gigabytes(instances * instanceMegabytes)),
      row(
        `PostgreSQL nodes (${databaseCores} cores, ${databaseMemoryGb} GB, ${databaseDiskGb} GB of disk)`,
        (cluster) => String(cluster.databaseNodes),
      ),
      row('– data, GB, without a replica', ({ databaseDiskGb: disk }) => disk.toFixed(0)),
      row(`– connections per node (at most ${databaseMaxConnections})`, ({ connectionsPerNode }) =>
        connectionsPerNode.toFixed(0),
      ),
      row(
        'recall ms, p50/p95',
        ({ simulated }) => `${simulated.recall.p50.toFixed(0)}/${simulated.recall.p95.toFixed(0)}`,
      ),
      row(
        'store ms, p50/p95',
        ({ simulated }) => `${simulated.store.p50.toFixed(0)}/${simulated.store.p95.toFixed(0)}`,
      ),
      row('recalls that find their index in memory', ({ simulated }) => percent(simulated.hitRatio)),
      row('busy: instances / busiest thread / PostgreSQL', ({ simulated }) =>
        [simulated.instanceUtilization, simulated.busiestThread, simulated.databaseUtilization]
          .map(percent)
          .join(' / '),
      ),
      row('bottleneck', ({ bottleneck }) => bottleneck),
    ],
  )
}

/** Where the processor time goes. */
export function driverTable(clusters: readonly Cluster[]): string {
  const share = (of: 'recall' | 'store' | 'load' | 'database') => (cluster: Cluster) => {
    const { spent } = cluster.simulated
    return percent(spent[of] / (spent.recall + spent.store + spent.load + spent.database))
  }
  const row = (label: string, cell: (cluster: Cluster) => string) => [label, ...clusters.map(cell)]
  return markdownTable(
    ['processor time', ...clusters.map(({ memories }) => memories.toLocaleString('en-US'))],
    [
      row('recalls', share('recall')),
      row('stores', share('store')),
      row('loading indexes', share('load')),
      row('PostgreSQL', share('database')),
    ],
  )
}

function figure(value: number, unit: string): string {
  const digits = Math.abs(value) < 20 ? 1 : 0
  return unit === '' ? value.toFixed(digits) : `${value.toFixed(digits)} ${unit}`
}

function gigabytes(megabytes: number): string {
  return (megabytes / 1024).toFixed(1)
}

function percent(share: number): string {
  return `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)}%`
}
