/** The messages between a model's thread and the rest of the service. */
export type ToModel<Ask> =
  | { readonly kind: 'ask'; readonly requestId: number; readonly ask: Ask }
  | { readonly kind: 'close' }

export type FromModel =
  /** With the files that the thread knows to be intact. */
  | { readonly kind: 'ready'; readonly verified?: readonly string[] }
  | { readonly kind: 'cannot-load'; readonly message: string }
  /** The same number of values per item, one item after the other. */
  | { readonly kind: 'answer'; readonly requestId: number; readonly values: Float32Array }
  | { readonly kind: 'failed'; readonly requestId: number; readonly message: string }
