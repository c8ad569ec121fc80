/**
 * Control characters that override or embed a direction, as visible text: they could make a memory look like another one. Marks and joiners that
 * scripts need stay.
 */
export function visible(text: string): string {
  return text.replace(
    /[\u202a-\u202e\u2066-\u2069]/gu,
    (mark) => `[U+${mark.charCodeAt(0).toString(16).toUpperCase()}]`,
  )
}
