/** Reads what the service says about its own stages at `/metrics`. */
import type { HttpClient } from '../http-client.js'

/** Milliseconds by stage, summed since the start. */
export type StageSums = ReadonlyMap<string, number>

const series = /^keepsake_stage_duration_seconds_sum\{stage="([a-z_]+)"\} (\S+)$/gm

export async function readStages(client: HttpClient): Promise<StageSums> {
  const answer = await client.send('GET', '/metrics')
  if (answer.status !== 200) throw new Error(`/metrics: status ${answer.status}`)
  return new Map([...answer.text.matchAll(series)].map(([, stage, seconds]) => [stage ?? '', Number(seconds) * 1000]))
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
