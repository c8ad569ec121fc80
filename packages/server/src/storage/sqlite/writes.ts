/** The calls that the writer thread answers, by name. A generator gives way to other writes at each `yield`. */
import { dropAnswers } from './answers.js'
import { commit } from './commit.js'
import { decide } from './decide.js'
import { tellOfExpiry, trimEvents } from './events.js'
import { forget, purgeExpired } from './forget.js'
import { dropRaw, keepRaw } from './inbox.js'
import { createKey, recordAccess, revokeKey, touchKeys } from './keys.js'
import { mergeEntities, revertMerge } from './manual-merges.js'
import { replaceVectors } from './replace-vectors.js'
import { update } from './update.js'
import { claimWebhooks, createWebhook, deleteWebhook, redeliver, settleWebhook } from './webhooks.js'

export const writes = {
  claimWebhooks,
  commit,
  createKey,
  createWebhook,
  decide,
  dropAnswers,
  deleteWebhook,
  dropRaw,
  forget,
  keepRaw,
  mergeEntities,
  purgeExpired,
  recordAccess,
  redeliver,
  replaceVectors,
  revertMerge,
  revokeKey,
  settleWebhook,
  tellOfExpiry,
  touchKeys,
  trimEvents,
  update,
}

export type Writes = typeof writes

/** After these nothing of the erased may be left on the disk. */
export const erasing: ReadonlySet<string> = new Set<keyof Writes>(['deleteWebhook', 'forget', 'purgeExpired'])
