/** The part of pino's logger that layers below `http` need. Messages never contain content, keys or queries. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }
