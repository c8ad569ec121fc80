/** What an API key may do with the memories that it reaches. */
export const keyAccesses = ['full', 'read', 'write'] as const
export type KeyAccess = (typeof keyAccesses)[number]

/** What a route does: it reads, it stores a new text, or it changes or erases what is there. */
export type Permission = 'read' | 'store' | 'change'

const permissions: Readonly<Record<KeyAccess, readonly Permission[]>> = {
  full: ['read', 'store', 'change'],
  read: ['read'],
  // It cannot read, so it cannot know what it would change or erase.
  write: ['store'],
}

export interface KeyLimits {
  readonly access: KeyAccess
  /** The only project that it reaches. Null: all of the user's memories. */
  readonly project: string | null
  /** Null: it does not expire. */
  readonly expiresAt: number | null
  /** An application key: it acts for every user whose id starts with this. Null: a key of one user. */
  readonly userPrefix: string | null
}

export const unlimited: KeyLimits = { access: 'full', project: null, expiresAt: null, userPrefix: null }

/** False for an access that this release does not know: a later one may have created the key. */
export function allows(access: KeyAccess, permission: Permission): boolean {
  return Object.hasOwn(permissions, access) && permissions[access].includes(permission)
}

export function isExpired({ expiresAt }: Pick<KeyLimits, 'expiresAt'>, now: number): boolean {
  return expiresAt !== null && expiresAt <= now
}
