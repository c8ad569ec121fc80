/** Reads what the service says about its own stages at `/metrics`. */
import type { HttpClient } from '../http-client.js'

/** Milliseconds by stage, summed since the start. */
export type StageSums = ReadonlyMap<string, number>

const series = /^keepsake_stage_duration_seconds_sum\{stage="([a-z_]+)"\} (\S+)$/gm

export async function readStages(client: HttpClient): Promise<StageSums> {
  const text = await readMetrics(client)
  return new Map([...text.matchAll(series)].map(([, stage, seconds]) => [stage ?? '', Number(seconds) * 1000]))
}

/** Memory of the index for each version of a memory in it; undefined where there is no index. */
export async function indexBytesEach(client: HttpClient): Promise<number | undefined> {
  const text = await readMetrics(client)
  const gauge = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0)
  const versions = gauge('keepsake_index_versions')
  return versions === 0 ? undefined : gauge('keepsake_index_bytes') / versions
}

async function readMetrics(client: HttpClient): Promise<string> {
  const answer = await client.send('GET', '/metrics')
  if (answer.status !== 200) throw new Error(`/metrics: status ${answer.status}`)
  return answer.text
}

/** What each stage took between two readings; stages that did not run are left out. */
export function stagesBetween(before: StageSums, after: StageSums): Map<string, number> {
  const spent = new Map<string, number>()
  for (const [stage, sum] of after) {
    const ms = sum - (before.get(stage) ?? 0)
    if (ms > 0) spent.set(stage, ms)
  }
  return spent
}
