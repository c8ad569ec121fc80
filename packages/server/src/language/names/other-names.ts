/** The words of a short text with other names in it: whether it is an attack does not depend on who lives where. */
import { givenNames } from './given-names.js'
import { isWord } from './name-check.js'
import { places } from './places.js'

const person = 'anna'
const place = 'leeds'
/** Attacks give the model this name. */
const roles = new Set(['dan'])

/** `text`: in small letters. Null without a listed name. */
export function withOtherNames(text: string): string | null {
  const renamed = text.replace(/\p{L}+/gu, (word) => {
    if (isWord(word) || roles.has(word)) return word
    return places.has(word) ? place : givenNames.has(word) ? person : word
  })
  return renamed === text ? null : renamed
}
