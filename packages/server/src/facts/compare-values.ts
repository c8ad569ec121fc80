/**
 * How two values of one slot relate. `!acme` denies a value, `!*` says that something unnamed ended, `-` is none, `*`
 * is any other. A leading `yes` or `no` of a `HOLDS|…` slot may be qualified by words after it.
 */

import type { Slot } from '../core/entity.js'
import { isSlotOf } from './slot.js'

/** `same` says no less; `finer` says more; `coarser` says less; `against` can't be true at the same time. */
export type Comparison = 'same' | 'finer' | 'coarser' | 'against' | 'beside'

/** How a new value (`fresh`) relates to the previous one (`old`). */
export function compareValues(old: Slot, fresh: Slot): Comparison {
  if (old.value === fresh.value) return 'same'
  if (isSlotOf('HOLDS', old.slot)) return compareTruth(old.value, fresh.value)
  if (isSlotOf('SAYS', old.slot)) return 'against'
  const comparison = compareOne(old.value, fresh.value)
  const severalMayBe = isSlotOf('SOME', old.slot) || old.slot.includes('|~')
  if (comparison === 'against' && (fresh.another || (old.slot.includes('|~~') && !fresh.value.startsWith('!'))))
    return 'beside'
  if (comparison !== 'against' || !severalMayBe || fresh.change || fresh.value.startsWith('!')) return comparison
  // "My rent is 900" and "my rent is 950" are about the same number.
  return isSlotOf('SOME', old.slot) && /^\d/u.test(old.value) && /^\d/u.test(fresh.value) ? 'against' : 'beside'
}

function compareOne(old: string, fresh: string): Comparison {
  if (old === '*') return 'same'
  if (fresh === '*') return old.startsWith('!') ? 'beside' : 'against'
  if (fresh === '-' || fresh === '!*') return old.startsWith('!') || old === '-' ? 'beside' : 'against'
  if (old === '!*') return 'beside'
  if (old === '-') return 'against'
  if (fresh.startsWith('!')) return !old.startsWith('!') && isEndOf(fresh.slice(1), old) ? 'against' : 'beside'
  if (old.startsWith('!')) return isEndOf(old.slice(1), fresh) ? 'against' : 'beside'
  const [before, now] = [wordsOf(old), wordsOf(fresh)]
  if (before.size === 0 || now.size === 0) return 'against'
  if ([...before].every((word) => now.has(word))) return 'finer'
  if ([...now].every((word) => before.has(word))) return 'coarser'
  return 'against'
}

/** "tom" is the end of "engaged tom", but not of "engaged bottom". */
function isEndOf(part: string, whole: string): boolean {
  return whole === part || whole.endsWith(` ${part}`)
}

function compareTruth(old: string, fresh: string): Comparison {
  const [before, now] = [truthOf(old), truthOf(fresh)]
  if (before.holds === now.holds) {
    if ([...before.words].every((word) => now.words.has(word))) return 'finer'
    return [...now.words].every((word) => before.words.has(word)) ? 'coarser' : 'beside'
  }
  // "I don't play with Anna" is compatible with "I play"; "I don't play" contradicts "I play with Anna".
  const [denied, stated] = before.holds ? [now, before] : [before, now]
  return [...denied.words].every((word) => stated.words.has(word)) ? 'against' : 'beside'
}

function truthOf(value: string): { holds: boolean; words: ReadonlySet<string> } {
  const [first = '', ...rest] = value.split(' ')
  return { holds: first !== 'no', words: new Set(rest) }
}

function wordsOf(value: string): Set<string> {
  return new Set(value.match(/[\p{L}\p{N}]+/gu) ?? [])
}
