/**
 * A turn of a dialogue is found best as a whole. But a memory is replaced as a whole, too: where one of its statements is a fact
 * that may change, the statements become memories of their own, so that nothing else goes with it.
 */
import type { Tagged } from '../models/models.js'
import type { DividedMemory } from './divide.js'

/** Facts that stand beside others of their kind are not replaced by another value. */
const besideOthers = /^HOLDS\|/

function mayChange({ slots }: Pick<Tagged, 'slots'>): boolean {
  return slots.some(({ slot }) => !besideOthers.test(slot))
}

/** The memories, or their parts. */
export function factsApart(memories: readonly DividedMemory[], tagged: readonly Tagged[]): DividedMemory[] {
  return memories.flatMap((memory, index) => {
    const tags = tagged[index]
    return tags && memory.parts.length > 1 && mayChange(tags) ? memory.parts : [memory]
  })
}
