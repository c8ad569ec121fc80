/** The README's tour, and an agent's memory, with the installed packages. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRun, readPage } from '../../packages/server/test/docs/page.js'
import { anId, inWordsOfThePage, readAnswers } from '../../packages/server/test/docs/pasted-answer.js'
import { openShell } from '../../packages/server/test/docs/shell.js'

type Environment = Readonly<Record<string, string | undefined>>

interface Place {
  /** The folder that the packages are installed in. */
  readonly folder: string
  readonly environment: Environment
}

/** Starts from a clone. `checkMcp` uses the installed program. */
const ofClone = /packages\/cli\/keepsake\.mjs/

/** Returns how many blocks were run. */
export async function checkTour({ folder, environment }: Place, url: string): Promise<number> {
  const shell = openShell({ cwd: folder, env: { ...environment, KEEPSAKE_URL: url }, url })
  const ids = new Map<string, string>()
  const blocks = readPage('README.md').examples.filter(
    (example) => isRun(example) && !example.withKeys && !ofClone.test(example.commands),
  )
  try {
    for (const { commands, answer } of blocks) {
      const { code, output } = await shell.run(commands.replace(anId, (id) => ids.get(id) ?? id))
      assert.equal(code, 0, `${commands}${output}`)
      if (answer === undefined) continue
      const pasted = readAnswers(answer)
      const actual = readAnswers(output).map((each, at) => inWordsOfThePage(pasted[at], each, ids))
      assert.deepEqual(actual, pasted, output)
    }
  } finally {
    shell.close()
  }
  return blocks.length
}

/** `keepsake install claude-code` in an empty home directory: what one session says, the next one knows. */
export async function checkAgent({ folder, environment }: Place): Promise<void> {
  const home = join(folder, 'home')
  const project = join(home, 'shop')
  mkdirSync(join(project, '.git'), { recursive: true })
  mkdirSync(join(home, '.claude'))
  const shell = openShell({ cwd: folder, env: { ...environment, HOME: home }, url: '' })
  const run = async (commands: string) => {
    const { code, output } = await shell.run(commands)
    assert.equal(code, 0, `${commands}\n${output}`)
    return output
  }
  const hook = (command: string, event: object) =>
    run(`{ ${command}; } <<'EVENT'\n${JSON.stringify({ cwd: project, ...event })}\nEVENT\n`)
  const soon = async (what: string, isDone: () => Promise<boolean>) => {
    for (const end = Date.now() + 120_000; Date.now() < end; ) {
      if (await isDone()) return
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    throw new Error(`${what} did not happen within two minutes`)
  }
  try {
    await run('npx --no-install keepsake install claude-code')
    const { hooks } = JSON.parse(readFileSync(join(home, '.claude', 'settings.json'), 'utf8'))
    const commandOf = (event: string): string => hooks[event][0].hooks[0].command
    await hook(commandOf('SessionStart'), { hook_event_name: 'SessionStart', session_id: 'one', source: 'startup' })
    await soon('the start of the service', async () =>
      (await run('npx --no-install keepsake install status')).includes('service: running'),
    )
    const said = 'The staging database is called orders_stage.'
    const transcript = join(home, 'one.jsonl')
    const line = { type: 'user', uuid: 'one-1', message: { role: 'user', content: `Please fix the parser. ${said}` } }
    writeFileSync(transcript, `${JSON.stringify(line)}\n`)
    await hook(commandOf('Stop'), { hook_event_name: 'Stop', session_id: 'one', transcript_path: transcript })
    const prompt = 'What is the staging database called?'
    await soon('the recall', async () => {
      const event = { hook_event_name: 'UserPromptSubmit', session_id: 'two', prompt }
      const printed = await hook(commandOf('UserPromptSubmit'), event)
      return printed !== '' && JSON.parse(printed).hookSpecificOutput.additionalContext.includes(said)
    })
    await run('npx --no-install keepsake uninstall claude-code')
  } finally {
    shell.close()
  }
}
