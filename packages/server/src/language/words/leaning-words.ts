/** Words by which a text says that it is not understood without another one. */

/** "I lied, 10:30", "No, it's Corinne": a correction that names nothing. */
export const startsAsCorrection =
  /^(?:it|it['’]s|its|no|not|oops|sorry|actually|correction|scratch that|typo|make that|recount|that|this)(?![\p{L}])/iu

/** "That's the only one I can drink" and "she's (Waffles) a puppy" are not understood without the memory before them. */
export const leansOnOther =
  /^(?:that|this|those|these)(?:['’]\p{L}+)?(?![\p{L}'’])|(?<![\p{L}])(?:he|she|it|they)(?:['’]\p{L}+)? \(/iu

/** Anywhere in the first words: "ended up taking the other one", "she moved out". */
export const mentionsWhatWasSaid =
  /(?<![\p{L}])(?:it(?:['’]?s)?|th(?:at|is|[eo]se|ey|em|eir|ere|en)|s?he|him|her|his|ones?|same|other|no|not|instead|wait|oops|sorry|meant|typo|correction|actually|scratch|make that)(?![\p{L}])/iu
