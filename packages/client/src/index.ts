export type * from './api-types.generated.js'
export type { Clock } from './clock.js'
export {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  ForbiddenError,
  InternalError,
  KeepsakeError,
  NotFoundError,
  RateLimitError,
  TimeoutError,
  UnavailableError,
  UnexpectedAnswerError,
  ValidationError,
} from './errors.js'
export type { MissedEvents } from './events.js'
export type { ItemsBelow, PutItemOptions, SearchItemsOptions } from './items.js'
export { type Health, Keepsake } from './keepsake.js'
export type { Listing } from './listing.js'
export type * from './options.js'
export { markedContent } from './outdated.js'
export { type Ttl, type TtlPreset, ttlPresets } from './ttl.js'
export { type VerifyOptions, verifyWebhook, type WebhookEvent } from './verify-webhook.js'
