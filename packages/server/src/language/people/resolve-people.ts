/**
 * Resolves pronouns and "my sister" in the sentences of one request. A pronoun refers to the fitting mention in the
 * nearest earlier sentence that has one. If there are several, or if it has no name, the text stays as it is: a wrong
 * name is worse than none. English only; other languages are left alone. The state is a few sentences, so the work is
 * linear.
 */
import { pattern } from '../../core/pattern.js'
import { places, regions } from '../names/places.js'
import type { Edit } from '../sentences/edits.js'
import { masked } from '../sentences/mask.js'
import { type Alias, keyOf, type Mention, mentionsIn, type Speakers } from './mentions.js'
import { isOrganisationNoun, isPlaceNoun } from './person-nouns.js'
import { type Pronoun, pronounOf, pronounStops, unknownPerson } from './pronouns.js'

export interface SaidSentence extends Speakers {
  readonly text: string
  /** Counted over the whole request. */
  readonly piece: number
  readonly turn: number
}

/** Needed only if the sentence that names the person is not in the same memory. */
export interface PeopleEdit extends Edit {
  readonly antecedent: number
  /** The same for fact extraction: the name instead of the pronoun. */
  readonly meant: Edit
}

interface Heard {
  readonly piece: number
  readonly turn: number
  readonly mentions: readonly Mention[]
}

const sentencesBack = 6
const turnsBack = 2
/** Limit of remembered names; a company may be a topic for a while. */
const mostNamed = 24

/** At the beginning: in "you know" and "talk to you later", "you" refers to nobody. */
const spokenToPattern = new RegExp(
  pattern`
    ^["'“(]*(?:(?:well|so|and|but|oh|yes|no|yeah|wow|also|i (?:think|know|hope|believe|heard|remember
    |guess)(?: that)?),? ){0,2}you(?:['’](?:re|ve|ll|d))?(?= \p{L})(?! (?:know|guys|too|never know|can say that
    |see)(?![\p{L}]))
  `,
  'iu',
)
const definitePattern = /(?<![\p{L}\p{N}'’-])([Tt]he) ([\p{Ll}-]{3,20})(?![\p{L}\p{N}'’-])/gu

const looked = 24
/** Not "the company that …", "the city of …", "the dog park". */
const standsAlone = new RegExp(
  pattern`
    ^(?:$|[^\p{L} ]| (?:is|was|has|had|will|can|could|would|should|may|might|does|did|now|also|just|still|really
    |never|always|and|or|but|with|for|from|because|when|while|if|as|to|at|in|on|by|after|before|since|last|next
    |there|here|so|too|again|went|got|made|gave|took|ran|grew|\p{Ll}{2,}(?:s|ed))(?![\p{L}]))
  `,
  'u',
)

export class PeopleResolver {
  private readonly heard: Heard[] = []
  private readonly aliases = new Map<string, { name: string; piece: number } | null>()
  /** Organisations and places, the latest last. */
  private readonly named: { mention: Mention; piece: number }[] = []
  private spokenToIn: { readonly turn: number; readonly piece: number } | null = null

  /** Called after a long pause: earlier mentions no longer count. */
  forget(): void {
    this.heard.length = 0
    this.aliases.clear()
    this.named.length = 0
  }

  read(sentence: SaidSentence): PeopleEdit[] {
    const text = masked(sentence.text)
    const { mentions, aliases } = mentionsIn(text, sentence)
    const spoken = mentions
      .map((mention) => this.known(mention))
      .filter((mention) => !this.isParticipant(mention, sentence))
    const edits: PeopleEdit[] = []
    const here: Mention[] = []
    const stops = [...spoken.map((mention) => ({ at: mention.start, mention, match: null })), ...pronounStops(text)]
    for (const { mention, match } of stops.sort((a, b) => a.at - b.at)) {
      if (mention) {
        here.push(mention)
        edits.push(...this.namedKin(mention, sentence, spoken))
      } else if (match) this.readPronoun(match, text, sentence, here, spoken, edits)
    }
    edits.push(...this.definite(text, spoken), ...this.spokenTo(text, sentence))
    this.keep(sentence, here, aliases)
    return withoutOverlaps(edits)
  }

  /** "My sister" is the one whose name was given. */
  private known(mention: Mention): Mention {
    const { kin } = mention
    const alias = kin && this.aliases.get(aliasKey(kin.owner, kin.noun))
    return alias ? { ...mention, key: keyOf(alias.name, 'person') } : mention
  }

  private isParticipant({ kind, key, name }: Mention, { speaker, addressee }: Speakers): boolean {
    if (kind !== 'person' && kind !== 'unknown') return false
    if (name === null) return false
    if (speaker !== null && keyOf(speaker, 'person') === keyOf(name, 'person')) return true
    if (typeof addressee !== 'string') return false
    return keyOf(addressee, 'person') === key || addressee.toLowerCase().startsWith(name.toLowerCase())
  }

