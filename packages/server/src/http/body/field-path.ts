/** Field names and list indexes, from the outermost in. */
export type FieldPath = (string | number)[]

const plainName = /^[A-Za-z_$][A-Za-z0-9_$-]*$/
const longestName = 64

/** Writes a path as `metadata.tags[2]`. Names with special characters are quoted: `metadata["a b"]`. */
export function fieldPath(path: readonly (string | number)[]): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else {
      const name = step.length > longestName ? `${step.slice(0, longestName)}…` : step
      if (plainName.test(name)) text += text === '' ? name : `.${name}`
      else text += `[${JSON.stringify(name)}]`
    }
  }
  return text
}
