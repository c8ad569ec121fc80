/**
 * Entities and relationships that a language model names, merged with those that the local tagger finds in the same
 * memory.
 */
import {
  type EntityMention,
  type EntityType,
  nameKey,
  type RelationshipFound,
  type RelationshipType,
} from '../../core/entity.js'
import type { Tagged } from '../../models/models.js'
import { type Evidence, isDenial, isQuoted } from './grounding.js'
import { type ClaimedEntity, type ClaimedRelationship, speakerWord } from './questions.js'

export interface Claims {
  readonly text: string
  readonly entities: readonly ClaimedEntity[]
  readonly relationships: readonly ClaimedRelationship[]
  readonly evidence: Evidence
}

/**
 * The model only adds. Consequences of a fact (slots, and the end of another relationship) come from the local tagger
 * alone: a guess of the model ends nothing.
 */
export function withClaims(local: Tagged, claims: Claims, speaker: EntityMention): Tagged {
  const byKey = new Map(local.entities.map((entity) => [entity.key, entity]))
  const words = ` ${nameKey(claims.text)} `
  for (const claim of claims.entities) {
    const mention = mentionOf(claim, words, claims.evidence)
    const known = mention && byKey.get(mention.key)
    if (!mention || mention.key === speaker.key) continue
    const aliases = [...new Set([...(known?.aliases ?? []), ...mention.aliases])].filter(
      (alias) => alias !== known?.name,
    )
    byKey.set(mention.key, known ? { ...known, type: mention.type, aliases } : mention)
  }
  const relationships = new Map(local.relationships.map((found) => [relationKey(found), found]))
  // Rules know what a denial ends; a model that overlooks "not" would state the opposite.
  const claimed = isDenial(claims.text) ? [] : claims.relationships
  for (const claim of claimed) {
    const found = relationshipOf(claim, claims, byKey, speaker)
    if (!found) continue
    const [known = relationships.get(reverseKey(found))] = [relationships.get(relationKey(found))]
    if (known) {
      relationships.set(relationKey(known), { ...known, properties: { ...found.properties, ...known.properties } })
    } else {
      relationships.set(relationKey(found), found)
      if (found.sourceKey === speaker.key || found.targetKey === speaker.key) byKey.set(speaker.key, speaker)
    }
  }
  return { ...local, entities: [...byKey.values()], relationships: [...relationships.values()] }
}

/** Names must come from the text, whatever the model believes somebody is called. */
function mentionOf({ name, type, aliases }: ClaimedEntity, words: string, evidence: Evidence): EntityMention | null {
  const key = nameKey(name)
  const isNamed = (word: string) => nameKey(word) !== '' && isQuoted(word, evidence)
  if (key === '' || isSpeakerWord(name) || !isNamed(name) || !words.includes(` ${key} `)) return null
  return { name, type, key, aliases: [...new Set(aliases ?? [])].filter((alias) => alias !== name && isNamed(alias)) }
}

function isSpeakerWord(name: string): boolean {
  return name === speakerWord || /^(?:i|me|my|myself|user|the user|speaker|the speaker)$/i.test(name)
}

const people: readonly EntityType[] = ['PERSON']
const groups: readonly EntityType[] = ['ORG']
const places: readonly EntityType[] = ['LOCATION']
const anything: readonly EntityType[] = ['PERSON', 'ORG', 'LOCATION', 'PRODUCT', 'EVENT', 'CONCEPT']

/** Allowed types at both ends; relationship types that are not listed accept anything. */
const ends: Partial<Record<RelationshipType, readonly [source: readonly EntityType[], target: readonly EntityType[]]>> =
  {
    WORKS_AT: [people, groups],
    STUDIES_AT: [people, groups],
    LIVES_IN: [people, places],
    LOCATED_IN: [anything, places],
    BORN_IN: [people, places],
    MANAGES: [people, anything],
    REPORTS_TO: [people, people],
    MEMBER_OF: [['PERSON', 'ORG'], groups],
    SPOUSE_OF: [people, people],
    PARENT_OF: [people, people],
    SIBLING_OF: [people, people],
    FRIEND_OF: [people, people],
    KNOWS: [people, people],
  }

function relationshipOf(
  claim: ClaimedRelationship,
  { evidence }: Claims,
  byKey: ReadonlyMap<string, EntityMention>,
  speaker: EntityMention,
): RelationshipFound | null {
  const endOf = (name: string) => (isSpeakerWord(name) ? speaker : byKey.get(nameKey(name)))
  const [source, target] = [endOf(claim.source), endOf(claim.target)]
  if (!source || !target || source.key === target.key) return null
  const [sources, targets] = ends[claim.type] ?? [anything, anything]
  if (!sources.includes(source.type) || !targets.includes(target.type)) return null
  const details = Object.entries({ role: claim.role, since: claim.since, until: claim.until })
  return {
    sourceKey: source.key,
    targetKey: target.key,
    type: claim.type,
    properties: Object.fromEntries(
      details.flatMap(([name, value]) => (value && isQuoted(value, evidence) ? [[name, value]] : [])),
    ),
    exclusive: false,
  }
}

const symmetrical: ReadonlySet<RelationshipType> = new Set(['SPOUSE_OF', 'SIBLING_OF', 'FRIEND_OF', 'KNOWS'])

function relationKey({ sourceKey, targetKey, type }: RelationshipFound): string {
  return JSON.stringify([type, sourceKey, targetKey])
}

/** The key of the same relationship in the other direction. */
function reverseKey(found: RelationshipFound): string {
  if (!symmetrical.has(found.type)) return relationKey(found)
  return relationKey({ ...found, sourceKey: found.targetKey, targetKey: found.sourceKey })
}