  private keep({ piece, turn }: SaidSentence, mentions: readonly Mention[], aliases: readonly Alias[]): void {
    this.heard.push({ piece, turn, mentions })
    if (this.heard.length > sentencesBack) this.heard.shift()
    for (const mention of mentions) {
      if (mention.name !== null && (mention.kind === 'organisation' || mention.kind === 'place'))
        this.named.push({ mention, piece })
    }
    if (this.named.length > mostNamed) this.named.splice(0, this.named.length - mostNamed)
    for (const { kin, noun, name } of aliases) {
      for (const key of kin
        ? [aliasKey(kin.owner, kin.noun), aliasKey(kin.owner, noun)]
        : [aliasKey(undefined, noun)]) {
        const known = this.aliases.get(key)
        // Two sisters: "my sister" is ambiguous from now on.
        if (known === null || (known && keyOf(known.name, 'person') !== keyOf(name, 'person')))
          this.aliases.set(key, null)
        else this.aliases.set(key, { name, piece })
      }
    }
  }

  /** "My sister" gets the name given earlier. */
  private namedKin(mention: Mention, sentence: SaidSentence, spoken: readonly Mention[]): PeopleEdit[] {
    const { kin, end } = mention
    if (kin === null || mention.kind !== 'person') return []
    const known = this.aliases.get(aliasKey(kin.owner, kin.noun))
    if (!known || isHere(known.name, spoken)) return []
    // "My sister's dog": the name follows the whole word.
    const [genitive = ''] = /^['’]s?(?![\p{L}])/u.exec(sentence.text.slice(end)) ?? []
    const place = end + genitive.length
    const edit = { start: place, end: place, text: ` (${known.name})` }
    const meant =
      genitive === '' ? { ...edit, text: ` ${known.name}` } : { start: mention.start, end, text: known.name }
    return [{ ...edit, antecedent: known.piece, meant }]
  }

  private readPronoun(
    match: RegExpExecArray,
    text: string,
    sentence: SaidSentence,
    here: Mention[],
    spoken: readonly Mention[],
    edits: PeopleEdit[],
  ): void {
    const pronoun = pronounOf(match, text)
    if (pronoun === null) return
    const fits = (mention: Mention) => pronoun.fits(mention, match.index)
    if (here.some(fits) || (pronoun.plural && here.some(isSomeone))) return
    if (pronoun.person && isCataphor(text, match.index, spoken.filter(fits))) return
    const stranger = pronoun.person && !pronoun.plural && here.find((mention) => this.mayBeSomeoneNew(mention, text))
    if (stranger) {
      if (!pronoun.object) here.push({ ...unknownPerson(match, pronoun), key: stranger.key })
      return
    }
    const found = this.antecedent(sentence, pronoun)
    if (found === null) return
    const { mention, piece } = found
    const name = mention === null ? null : this.nameFor(mention, sentence)
    // "I've never been there, but Rome …", "What made you name her Tilly?"
    if (name !== null && sentence.text.slice(pronoun.person ? match.index : 0).includes(name)) return
    // An unresolved pronoun counts as a person too, because later pronouns may refer to it.
    if (mention === null || name === null) {
      if (pronoun.person && !pronoun.object)
        here.push({ ...unknownPerson(match, pronoun), key: mention?.key ?? `pronoun ${sentence.piece}` })
      return
    }
    const meant = pronoun.replacement(name)
    edits.push({ start: meant.end, end: meant.end, text: ` (${pronoun.note(name)})`, antecedent: piece, meant })
    here.push({ ...mention, start: match.index, end: match.index + match[0].length })
  }

  /** "No more Mondays for Pia, she is away": a name that nothing is known of may be the one that is meant. */
  private mayBeSomeoneNew({ kind, key, start }: Mention, text: string): boolean {
    if (kind !== 'unknown' || /(?<![\p{L}])(?:at|in|into|near) $/iu.test(text.slice(0, start))) return false
    const isKnown = (mention: Mention) => mention.key === key && mention.kind !== 'unknown'
    return !this.heard.some(({ mentions }) => mentions.some(isKnown))
  }

  /** Null: nothing before it fits. A null mention: more than one does. */
  private antecedent(sentence: SaidSentence, pronoun: Pronoun): { mention: Mention | null; piece: number } | null {
    for (let index = this.heard.length - 1; index >= 0; index--) {
      const heard = this.heard[index]
      if (!heard || sentence.turn - heard.turn > turnsBack) return null
      if (pronoun.nearOnly && sentence.piece - heard.piece > 1) return null
      const fitting = heard.mentions.filter((mention) => pronoun.fits(mention, -1))
      const distinct = new Map(likeliest(fitting, pronoun).map((mention) => [mention.key, mention]))
      if (distinct.size === 0) continue
      const [only] = distinct.values()
      return { mention: distinct.size === 1 && only ? only : null, piece: heard.piece }
    }
    return null
  }

  private nameFor(mention: Mention, { speaker, addressee }: SaidSentence): string | null {
    if (mention.name !== null) return mention.name
    if (mention.kin === null) return null
    const { owner, noun, shared } = mention.kin
    const known = this.aliases.get(aliasKey(owner, noun))
    if (known) return known.name
    if (owner === speaker) return `${shared ? 'our' : 'my'} ${noun}`
    if (owner === addressee) return `your ${noun}`
    return owner === null ? null : `${owner}'s ${noun}`
  }

  /** "You should apply": the addressee, once per memory, in statements but not in questions. */
  private spokenTo(text: string, { addressee, turn, piece }: SaidSentence): PeopleEdit[] {
    if (typeof addressee !== 'string') return []
    // Addressed by name: the rest of the turn has the same addressee.
    if (text.includes(addressee.split(' ')[0] ?? addressee)) {
      this.spokenToIn = { turn, piece }
      return []
    }
    const match = /[?？]\s*$/u.test(text) ? null : spokenToPattern.exec(text)
    if (!match) return []
    const antecedent = this.spokenToIn?.turn === turn ? this.spokenToIn.piece : -1
    this.spokenToIn = { turn, piece }
    const place = match.index + match[0].length
    return [
      { start: place, end: place, text: ` (${addressee})`, antecedent, meant: { start: place, end: place, text: '' } },
    ]
  }

  /**
   * "The company", "the city", "the dog": annotated with the name it was given, or with the only recent name of that
   * kind.
   */
  private definite(text: string, spoken: readonly Mention[]): PeopleEdit[] {
    return [...text.matchAll(definitePattern)].flatMap((match) => {
      const [whole, , noun = ''] = match
      const end = match.index + whole.length
      if (!standsAlone.test(text.slice(end, end + looked))) return []
      const found = this.calledSo(noun)
      if (!found || isHere(found.name, spoken)) return []
      const meant = { start: match.index, end, text: found.name }
      return [{ start: end, end, text: ` (${found.name})`, antecedent: found.piece, meant }]
    })
  }

  private calledSo(noun: string): { name: string; piece: number } | null {
    const alias = this.aliases.get(aliasKey(undefined, noun))
    if (alias !== undefined) return alias
    const fits = (mention: Mention) =>
      isPlaceNoun(noun) ? isSuchPlace(mention, noun) : isOrganisationNoun(noun) && mention.kind === 'organisation'
    const such = this.named.filter(({ mention }) => fits(mention))
    const last = such.at(-1)
    if (!last || !/^(?:company|firm|startup|start-up|employer|city|town|country)$/.test(noun)) return null
    if (new Set(such.map(({ mention }) => mention.key)).size > 1) return null
    return { name: last.mention.name ?? '', piece: last.piece }
  }
}

function aliasKey(owner: string | null | undefined, noun: string): string {
  return `${owner === undefined ? '*' : (owner?.toLowerCase() ?? '')}|${noun}`
}

/** "A pet" counts as a person. */
function isSomeone({ kind, name, kin }: Mention): boolean {
  return kind === 'person' && name === null && kin === null
}

function isHere(name: string, mentions: readonly Mention[]): boolean {
  return mentions.some((mention) => mention.name !== null && keyOf(mention.name, 'person') === keyOf(name, 'person'))
}

function isSuchPlace({ kind, name }: Mention, noun: string): boolean {
  const known = name?.toLowerCase() ?? ''
  if (kind !== 'place' || !places.has(known)) return false
  return regions.has(known) ? noun === 'country' : noun !== 'country'
}

/** "When she arrived, Maria …" */
function isCataphor(text: string, at: number, later: readonly Mention[]): boolean {
  const comma = text.indexOf(',', at)
  return (
    comma !== -1 &&
    /^["'“]?(?:when|while|after|before|as|if|because|since|although|until|once|in|with|despite)\b/i.test(text) &&
    later.some(({ start }) => start > comma)
  )
}

/** "Tom and Lena" are one group, not two people. A person of unknown gender does not compete with a woman for "she". */
function likeliest(mentions: readonly Mention[], { plural, object, gender }: Pronoun): readonly Mention[] {
  if (plural) {
    const groups = mentions.filter(({ kind, weak }) => kind === 'group' && (object || !weak))
    return groups.length > 0 ? groups : mentions
  }
  const sure = gender === null ? [] : mentions.filter((mention) => mention.gender === gender)
  if (sure.length === 0) return mentions
  return mentions.filter((mention) => mention.gender === gender || mention.name !== null || mention.kin !== null)
}

function withoutOverlaps(edits: readonly PeopleEdit[]): PeopleEdit[] {
  const kept: PeopleEdit[] = []
  for (const edit of [...edits].sort((a, b) => a.start - b.start || a.end - b.end)) {
    const last = kept.at(-1)
    if (!last || edit.start >= last.end) kept.push(edit)
  }
  return kept
}
