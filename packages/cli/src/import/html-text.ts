/**
 * The text of HTML that Google wrote: paragraphs, lists and line breaks become lines, everything else is dropped. It never runs, loads
 * or renders anything.
 */

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  emsp: ' ',
  ensp: ' ',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
}

const entity = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}));/g

export function withoutEntities(text: string): string {
  return text.replace(entity, (whole, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) return named[name] ?? whole
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000) ? String.fromCodePoint(code) : ''
  })
}

const breaking: ReadonlySet<string> = new Set(
  'address article blockquote br dd div dl dt h1 h2 h3 h4 h5 h6 hr li ol p pre section table tr ul'.split(' '),
)
const silent: ReadonlySet<string> = new Set(['script', 'style', 'head', 'template', 'noscript'])

/** Lines without leading, trailing and repeated white space; a list item starts with `- `. */
export function textOfHtml(html: string): string {
  let text = ''
  let hidden = ''
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at)
    const end = open === -1 ? html.length : open
    if (hidden === '') text += withoutEntities(html.slice(at, end).replace(/\s+/g, ' '))
    if (open === -1) break
    const isComment = html.startsWith('<!--', open)
    const close = isComment ? html.indexOf('-->', open + 4) : html.indexOf('>', open)
    // A bracket that opens nothing is text.
    if (close === -1 || !(isComment || /^<[/!a-zA-Z]/.test(html.slice(open, open + 2)))) {
      if (hidden === '') text += '<'
      at = open + 1
      continue
    }
    at = close + (isComment ? 3 : 1)
    if (isComment) continue
    const [, slash = '', name = ''] = /^<(\/?)([a-zA-Z0-9]*)/.exec(html.slice(open, open + 20)) ?? []
    const tag = name.toLowerCase()
    if (hidden !== '') hidden = slash === '/' && tag === hidden ? '' : hidden
    else if (silent.has(tag) && slash === '') hidden = tag
    else if (tag === 'li' && slash === '') text += '\n- '
    else if (breaking.has(tag)) text += '\n'
    else if (tag === 'td' || tag === 'th') text += ' '
  }
  return text
    .split('\n')
    .map((line) => line.replace(/[ \t\u00a0]+/g, ' ').trim())
    .filter((line) => line !== '' && line !== '-')
    .join('\n')
}
