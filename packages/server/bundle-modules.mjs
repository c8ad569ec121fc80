/** How `bundle.mjs` changes the text of modules. */

/**
 * Evaluates a module of ours when one of its exports is first used, not when it is imported: for most modules that is the first request. No
 * module depends on the order of evaluation. The bundler finds the uses: in CommonJS it writes them as properties of the imported
 * module. `transform` is the bundler's.
 */
export async function patient(source, transform) {
  const imports = /^import\s(?:[^'";]+\sfrom\s)?'([^']+)';$/gm
  const isOwn = (path) => path.startsWith('.')
  const kept = [...source.matchAll(imports)].filter(([, path]) => !isOwn(path)).map(([statement]) => statement)
  const withOwn = source.replace(imports, (statement, path) => (isOwn(path) ? statement : ''))
  const { code } = await transform(withOwn, { format: 'cjs', target: 'node20.12' })
  const [, listed = '', body = code] =
    /__export\(stdin_exports, \{\n([\s\S]*?)\n\}\);\nmodule\.exports = [^\n]+\n([\s\S]*)$/.exec(code) ?? []
  const paths = new Map(
    [...body.matchAll(/^var (import_\w+) = require\("(\.[^"]+)"\);$/gm)].map(([, name, path]) => [name, path]),
  )
  const isPlain = ![...paths.keys(), '__toESM', '__reExport'].some((name) => source.includes(name))
  // Namespaces and stars are imported at once, as usual.
  if (!isPlain || paths.size === 0 || /\b__(?:toESM|reExport)\(/.test(body)) return source
  return [...kept, lazily(body, paths), ...exportsOf(listed, paths)].join('\n')
}

/** `paths`: the imported file by the name of its variable. */
function lazily(body, paths) {
  const use = /(?<!\w)(new |var )?(import_\w+)(\.\w+| = require\([^)]*\);)?/g
  return body.replace(use, (text, before, name, after) => {
    if (!paths.has(name)) return text
    if (before === 'var ')
      return `var ${name}_, ${name} = () => ${name}_ ??= require(${JSON.stringify(paths.get(name))});`
    // Without the parentheses, `new` would call the function.
    return before === 'new ' ? `new (${name}()${after})` : `${name}()${after}`
  })
}

function exportsOf(listed, paths) {
  return [...listed.matchAll(/^ {2}(\w+): \(\) => (\w+)(?:\.(\w+))?,?$/gm)].map(([, name, local, property]) =>
    property === undefined
      ? `export { ${local} as ${name} }`
      : `export { ${property} as ${name} } from ${JSON.stringify(paths.get(local))}`,
  )
}

/**
 * The bundler leaves other characters only in regular expressions, where an escape means the same, and in raw templates, where it does
 * not. V8 keeps one byte per character of ASCII.
 */
export function ascii(text) {
  if (/\.raw`[^`]*[^\0-\x7f]/.test(text)) return text
  return text.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
