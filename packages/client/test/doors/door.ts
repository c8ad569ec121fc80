/** A package of others that works with Keepsake, and what must hold with the real package. */
export interface Door {
  readonly name: string
  /** As npm installs them: `name@version`. */
  readonly packages: readonly string[]
  /** `load` returns an installed package. */
  open(load: NodeJS.Require): Promise<OpenDoor>
}

interface OpenDoor {
  /** They run one after another. */
  readonly checks: Readonly<Record<string, () => Promise<void>>>
  close(): Promise<void>
}
