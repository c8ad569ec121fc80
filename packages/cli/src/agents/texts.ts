/** Files that install writes as a whole. */
import { readFileSync } from 'node:fs'

/** From the plugin bundle, so that there is one text. */
export const skill = readFileSync(new URL('../../plugin/skills/keepsake-memory/SKILL.md', import.meta.url), 'utf8')

/** OpenCode runs plugins instead of commands. This one hands its events to the same hook. */
export function openCodePlugin(node: string, script: string): string {
  return `// Written by keepsake install opencode; keepsake uninstall opencode removes it.
import { spawn } from 'node:child_process'

const command = ${JSON.stringify(node)}
const args = [${JSON.stringify(script)}, 'hook']

/** What the hook prints. Empty if it fails or takes too long: OpenCode works as well without memory. */
function ask(input) {
  return new Promise((resolve) => {
    let printed = ''
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true })
    const limit = setTimeout(() => child.kill(), 2500)
    const end = () => {
      clearTimeout(limit)
      resolve(printed)
    }
    child.stdout.on('data', (chunk) => {
      printed += chunk
    })
    child.stdin.on('error', () => {})
    child.once('error', end)
    child.once('close', end)
    child.stdin.end(JSON.stringify(input))
  })
}

const textOf = (parts) =>
  parts
    .filter((part) => part.type === 'text' && !part.synthetic)
    .map((part) => part.text)
    .join('\\n')

export const Keepsake = async ({ directory, worktree }) => {
  const cwd = worktree && worktree !== '/' ? worktree : directory
  const said = new Map()
  return {
    'chat.message': async ({ sessionID }, { message, parts }) => {
      const prompt = textOf(parts)
      if (prompt.trim() === '') return
      said.set(sessionID, prompt)
      const answer = await ask({ hook_event_name: 'UserPromptSubmit', session_id: sessionID, cwd, prompt })
      try {
        const text = JSON.parse(answer).hookSpecificOutput.additionalContext
        const id = 'prt_keepsake' + Date.now().toString(36) + Math.random().toString(36).slice(2, 8)
        parts.push({ id, sessionID, messageID: message.id, type: 'text', text, synthetic: true })
      } catch {
        // Nothing was recalled.
      }
    },
    event: async ({ event }) => {
      if (event.type !== 'session.idle') return
      const session = event.properties.sessionID
      const prompt = said.get(session)
      said.delete(session)
      if (prompt !== undefined) await ask({ hook_event_name: 'Stop', session_id: session, cwd, prompt })
    },
  }
}
`
}
