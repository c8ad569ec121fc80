/** Who searched last, so that their indexes can be loaded after a restart before they ask. */
export interface ActiveUsers {
  /** Users who do not exist are left out. */
  recordActive(userIds: readonly string[], at: number): Promise<void>
  /** The most recent ones first. */
  lastActive(limit: number): Promise<string[]>
}
