/** Names of things and people, and changes of names. */

import { pattern } from '../../core/pattern.js'
import { attributeSlot, someSlot } from '../slot.js'
import { phraseKey, type Reading, thingKey } from './reading.js'

const thing = '(?<thing>(?:[\\p{L}⟦][^ ,;:]* ){1,6}?)'
const name = '(?<name>[^,;]{1,60})'
const calls = '(?:called|named|titled|known as)'
const adverbs = '(?:(?:now|actually|officially|still|really|currently|just) )*'

/** `fresh`: the verb says that the name is new. */
const patterns: readonly { readonly pattern: RegExp; readonly fresh: boolean }[] = [
  { pattern: new RegExp(`^(?:everyone knows|people know|⟦s⟧ know) ${thing}as ${name}$`, 'u'), fresh: false },
  {
    pattern: new RegExp(
      `^${thing}(?:has |have |was |were |is |are |got |been |being )*(?:renamed|rebranded|re-named)(?: to| as| into)? ${name}$`,
      'u',
    ),
    fresh: true,
  },
  { pattern: new RegExp(`^${thing}(?:has |have )?changed (?:its|their|his|her) name to ${name}$`, 'u'), fresh: true },
  {
    pattern: new RegExp(
      `^⟦(?:\\d+|s)⟧ (?:have |has |decided to |just |recently )*(?:renamed|rename|rebranded|rebrand) ${thing}(?:to |as |into |from [^ ]+ to )${name}$`,
      'u',
    ),
    fresh: true,
  },
  {
    pattern: new RegExp(
      `^⟦(?:\\d+|s)⟧ (?:have |has |decided to |just |recently )*(?:changed|change) ${thing.replace('}?)', '}?)')}name to ${name}$`,
      'u',
    ),
    fresh: true,
  },
  {
    pattern: new RegExp(
      `^⟦(?:\\d+|s)⟧ (?:have |has |just |recently )*(?:renamed|rename) ⟦s⟧'s (?<thing>[\\p{L}-]+) ${name}$`,
      'u',
    ),
    fresh: true,
  },
  { pattern: new RegExp(`^${thing}(?:is|are|was|were) ${adverbs}${calls} ${name}$`, 'u'), fresh: false },
  { pattern: new RegExp(`^${thing}(?:new |old )?name is ${adverbs}(?:called )?${name}$`, 'u'), fresh: false },
]

const changes = [
  new RegExp(
    pattern`
      ^⟦(?:\d+|s)⟧(?: have| has| just| recently)* (?:changed|updated|raised|lowered|increased|reduced|reset|set|cut
      |bumped)(?: up)? (?<thing>(?:⟦(?:\d+|s)⟧'s|the
      |our) (?:[\p{L}-]+ ){1,4}?)(?:from .{1,40}? )?to (?<value>.{1,60})$
    `,
    'u',
  ),
  new RegExp(
    pattern`
      ^(?<thing>(?:[\p{L}⟦][^ ,;:]* ){1,6}?)(?:has |have |was |were |is |are |got |been )*(?:changed|gone up|went up
      |gone down|went down|increased|decreased|dropped|rose|risen|fell|raised|lowered|up
      |down)(?: from .{1,40}?)? to (?<value>.{1,60})$
    `,
    'u',
  ),
]

/** "My rent went up to 1300 euros": a thing has a new value. */
function readChange(reading: Reading): boolean {
  const { planned, holds } = reading.clause
  if (holds !== 'yes') return false
  for (const pattern of changes) {
    const groups = pattern.exec(planned)?.groups
    const what = (groups?.thing ?? '').trim().replace(/^⟦s⟧'s /u, '')
    if (!groups || what === '' || /^⟦(?:\d+|s)⟧$/u.test(what)) continue
    const key = thingKey(reading, what)
    const value = phraseKey(reading, groups.value ?? '')
    if (key === null || value === '') continue
    reading.slot({ slot: someSlot(`the ${key}`, 'be'), value, change: true })
    reading.slot({
      slot: attributeSlot(reading.keyOf('s'), what.replace(/^(?:the|our) /u, '')),
      value: (groups.value ?? '').trim(),
      change: true,
      implied: true,
    })
    return true
  }
  return false
}

/** Returns whether the clause was read. */
export function readNames(reading: Reading): boolean {
  const { stated, planned, holds, change } = reading.clause
  for (const { pattern, fresh } of patterns) {
    const groups = pattern.exec(fresh ? planned : stated)?.groups
    if (!groups) continue
    const what = (groups.thing ?? '')
      .trim()
      .replace(/(?<!⟧)'s$/u, '')
      .replace(/ new$/u, '')
      .replace(/^(⟦s⟧)'s /u, '')
    // Names of people and of the speaker are ordinary attributes.
    const person = /^⟦(\d+|s)⟧(?:'s)?$/u.exec((groups.thing ?? '').trim())?.[1]
    if (person !== undefined && fresh && pattern.source.includes('name to')) {
      const value = phraseKey(reading, groups.name ?? '')
      reading.slot({ slot: attributeSlot(reading.keyOf(person), 'name'), value, change: true })
      return value !== ''
    }
    if (person !== undefined || /^(?:it|he|she|they|this|that)$/u.test(what)) continue
    if (/(?:^| )(?:first|last|middle|maiden|full|family|user|nick)$/u.test(what)) continue
    const key = thingKey(reading, what.replace(/^(?:other|second|older|younger) /u, 'another '))
    const value = phraseKey(
      reading,
      (groups.name ?? '').replace(/ (?:now|these days|instead|any ?more|since .*|because .*|from now on)$/u, ''),
    )
    if (key === null || value === '') continue
    const named = /(?:^| )(?:handle|username|nickname)$/u.test(key)
    reading.slot({
      slot: named ? attributeSlot(reading.keyOf('s'), key.split(' ').at(-1) ?? key) : someSlot(`the ${key}`, 'name'),
      value: (holds === 'yes' || fresh ? '' : '!') + value,
      change: change || fresh,
    })
    return true
  }
  return readChange(reading)
}
