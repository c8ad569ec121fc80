/**
 * The attacker of `flood.ts`, in a separate process: sends invalid keys over many connections from many addresses, each
 * connection as fast as it is answered. Prints a summary of the answers when told to stop.
 */
import { randomBytes } from 'node:crypto'
import { setPriority } from 'node:os'
import { type BearerClient, bearerClient, loopbackAddress } from './bearer-client.js'

const [, , root = '', connections = '200', addresses = '50', goodKey = ''] = process.argv

/** A real attacker uses other machines; here it must not take CPU time from the measured service. */
setPriority(19)

function badKey(turn: number): string {
  const secret = randomBytes(32).toString('base64url')
  if (turn % 3 === 0) return `${goodKey.slice(0, -43)}${secret}`
  if (turn % 3 === 1) return `${goodKey.slice(0, -1)}${goodKey.endsWith('A') ? 'E' : 'A'}`
  return `ksk_0${randomBytes(16).toString('hex').slice(0, 25)}_${secret}`
}

const answers = new Map<string, number>()
const clients: BearerClient[] = []
let isRunning = true
let turn = 0

async function attack(client: BearerClient): Promise<void> {
  while (isRunning) {
    turn += 1
    const what = await client.send('GET', '/api/v1/memories', badKey(turn)).then(
      ({ status }) => String(status),
      () => 'no answer',
    )
    answers.set(what, (answers.get(what) ?? 0) + 1)
  }
}

for (let index = 0; index < Number(connections); index += 1) {
  const client = bearerClient(root, loopbackAddress(index % Number(addresses)))
  clients.push(client)
  void attack(client)
}

process.on('SIGTERM', () => {
  isRunning = false
  process.stdout.write(`${JSON.stringify(Object.fromEntries(answers))}\n`, () => process.exit(0))
})
process.stdout.write('attacking\n')
