/**
 * Takes out of a text what must not be in a log: passwords in URLs, bearer tokens and API keys. A net below the rule that nothing
 * of the kind is logged: messages of libraries can hold the address they failed to reach.
 */
const hidden = '[redacted]'

export function redact(text: string): string {
  return text
    .replace(/([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#@]{1,200}@/gi, `$1${hidden}@`)
    .replace(/\b(bearer|basic)(\s{1,4})[\w.~+/=-]{4,}/gi, `$1$2${hidden}`)
    .replace(/\bksk_[\w-]{8,}/g, `ksk_${hidden}`)
    .replace(/\bsk-[\w-]{8,}/g, `sk-${hidden}`)
}
