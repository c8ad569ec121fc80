/** How well each language is supported, as measured in docs/benchmarks/languages.md. A test compares this list with that page. */
export interface LanguageSupport {
  /** ISO 639-1. */
  readonly code: string
  /**
   * `tested`: notes and questions through the whole service. `measured`: vectors or keyword search alone. `unmeasured`: another embedding model is
   * configured.
   */
  readonly recall: 'tested' | 'measured' | 'unmeasured'
  /**
   * `full`: sentences, dates, names, changed facts, small talk and content protection. `partial`: sentences and dates by rules of the language, the
   * rest as far as the models carry over. `none`: texts are stored and found as written.
   */
  readonly understanding: 'full' | 'partial' | 'none'
}

const partly = ['de', 'es', 'fr', 'it', 'ja', 'nl', 'pt', 'ru', 'zh']
const vectorsOnly = 'ar bg cs da el fa fi he hi hu id ko nb pl ro sv th tr uk vi'.split(' ')

/** `isLocal`: the embedder of this release is used. */
export function supportedLanguages(isLocal: boolean): LanguageSupport[] {
  const recall = (measured: LanguageSupport['recall']) => (isLocal ? measured : 'unmeasured')
  return [
    { code: 'en', recall: recall('tested'), understanding: 'full' },
    ...partly.map((code) => ({ code, recall: recall('tested'), understanding: 'partial' as const })),
    ...vectorsOnly.map((code) => ({ code, recall: recall('measured'), understanding: 'none' as const })),
  ]
}
