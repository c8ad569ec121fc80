import type { Json, Metadata } from '../../core/memory.js'

/** Every key and text inside metadata, with its path: the guard reads them all. */
export function metadataTexts(metadata: Metadata): { path: string; text: string }[] {
  const texts: { path: string; text: string }[] = []
  const visit = (value: Json, path: string): void => {
    if (typeof value === 'string') texts.push({ path, text: value })
    else if (Array.isArray(value)) for (const [index, item] of value.entries()) visit(item, `${path}[${index}]`)
    else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        texts.push({ path: `${path}.${key}`, text: key })
        visit(item, `${path}.${key}`)
      }
    }
  }
  visit(metadata, 'metadata')
  return texts
}
