/** The entry of the service: settings, signals, exit codes. `boot/` assembles everything else. */
import { existsSync, realpathSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type { Logger } from 'pino'
import { banner } from './boot/banner.js'
import { compose, type Service } from './boot/compose.js'
import { logOutput, openLogger, writeAuditLine } from './boot/logger.js'
import { packageVersion } from './boot/package-version.js'
import { startFailure } from './boot/start-failure.js'
import { ConfigError, readServiceConfig } from './config/config.js'

export { compose }

/** How long after a signal requests that were already sent may take to arrive. */
const drainGraceMs = 250
/** How long after a signal requests in flight may take before the process exits anyway. */
const drainTimeoutMs = 30_000

/** The only option is `--env-file PATH`: a file to read instead of `.env` in the data directory. */
export async function main(args: readonly string[] = []): Promise<void> {
  try {
    await run(envFileOf(args))
  } catch (error) {
    process.stderr.write(`${startFailure(error)}\n`)
    process.exit(1)
  }
}

async function run(envFile: string | undefined): Promise<void> {
  // Only this user may read memories, even if others created the data directory and can enter it.
  process.umask(0o077)
  const { config, warnings } = readServiceConfig(envFile)
  const logger = openLogger(config.logLevel, logOutput(config.logFormat, process.stdout))
  for (const warning of warnings) logger.warn(warning)
  logger.info('opening the store')
  const service = await compose(config, { logger, ...writeAuditLine(config.logFormat, process.stdout) })
  const stop = (signal: string): void => {
    logger.info({ signal }, 'stopping: requests in flight are answered first')
    setTimeout(() => {
      logger.error('requests in flight took too long; leaving')
      process.exit(1)
    }, drainTimeoutMs).unref()
    service.close(drainGraceMs).then(
      () => process.exit(0),
      (error) => {
        logger.error({ err: error }, 'stopping failed')
        process.exit(1)
      },
    )
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
  if (config.auditLog !== undefined) process.on('SIGHUP', () => void reopen(service, logger))
  const address = await service.listen()
  process.stdout.write(banner(config, address, packageVersion()))
  void service.loadModels()
}

function envFileOf(args: readonly string[]): string | undefined {
  try {
    return parseArgs({ args: [...args], options: { 'env-file': { type: 'string' } } }).values['env-file']
  } catch {
    throw new ConfigError('the only option is --env-file PATH')
  }
}

/** logrotate sends SIGHUP after it has renamed the audit log. */
async function reopen(service: Service, logger: Logger): Promise<void> {
  try {
    await service.reopenAuditLog()
    logger.info('asked to reopen the audit log')
  } catch (error) {
    logger.error({ err: error }, 'the audit log could not be reopened; the old file is kept')
  }
}

// The real path: a module's URL has no symbolic links, but the path on the command line may.
const [, typed = '', ...args] = process.argv
if (existsSync(typed) && import.meta.url === pathToFileURL(realpathSync(typed)).href) await main(args)
