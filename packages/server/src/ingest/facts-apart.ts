/**
 * A turn of a dialogue is found best as a whole. But a memory is also replaced as a whole: if one of its statements is
 * a fact that may change, the statements become separate memories, so that an update replaces nothing else.
 */
import type { Tagged } from '../models/models.js'
import type { DividedMemory } from './divide.js'

/** Facts about a person that have one value at a time. Other facts can coexist, or are not worth splitting a turn. */
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
