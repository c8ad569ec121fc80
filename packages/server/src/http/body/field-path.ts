/** Names of fields and indexes of lists, from the outside in. */
export type FieldPath = (string | number)[]

const plainName = /^[A-Za-z_$][A-Za-z0-9_$-]*$/
const longestName = 64

/** As in `metadata.tags[2]`; names that need it are quoted: `metadata["a b"]`. */
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
