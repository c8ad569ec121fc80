/** A package of others that works with Keepsake, and what must hold with the real package. */
export interface Door {
  readonly name: string
  /** What npm installs together for each version of the package, as `name@version`. The first names the version in the table. */
  readonly versions: readonly (readonly string[])[]
  /** The version for `--quick`: the newest that the oldest supported Node runs. Without one, the door is too large for it. */
  readonly quickly?: string
  /** The oldest major version of Node that runs a version, where the package does not say so itself. */
  readonly needsNode?: Readonly<Record<string, number>>
  open(around: Around): Promise<OpenDoor>
}

export interface Around {
  /** Returns an installed package. */
  readonly load: NodeJS.Require
  /** The folder with the installed packages in `node_modules`, and `@keepsake/client` beside them. */
  readonly folder: string
  /** The version in the table. */
  readonly version: string
}

interface OpenDoor {
  /** They run one after another. */
  readonly checks: Readonly<Record<string, () => Promise<void>>>
  close(): Promise<void>
}
