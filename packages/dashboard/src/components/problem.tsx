/** Explains an error in plain words, with the next step. */
import {
  AuthenticationError,
  ConnectionError,
  ForbiddenError,
  KeepsakeError,
  NotFoundError,
  RateLimitError,
  TimeoutError,
  UnavailableError,
  ValidationError,
} from '@keepsake/client'
import { useEffect, useState } from 'preact/hooks'
import { apiKey, masterKey } from '../state.ts'

interface ProblemText {
  readonly title: string
  readonly advice: string
}

function problemText(error: unknown): ProblemText {
  if (error instanceof AuthenticationError)
    return { title: 'The key is not accepted', advice: 'It may have expired or been revoked. Enter another one.' }
  if (error instanceof ForbiddenError) return { title: 'The key does not allow this', advice: error.message }
  if (error instanceof RateLimitError)
    return {
      title: 'Too many requests',
      advice: 'The service limits requests per minute, to stay fast for everyone.',
    }
  if (error instanceof UnavailableError)
    return { title: 'The service is busy or stopping', advice: 'Try again in a moment.' }
  if (error instanceof ConnectionError)
    return { title: 'The service can’t be reached', advice: 'Is it running, and is this machine online?' }
  if (error instanceof TimeoutError)
    return { title: 'The response took too long', advice: 'The service may be busy. Nothing on this page was lost.' }
  if (error instanceof NotFoundError)
    return { title: 'Not found', advice: 'It may have been deleted, or belong to someone else.' }
  if (error instanceof ValidationError) return { title: 'That can’t be done', advice: error.message }
  if (error instanceof KeepsakeError) return { title: 'The service failed', advice: error.message }
  if (error instanceof TypeError && error.message.includes('imported module'))
    return {
      title: 'This page could not be loaded',
      advice: 'The service is down or was updated: reload the dashboard.',
    }
  return { title: 'The page failed', advice: error instanceof Error ? error.message : 'Reload it to start over.' }
}

interface ProblemProps {
  readonly error: unknown
  readonly again?: (() => void) | undefined
}

export function Problem({ error, again }: ProblemProps) {
  const { title, advice } = problemText(error)
  const facts = error instanceof KeepsakeError ? error : undefined
  const left = useCountdown(facts)
  return (
    <div class="problem" role="alert">
      <p class="problem-title">{title}</p>
      <p>{advice}</p>
      {facts?.details?.map(({ path, message }) => (
        <p key={`${path} ${message}`}>
          {path === '' ? '' : <code>{path}</code>} {message}
        </p>
      ))}
      {/* Not announced on every tick: screen readers read the alert once. */}
      {left > 0 && <p aria-live="off">Try again in {left} s.</p>}
      <p class="row">
        {again !== undefined && (
          <button type="button" class="button" onClick={again} disabled={left > 0}>
            Try again
          </button>
        )}
        {(error instanceof AuthenticationError || error instanceof ForbiddenError) &&
          (apiKey.value ?? masterKey.value) !== undefined && (
            <button type="button" class="button" onClick={forgetKeys}>
              Enter another key
            </button>
          )}
      </p>
      {facts?.requestId !== undefined && <p class="quiet small">Request {facts.requestId}</p>}
    </div>
  )
}

function forgetKeys(): void {
  apiKey.value = undefined
  masterKey.value = undefined
}

/** Seconds until the service accepts another request. */
function useCountdown(error: KeepsakeError | undefined): number {
  const wait = error?.retryAfter ?? 0
  const [left, setLeft] = useState(wait)
  useEffect(() => {
    const until = Date.now() + wait * 1000
    setLeft(wait)
    if (wait === 0) return undefined
    const timer = setInterval(() => {
      const seconds = Math.max(0, Math.ceil((until - Date.now()) / 1000))
      setLeft(seconds)
      if (seconds === 0) clearInterval(timer)
    }, 500)
    return () => clearInterval(timer)
  }, [error])
  return left
}
