/**
 * How much like language a text reads, by its pairs of letters: enough to tell English (and its neighbours) from base64,
 * ROT13, or letters in the wrong order. Counted by `training/guard/letter-pairs.ts`.
 *
 * A row for the letter before (first: none, which is the start of a word), a column for the letter after (first: the end of a
 * word); the entry is how surprising that is in half bits, a for 0 to z for 25 and more.
 */
const rows = [
  'zgjikljlkhppkjlijskhgmnjxlw',
  'hwljkuplpkvmhkfymygignkqskr',
  'lgosuewzviozgsugvtilphuxziz',
  'jfymvgzzgizjjxufxwjohjzzzoz',
  'cjtsmgspugszpsqiuzmkukptznz',
  'dirkiknotozsjlhqnrghksmomnw',
  'ejzvzgizzgzzkmzezziskjzyypz',
  'diuxtgvmhjzzlslivzhlqkzxznz',
  'gftvudzzygzzrrphyznrkozvzoz',
  'iloikklkyvzmjkeinskhgtlzsxo',
  'mgvxtftxwluuywvesysmudwxzwy',
  'dksurdqnrfzumrinszriqpzszoz',
  'fhssjfptxgzpgpthmzrjlkqrziz',
  'fflsvervzhzyrkthiztlvkzxzjz',
  'ekvjfiogujsmprnjuzuigopwwmx',
  'goollqinsntmkifklzgljgljsqv',
  'hgvsqfrukjzygowhjzfkkkzyzoz',
  'jnpxzyyszrzzqytwxwsstaztzzz',
  'ehrmlepnthzlolmhqznjjmoszkz',
  'dlwmuhoykizopprikvwjgkyqzoz',
  'ejtqwhtzegzzorthuzkkmlwpzly',
  'gkmjljrkokxshkhtjzfggyuzurv',
  'nhzwxbzwzfzzxxziwztrzsyzzrz',
  'ffussfwzffzwpxkgyzmmrxzszuz',
  'fhqhvirzmhzztqxpeyyufnwysnz',
  'booqrjvtymzznopenzrknuzrzzt',
  'ifvutcwupgzuntsiuzwvumzvzkj',
]
const halfBits = Uint8Array.from(rows.join(''), (letter) => letter.charCodeAt(0) - 97)

/** 1 to 26, or 0 for what is no letter. */
const letterOf = (code: number) => (code >= 97 && code <= 122 ? code - 96 : 0)

/** 1 to 26 for a to z, 0 for the border of a word: how surprising the second is after the first, in bits. */
export function pairSurprise(before: number, after: number): number {
  return (halfBits[before * 27 + after] ?? 25) / 2
}

/** Bits for each letter of a lower-case text: about 3.5 for English, 5 and more for what is none. 13 where there are no letters. */
export function surpriseOf(text: string): number {
  let sum = 0
  let letters = 0
  let before = 0
  for (let at = 0; at <= text.length; at += 1) {
    const letter = at < text.length ? letterOf(text.charCodeAt(at)) : 0
    if (letter === 0 && before === 0) continue
    sum += pairSurprise(before, letter)
    if (letter !== 0) letters += 1
    before = letter
  }
  return letters === 0 ? 13 : sum / (letters + 1)
}
