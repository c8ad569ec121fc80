import { type FieldProblem, invalid } from '../../core/errors.js'
import type { Json, Metadata } from '../../core/memory.js'
import type { RedactedKind } from '../../core/redacted-kind.js'
import { redactSecrets } from '../../guard/secrets/find-secrets.js'

/** Replaces secrets in one request or archive, and collects what it found. */
export class SecretScreen {
  readonly #found: { readonly path: string; readonly kinds: readonly string[] }[] = []

  text(path: string, text: string): string {
    const { text: left, kinds } = redactSecrets(text)
    if (kinds.length > 0) this.#found.push({ path, kinds })
    return left
  }

  /** The name of a project stays the same everywhere, so a mark in it would mix projects up. */
  refuseName(path: string, name: string | undefined): void {
    const [kind] = name === undefined ? [] : redactSecrets(name).kinds
    if (kind !== undefined) throw invalid(path, `looks like a secret (${kind}): use another name`)
  }

  metadata(metadata: Metadata): Metadata {
    return this.#fields('metadata', metadata)
  }

  json(path: string, value: Json): Json {
    return this.#value(path, value, '')
  }

  #fields(path: string, fields: Metadata): Metadata {
    const hidden = new Map<string, Json>()
    for (const [name, value] of Object.entries(fields)) {
      const left = this.text(path, name)
      // Two names that were secrets have the same mark.
      let key = left
      for (let number = 2; hidden.has(key) || (key !== name && Object.hasOwn(fields, key)); number++)
        key = `${left} ${number}`
      hidden.set(key, this.#value(`${path}.${key}`, value, left))
    }
    return Object.fromEntries(hidden)
  }

  #value(path: string, value: Json, name: string): Json {
    if (typeof value === 'string') return this.#named(path, value, name)
    if (Array.isArray(value)) return value.map((item: Json, index) => this.#value(`${path}[${index}]`, item, name))
    if (typeof value !== 'object' || value === null) return value
    // An array was handled above.
    return this.#fields(path, value as Metadata)
  }

  /** The name of a field may reveal that its value is a secret: `{"password": "swordfish"}`. */
  #named(path: string, value: string, name: string): string {
    const label = `${name}: "`
    const { text, kinds } = redactSecrets(`${label}${value}"`)
    if (kinds.length === 0 || !text.startsWith(label) || !text.endsWith('"')) return this.text(path, value)
    this.#found.push({ path, kinds })
    return text.slice(label.length, -1)
  }

  counted(): RedactedKind[] {
    const counts = new Map<string, number>()
    for (const kind of this.#found.flatMap(({ kinds }) => kinds)) counts.set(kind, (counts.get(kind) ?? 0) + 1)
    return [...counts].map(([kind, count]) => ({ kind, count }))
  }

  problems(): FieldProblem[] {
    return this.#found.map(({ path, kinds }) => {
      const different = [...new Set(kinds)]
      return { path, message: `contains a secret (${different.join(', ')})`, kinds: different }
    })
  }
}
