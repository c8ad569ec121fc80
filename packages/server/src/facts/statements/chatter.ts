/** Words around a statement that say nothing: "Oh wow, yes", "lol", "haha :)". */
import { pattern } from '../../core/pattern.js'

const always = pattern`
  oh|ooh|ah+|aww*|wow+|whoa|woah|yay|haha+|hehe+|lol|lmao|rofl|omg|hmm+|um+|uh+|er|erm|(?:hi+|hey+|hello|hiya|howdy
  |yo)(?: (?:there|again|everyone|all|guys))?|yeah+|yea|yep|yup|btw|by the way|fyi|anyway|anyways|also|and|plus|gosh
`
/** Only before a comma or a full stop, or before "I" and the like: "no longer", "right now" and "so far" are no chatter. */
const sometimes = pattern`
  yes|no|nope|nah|sure|right|ok+|okay|cool|nice|neat|awesome|amazing|great|good|perfect|sweet|fine|true|well|so|but
  |then|thanks|thank you|thx|exactly|definitely|absolutely|totally|of course|i see|i know|i agree|me too|same here
  |same|honestly|actually|basically|really|interesting|sorry|congrats|congratulations|good morning|good evening
  |good question|sounds good|that's (?:great|cool|nice|awesome|amazing|good|interesting)|that is (?:great|cool|nice
  |awesome|amazing|good|interesting)|not (?:really|much)|guess what|fun fact|just so you know|to be honest|tbh|ngl
  |as for me|man|dude
`
const subjects = "(?:i|i['’]?(?:m|ve|d|ll)|my|we|we['’](?:re|ve|ll)|our)(?![\\p{L}\\p{N}'’])"
const leading = new RegExp(
  pattern`
    ^(?:[^\p{L}\p{N}("“$€£@#]+|(?:${always})(?![\p{L}\p{N}'’])|(?:${sometimes})(?![\p{L}\p{N}'’])(?=\s*[,.!?;:…–—-]
    |\s+(?:${always}|${sometimes})(?![\p{L}\p{N}'’])\s*[,.!…]|\s+${subjects}|\s*$))
  `,
  'iu',
)
const trailing =
  /(?:[\s,.!…-]+(?:lol|lmao|haha+|hehe+|xd|right|you know|though|tho|too|as well)|\s+[:;]-?[)(DPp]|[\s,;:–—-]+)[.!…\s]*$/iu

/** Length of the chatter at the start. */
export function leadingChatter(text: string): number {
  let at = 0
  for (let round = 0; round < 12; round += 1) {
    const found = leading.exec(text.slice(at))
    if (!found || found[0].length === 0) break
    at += found[0].length
  }
  return at
}

/** Length of the text without the chatter at its end. */
export function withoutTrailing(text: string): number {
  let end = text.length
  for (let round = 0; round < 4; round += 1) {
    const found = trailing.exec(text.slice(Math.max(0, end - 40), end))
    if (!found) break
    end = Math.max(0, end - 40) + found.index
  }
  return end
}
