/**
 * A turn of a dialogue is found best as a whole. But a memory is replaced as a whole, too: where one of its statements is a fact
 * that may change, the statements become memories of their own, so that nothing else goes with it.
 */
import type { Tagged } from '../models/models.js'
import type { DividedMemory } from './divide.js'

/** Facts of a life that have one value at a time. Others stand beside each other, or are not worth a turn's wholeness. */
const oneAtATime = /^(?:WORKS_AT|LIVES_IN|BORN_IN|SPOUSE_OF|REPORTS_TO|ATTR)\|/

function mayChange({ slots }: Pick<Tagged, 'slots'>): boolean {
  return slots.some(({ slot, implied }) => implied !== true && oneAtATime.test(slot))
}

/** The memories, or their parts. */
export function factsApart(memories: readonly DividedMemory[], tagged: readonly Tagged[]): DividedMemory[] {
  return memories.flatMap((memory, index) => {
    const tags = tagged[index]
    return tags && memory.parts.length > 1 && mayChange(tags) ? memory.parts : [memory]
  })
}
