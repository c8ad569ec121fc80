import { answerHook } from '../agents/hook.js'
import { readAll } from '../agents/stdin.js'
import { type Command, exitCodes } from '../command.js'

export const hook: Command = {
  name: 'hook',
  summary: 'answer an event of an agent; install registers it',
  usage: '[--store-prompts]',
  help: `Agents run this command themselves. It reads an event as JSON from standard input: the start of a session, a prompt, the end of a turn,
or a compaction. For a prompt it prints relevant memories; after a turn it stores what was said, in the background. It prints nothing if
nothing is relevant, and succeeds even without a service. --store-prompts stores at the prompt instead, for programs without a transcript.

Exit codes: always 0.`,
  examples: [
    `echo '{"hook_event_name":"UserPromptSubmit","session_id":"1","cwd":"'$PWD'","prompt":"Where do I work?"}' | keepsake hook`,
  ],

  async run(args, io) {
    const answer = await answerHook(await readAll(io.stdin), io.env ?? {}, args.includes('--store-prompts')).catch(
      () => '',
    )
    if (answer !== '') io.stdout.write(`${answer}\n`)
    return exitCodes.fine
  },
}
