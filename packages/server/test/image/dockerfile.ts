/** Parses a Dockerfile and a `.dockerignore`, as far as ours use these formats. */

export interface Instruction {
  readonly line: number
  readonly name: string
  readonly text: string
}

export interface Stage {
  readonly image: string
  readonly name: string | undefined
  readonly instructions: readonly Instruction[]
}

const known = /^(?:FROM|WORKDIR|COPY|RUN|ENV|VOLUME|EXPOSE|USER|HEALTHCHECK|STOPSIGNAL|ENTRYPOINT)$/

export function instructionsOf(text: string): Instruction[] {
  const found: Instruction[] = []
  let pending: { line: number; text: string } | undefined
  for (const [index, raw] of text.split('\n').entries()) {
    if (/^\s*(?:#|$)/.test(raw)) continue
    const goesOn = raw.endsWith('\\')
    const piece = (goesOn ? raw.slice(0, -1) : raw).trim()
    pending = pending ? { ...pending, text: `${pending.text} ${piece}` } : { line: index + 1, text: piece }
    if (goesOn) continue
    const [, name = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(pending.text) ?? []
    if (!known.test(name)) throw new Error(`Dockerfile:${pending.line}: ${name || pending.text} is not understood here`)
    found.push({ line: pending.line, name, text: rest })
    pending = undefined
  }
  if (pending) throw new Error(`Dockerfile:${pending.line}: the instruction has no end`)
  return found
}

export function stagesOf(instructions: readonly Instruction[]): Stage[] {
  const stages: { image: string; name: string | undefined; instructions: Instruction[] }[] = []
  for (const instruction of instructions) {
    if (instruction.name === 'FROM') {
      const [, image = '', name] = /^(\S+)(?:\s+AS\s+(\S+))?$/.exec(instruction.text) ?? []
      stages.push({ image, name, instructions: [] })
    } else if (stages.length === 0) {
      throw new Error(`Dockerfile:${instruction.line}: ${instruction.name} before FROM`)
    } else {
      stages.at(-1)?.instructions.push(instruction)
    }
  }
  return stages
}

export interface Copy {
  /** The stage to copy from. Undefined: the build context. */
  readonly from: string | undefined
  readonly sources: readonly string[]
  readonly target: string
}

export function copyOf({ text }: Instruction): Copy {
  const words = text.split(/\s+/)
  const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined
  const target = words.pop() ?? ''
  return { from, sources: words, target }
}

/** Parses `["node", "main.js"]`, after `CMD` in a health check. Undefined for the shell form. */
export function execForm(text: string): string[] | undefined {
  const list = /(?:^|CMD\s+)(\[.*\])$/.exec(text)?.[1]
  // The next lines check that it is a list of strings.
  const words = list === undefined ? undefined : (JSON.parse(list) as unknown[])
  return words?.every((word) => typeof word === 'string') ? words : undefined
}

export function environmentOf(stage: Stage): Record<string, string> {
  const pairs = stage.instructions
    .filter(({ name }) => name === 'ENV')
    .flatMap(({ text }) => text.split(/\s+/))
    .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] as const)
  return Object.fromEntries(pairs)
}

/** Whether a path (with `/`, relative to the context) is part of the build. The last matching line decides. */
export function contextFilter(dockerignore: string): (path: string) => boolean {
  const rules = dockerignore
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ isLetIn: line.startsWith('!'), pattern: expressionOf(line.replace(/^!/, '')) }))
  return (path) => {
    const parts = path.split('/')
    const parents = parts.map((_, index) => parts.slice(0, index + 1).join('/'))
    return rules.findLast(({ pattern }) => parents.some((each) => pattern.test(each)))?.isLetIn ?? true
  }
}

function expressionOf(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*\*\/|\*/g, (stars) => (stars === '*' ? '[^/]*' : '(?:.*/)?'))
  return new RegExp(`^${source}$`)
}
