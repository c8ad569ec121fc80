export type Verified =
  | { readonly kind: 'user'; readonly keyId: string; readonly userId: string }
  | { readonly kind: 'failed'; readonly keyId: string | null }

/** Tells whether a presented API key is good. See `docs/adr/0003-ids-and-keys.md`. */
export interface KeyVerifier {
  verify(presented: string): Promise<Verified>
  close(): Promise<void>
}
