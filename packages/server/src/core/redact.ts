/**
 * Removes secrets from a log message: passwords in URLs, bearer tokens, API keys and OAuth tokens. A safety net: nothing of the kind is logged
 * on purpose, but the error of a library may contain the address that it failed to reach.
 */
const hidden = '[redacted]'

export function redact(text: string): string {
  return text
    .replace(/([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#@]{1,200}@/gi, `$1${hidden}@`)
    .replace(/\b(bearer|basic)(\s{1,4})[\w.~+/=-]{4,}/gi, `$1$2${hidden}`)
    .replace(/\b(ks[kcor]_)[\w-]{8,}/g, `$1${hidden}`)
    .replace(/\bsk-[\w-]{8,}/g, `sk-${hidden}`)
}
