/**
 * The attacker of `starvation.ts`, in a separate process: keeps a number of stores of 50,000 characters in flight with one valid
 * key. Texts are of the shapes that took longest per character. Prints a summary of the answers when told to stop.
 */
import { setPriority } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { bearerClient } from './bearer-client.js'

const [, , root = '', stores = '28', key = ''] = process.argv
const longest = 50_000

/** A real attacker uses another machine. */
setPriority(19)

const people = ['Anna Weber', 'John Smith', 'Priya', 'Marcus', 'Elena Petrova', 'Tom', 'Sofia', 'Dr Lee']
const shapes: readonly ((index: number, who: string) => string)[] = [
  (index, who) => `${who} works at Acme ${index} in Berlin, and my sister likes tea number ${index % 90}. `,
  (index, who) => `I am ${who} and my name is Ann${index}, `,
  (index, who) => `- ${who} likes item number ${index} and lives in town ${index % 50}\n`,
  (index, who) => `Where is she? In Rome ${index}. Who told him? ${who} did. `,
]

function hostileText(number: number): string {
  const shape = shapes[number % shapes.length] ?? String
  let text = `Note ${number}. `
  for (let index = number; text.length < longest; index += 1) text += shape(index, people[index % people.length] ?? '')
  return text.slice(0, longest)
}

const answers = new Map<string, number>()
const client = bearerClient(root, '127.210.0.1', Number(stores))
let isRunning = true
let sent = 0

async function attack(): Promise<void> {
  while (isRunning) {
    sent += 1
    const what = await client.send('POST', '/api/v1/store', key, { content: hostileText(sent) }).then(
      ({ status }) => String(status),
      () => 'no answer',
    )
    answers.set(what, (answers.get(what) ?? 0) + 1)
    // Far sooner than it is told to.
    if (what !== '200') await delay(250)
  }
}

for (let index = 0; index < Number(stores); index += 1) void attack()

process.on('SIGTERM', () => {
  isRunning = false
  process.stdout.write(`${JSON.stringify(Object.fromEntries(answers))}\n`, () => process.exit(0))
})
process.stdout.write('attacking\n')
