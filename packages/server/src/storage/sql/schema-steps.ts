/** The order of migrations. Each engine writes them in its own SQL. */

interface Step {
  readonly version: number
}

export function latestVersion(steps: readonly Step[]): number {
  return steps.at(-1)?.version ?? 0
}

export function stepsAfter<S extends Step>(steps: readonly S[], version: number): readonly S[] {
  return steps.filter((step) => step.version > version)
}
