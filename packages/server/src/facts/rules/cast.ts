/** The people and things in a text: the names behind the marks of its templates, and the speaker who says "I". */
import { type EntityMention, type EntityType, nameKey } from '../../core/entity.js'
import type { NameSpan } from '../../language/names/find-names.js'
import { places, regions } from '../../language/names/places.js'

interface Node {
  name: string
  key: string
  type: EntityType
  sure: boolean
  aliases: string[]
  /** "My sister", "waiting at the vet": a person or a thing, but not an entity of its own. */
  unnamed?: boolean
  /** An entity only if a relationship confirms it. */
  provisional?: boolean
}

/** One per text. */
export class Cast {
  private readonly nodes: Node[] = []
  private speakerSeen: boolean

  constructor(
    readonly speaker: EntityMention | null,
    named: boolean,
  ) {
    this.speakerSeen = named
  }

  sawSpeaker(): void {
    this.speakerSeen = true
  }

  /** `related`: keys of the people and things that have a relationship. */
  entities(related: ReadonlySet<string>): EntityMention[] {
    const mentions = new Map<string, EntityMention>()
    if (this.speaker && this.speakerSeen) mentions.set(this.speaker.key, this.speaker)
    for (const { name, key, type, aliases, unnamed, provisional } of this.nodes) {
      if (unnamed || mentions.has(key) || (provisional && !related.has(key))) continue
      mentions.set(key, { name, key, type, aliases })
    }
    return [...mentions.values()]
  }

  /** Indices of the people with a name. */
  people(): number[] {
    return this.nodes.flatMap((node, index) => (node.type === 'PERSON' && !node.unnamed ? [index] : []))
  }

  nameOf(index: number): { readonly name: string; readonly person: boolean } {
    const node = this.nodes[index]
    return { name: node?.name ?? '', person: node?.type === 'PERSON' && node.sure }
  }

  markOf(key: string): string | null {
    const index = this.nodes.findIndex((node) => node.key === key)
    return index < 0 ? null : String(index)
  }

  typeOf(mark: string): EntityType | null {
    if (mark === 's') return 'PERSON'
    const node = this.nodes[Number(mark)]
    if (node && !node.sure && places.has(node.name.toLowerCase())) return 'LOCATION'
    return node?.sure ? node.type : null
  }

  isUnnamed(mark: string): boolean {
    return this.nodes[Number(mark)]?.unnamed === true
  }

  isPlaceWithin(inner: string, outer: string): boolean {
    const [small, large] = [this.nodes[Number(inner)], this.nodes[Number(outer)]]
    if (small?.type !== 'LOCATION' || large?.type !== 'LOCATION' || small === large) return false
    return this.isRegion(outer) && !this.isRegion(inner)
  }

  /** Index of the node for a name; "John" after "John Smith" is the same node. */
  nodeOf(span: NameSpan): number | null {
    const key = nameKey(span.name)
    if (key === '') return null
    const known = this.nodes.findIndex(
      (node) =>
        node.key === key || (node.type === 'PERSON' && span.type === 'PERSON' && node.key.startsWith(`${key} `)),
    )
    const node = this.nodes[known]
    const { name, type, sure, provisional = false } = span
    if (!node) return this.nodes.push({ name, key, type, sure, provisional, aliases: [] }) - 1
    if (sure && !node.sure && node.key === key) Object.assign(node, { type, sure })
    if (!provisional) node.provisional = false
    if (node.name !== span.name && !node.aliases.includes(span.name)) node.aliases.push(span.name)
    return known
  }

  /**
   * Mark of a person described by a relation to others. A leading `~`: there may be several such people; `~~`: there
   * are.
   */
  unnamed(owner: string, words: string, single: boolean): string | null {
    const ownerKey = this.keyOf(owner)
    if (ownerKey === null) return null
    const several =
      /(?:friend|colleague|co-?worker|neighbou?r|cousin|classmate|teammate|student|client|buddy)s?$/u.test(words)
    const key = `${single ? '' : several ? '~~' : '~'}${ownerKey}'s ${words.replace(/^new /u, '')}`
    const known = this.nodes.findIndex((node) => node.key === key)
    if (known >= 0) return String(known)
    return String(this.nodes.push({ name: words, key, type: 'PERSON', sure: true, aliases: [], unnamed: true }) - 1)
  }

  /** A thing without a name, such as something that a person likes. `unnamed`: it is not an entity of its own. */
  conceptOf(text: string, unnamed: boolean): string | null {
    const key = nameKey(text)
    if (key.length < 2) return null
    const known = this.nodes.findIndex((node) => node.key === key)
    const node = this.nodes[known]
    if (!node)
      return String(this.nodes.push({ name: text, key, type: 'CONCEPT', sure: true, aliases: [], unnamed }) - 1)
    if (node.type === 'CONCEPT' && !unnamed) node.unnamed = false
    return String(known)
  }

  keyOf(mark: string): string | null {
    return mark === 's' ? (this.speaker?.key ?? null) : (this.nodes[Number(mark)]?.key ?? null)
  }

  /** True if the mark has one of the types, or if its type is only a guess. */
  fits(mark: string, types: readonly EntityType[]): boolean {
    if (mark === 's') return this.speaker !== null && types.includes('PERSON')
    const node = this.nodes[Number(mark)]
    if (!node) return false
    // A guessed organisation is an acronym: no verb turns it into a person.
    return types.includes(node.type) || (!node.sure && !(node.type === 'ORG' && types.includes('PERSON')))
  }

  /** A relationship that was found turns a guessed type into a certain one. */
  settle(mark: string, types: readonly EntityType[]): void {
    const node = this.nodes[Number(mark)]
    const [wanted] = types
    if (!node || !wanted || node.sure) return
    if (!types.includes(node.type)) node.type = wanted
    node.sure = true
  }

  isPerson(mark: string): boolean {
    return mark === 's' || this.nodes[Number(mark)]?.type === 'PERSON'
  }

  isRegion(mark: string): boolean {
    return regions.has(this.nodes[Number(mark)]?.name.toLowerCase() ?? '')
  }
}
