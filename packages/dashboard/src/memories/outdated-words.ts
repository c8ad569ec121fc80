import type { OutdatedPart } from '@keepsake/client'

/** The outdated parts of a memory or version in one line. */
export function outdatedWords({ outdated = [] }: { readonly outdated?: readonly OutdatedPart[] | undefined }): string {
  return outdated.length === 0 ? 'nothing' : outdated.map(({ text }) => `“${text}”`).join(', ')
}
