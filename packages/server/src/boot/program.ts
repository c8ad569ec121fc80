/** The program of the service: settings, signals, exit codes. */
import { parseArgs } from 'node:util'
import type { Logger } from 'pino'
import { ConfigError, readServiceConfig } from '../config/config.js'
import { banner } from './banner.js'
import type * as Compose from './compose.js'
import type { Service } from './compose.js'
import { logOutput, openLogger, writeAuditLine } from './logger.js'
import { packageVersion } from './package-version.js'
import type * as Stdio from './serve-stdio.js'
import { startFailure } from './start-failure.js'

/** How long after a signal requests that were already sent may take to arrive. */
const drainGraceMs = 250
/** How long after a signal requests in flight may take before the process exits anyway. */
const drainTimeoutMs = 30_000

const loadModelsAfterMs = 500

// On demand: MCP over standard input answers before it needs the service, and the service never needs that.
export async function compose(...given: Parameters<typeof Compose.compose>): ReturnType<typeof Compose.compose> {
  return (await import('./compose.js')).compose(...given)
}

export async function serveMcpOverStdio(
  ...given: Parameters<typeof Stdio.serveMcpOverStdio>
): ReturnType<typeof Stdio.serveMcpOverStdio> {
  return (await import('./serve-stdio.js')).serveMcpOverStdio(...given)
}

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
  // Probes and requests that were waiting for the service come first.
  setTimeout(() => void service.loadModels(), loadModelsAfterMs)
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
