import type { HttpClient } from '../http-client.js'

/** Memory of the index per version of a memory; undefined if there is no index. */
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
