/** The caller, for the audit log: never a key, only its id. */
export interface Actor {
  readonly role: 'user' | 'master' | 'anonymous'
  readonly keyId: string | null
  readonly ip: string
  readonly requestId: string
}
