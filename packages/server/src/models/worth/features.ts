/** What the model that recognises chatter sees besides the vector. `training/worth` uses the same function. */
export interface SaidText {
  /** The words, without a speaker's name before them. */
  readonly text: string
  readonly isAssistant: boolean
  /** The text before it ended with a question. */
  readonly isAfterQuestion: boolean
}

/** The vector's values are small beside the other features. */
const vectorScale = 8
const mostWords = 40

export function worthFeatures(vector: ArrayLike<number>, { text, isAssistant, isAfterQuestion }: SaidText): number[] {
  const said = text.trim()
  const words = said.split(/\s+/u)
  const lower = said.toLowerCase()
  const holds = (expression: RegExp) => (expression.test(lower) ? 1 : 0)
  return [
    ...Array.from(vector, (value) => value * vectorScale),
    Math.min(words.length, mostWords) / 20,
    words.length <= 3 ? 1 : 0,
    holds(/[?？][^\p{L}\p{N}]{0,8}$/u),
    holds(/\p{Nd}/u),
    holds(/(?<![\p{L}'])(?:i|i'm|i've|im|ive|my|mine|me|we|our|us)(?![\p{L}])/u),
    holds(/(?<![\p{L}'])(?:you|your|u|ur)(?![\p{L}])/u),
    holds(/!/u),
    // A capital that does not begin a sentence: a name.
    /(?<=[\p{Ll}\p{N},;:)] )\p{Lu}\p{L}+/u.test(said) ? 1 : 0,
    isAssistant ? 1 : 0,
    isAfterQuestion ? 1 : 0,
  ]
}
