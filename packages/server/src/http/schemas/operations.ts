import { z } from 'zod'
import { errorBody } from './error.js'

const languageSupport = z.strictObject({
  code: z.string().describe('ISO 639-1'),
  recall: z
    .enum(['tested', 'measured', 'unmeasured'])
    .describe(
      'tested: through the whole service; measured: vectors or keywords alone; unmeasured: another embedding model is configured',
    ),
  understanding: z
    .enum(['full', 'partial', 'none'])
    .describe('partial: sentences and dates by rules of the language; none: texts are stored and found as written'),
})

export const healthAnswer = z.strictObject({
  status: z.literal('healthy'),
  version: z.string().describe('Only with a valid key, or while authentication is off').optional(),
  uptime_seconds: z.int().min(0).describe('Only with a valid key, or while authentication is off').optional(),
  checks: z.record(z.string(), z.string()).describe('Only with a valid key, or while authentication is off').optional(),
  languages: z
    .array(languageSupport)
    .describe('How well each language is supported. Only with a valid key, or while authentication is off')
    .optional(),
})

export const unhealthyAnswer = z.strictObject({
  ...healthAnswer.shape,
  status: z.literal('unhealthy'),
  error: errorBody,
})

export const liveAnswer = z.strictObject({ status: z.literal('alive') })
export const readyAnswer = z.strictObject({ status: z.literal('ready') })
export const notReadyAnswer = z.strictObject({ status: z.literal('not ready'), error: errorBody })

export const rootAnswer = z.strictObject({
  name: z.literal('Keepsake'),
  version: z.string().describe('Only with a valid key, or while authentication is off').optional(),
  api: z.string(),
  health: z.string(),
  dashboard: z.string(),
  docs: z.string(),
  redoc: z.string(),
  openapi: z.string(),
})
