/** The names of the months, for reading and writing dates. */
import { months } from '../../core/partial-date.js'

/** With a capital, as they are written. */
export const monthNames: readonly string[] = months.map((name) => name.charAt(0).toUpperCase() + name.slice(1))

/** The source of a pattern without anchors or a group: full names in lower case. */
export const monthPattern = months.join('|')

/** Like `monthPattern`, but also matches abbreviations. */
export const monthFormsPattern =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?'
