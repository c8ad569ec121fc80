import { readFileSync } from 'node:fs'

export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  const parsed: unknown = JSON.parse(text)
  if (typeof parsed === 'object' && parsed !== null && 'version' in parsed) return String(parsed.version)
  throw new Error('package.json has no version')
}
