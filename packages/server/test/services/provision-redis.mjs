/**
 * Prints where a Redis server is, as JSON: one on PATH, else Debian's package, unpacked below `.cache/services`.
 * `node packages/server/test/services/provision-redis.mjs` can be run by hand to fill the cache.
 */
import { join } from 'node:path'
import { libraryPath, onPath, unpackedPackages } from './debian-packages.mjs'

async function findRedis() {
  const installed = await onPath('redis-server')
  if (installed !== undefined) return { program: installed, libraries: '' }
  const root = await unpackedPackages('redis', ['redis-server', 'redis-tools'])
  return { program: join(root, 'usr/bin/redis-server'), libraries: await libraryPath(root) }
}

try {
  process.stdout.write(`${JSON.stringify(await findRedis())}\n`)
} catch (error) {
  const reason = (error.stderr || error.message).trim().split('\n').slice(-3).join(' ')
  process.stderr.write(
    `No Redis for the tests: there is no redis-server on PATH, and Debian's package could not be fetched (${reason}). ` +
      'Install redis-server, run apt-get update first, or name a running one in SERVICE_TEST_REDIS_URL.\n',
  )
  process.exit(1)
}
