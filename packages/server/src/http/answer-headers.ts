/**
 * On every answer. What is answered are somebody's memories: no cache keeps them, no browser guesses that they are a page, and as
 * one they could load nothing. Pages and their assets have headers of their own.
 */
export const answerHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}
