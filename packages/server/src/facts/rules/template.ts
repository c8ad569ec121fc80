/** A sentence in the form that relationship patterns read: names and first person as numbered marks. */
import { pattern } from '../../core/pattern.js'
import type { NameSpan } from '../../language/names/find-names.js'

export interface TemplateName {
  readonly span: NameSpan
  readonly index: number
}

/** Splits at sentence ends that are followed by a capital, and at line breaks; titles and initials end nothing. */
export function sentenceRanges(text: string): { readonly start: number; readonly end: number }[] {
  const ranges: { start: number; end: number }[] = []
  let start = 0
  for (const match of text.matchAll(/[.!?…]{1,3}["'”’)\]]{0,2}\s+(?=["'“‘(]?[\p{Lu}\p{N}])|\n+|[。！？।؟]+/gu)) {
    const end = match.index + match[0].length
    const lead = text.slice(Math.max(start, match.index - 8), match.index)
    if (
      match[0].startsWith('.') &&
      /(?:^|[\s(])(?:Dr|Mr|Mrs|Ms|Mx|Prof|St|Sgt|Capt|Gen|vs|e\.g|i\.e|\p{Lu}|U\.S|U\.K|Hr|Fr|Nr|Sra?|Srta|Dra|Mme|Mlle|Sig|Dott|Ing|Av|ул|им|[\p{L}]*[Ss]tr)$/u.test(
        lead,
      )
    )
      continue
    if (end > start) ranges.push({ start, end })
    start = end
  }
  if (start < text.length) ranges.push({ start, end: text.length })
  return ranges
}

const elided = new RegExp(
  pattern`
    (?:, and|,| and| but)((?: (?:currently|now|also|really))? (?:left|settled|started|quit|sold|bought|became
    |retired|switched|resigned|speaks?|works?|lives?|loves?|likes?|hates?|enjoys?|prefers?|uses?|owns?|study
    |studies|manages?|reports? to|moved to|married|visited|joined|founded|attended|dislikes?|(?:am|is) (?:married
    |based|employed|allergic|an? )|have been|has been|was born|don't like|doesn't like|can't stand)(?![\p{L}]))
  `,
  'gu',
)

const modal =
  /^(?: [\p{L}]+)? (?:can|could|will|would|might|may|should|must|want|wants|hope|hopes|plan|plans|need|needs|going|used) /u

/**
 * `third` is the index of the only person that "he" or "she" can refer to, or null. With `firstPerson` false, "I" is
 * left alone: the speaker is nobody we keep facts about.
 */
export function templateOf(
  sentence: string,
  names: readonly TemplateName[],
  third: number | null,
  firstPerson: boolean,
): string {
  let template = ''
  let position = 0
  for (const { span, index } of names) {
    template += words(sentence.slice(position, span.start), third, firstPerson)
    template += `⟦${index}⟧`
    position = span.end
  }
  template += words(sentence.slice(position), third, firstPerson)
  const spaced = template
    .replace(/[’]/g, "'")
    .replace(/\s+/gu, ' ')
    .toLowerCase()
    // "John's working" is "John is working"; "John's work" stays.
    .replace(
      /⟧'s (?=(?:an?|the|working|living|married|based|employed|studying|born|currently|now|⟦s⟧'s|allergic|into|not|using|\d+)(?![\p{L}]))/gu,
      '⟧ is ',
    )
  // "My sister Anna lives here and loves tea": Anna is the one who loves it.
  const subject =
    /^(?!(?:i|we|he|she|they|you|it|who)(?![\p{L}]))(?:[^⟦⟧]{0,24}[ ,])?(?:⟦(?:\d+|s)⟧'s(?: [\p{L}-]+){1,3},? )?⟦(\d+|s)⟧(?!'s)/u.exec(
      spaced,
    )
  // "I can relax and enjoy it" states neither; ", like X" is a comparison.
  if (!subject || modal.test(spaced.slice(subject[0].length))) return spaced
  return spaced.replace(elided, (whole, verb: string) =>
    whole.startsWith(', like ') ? whole : ` and ⟦${subject[1] ?? 's'}⟧${verb}`,
  )
}

function words(text: string, third: number | null, firstPerson: boolean): string {
  let result = text
  if (firstPerson) {
    result = result
      .replace(
        /(?<![\p{L}\p{N}'’.])(?:I|i|[Ww]e)(['’](?:m|ve|d|ll|re))?(?![\p{L}\p{N}'’])/gu,
        (_, ending?: string) => `⟦s⟧${spelledOut(ending)}`,
      )
      .replace(/(?<![\p{L}\p{N}'’])(?:[Mm]y|[Oo]ur)(?![\p{L}\p{N}'’])/gu, "⟦s⟧'s")
      .replace(/(?<![\p{L}\p{N}'’])(?:me|us)(?![\p{L}\p{N}'’])/gu, '⟦s⟧')
  }
  if (third === null) return result
  return result
    .replace(
      /(?<![\p{L}\p{N}])(?:[Hh]e|[Ss]he)(['’](?:s|d|ll))?(?![\p{L}\p{N}'’])/gu,
      (_, ending?: string) => `⟦${third}⟧${spelledOut(ending)}`,
    )
    .replace(/(?<![\p{L}\p{N}])(?:[Hh]is|[Hh]er)(?= \p{Ll})/gu, `⟦${third}⟧'s`)
}

function spelledOut(ending: string | undefined): string {
  const spelling: Record<string, string> = { m: ' am', re: ' are', ve: ' have', d: ' would', ll: ' will', s: ' is' }
  return ending === undefined ? '' : (spelling[ending.slice(1)] ?? '')
}
