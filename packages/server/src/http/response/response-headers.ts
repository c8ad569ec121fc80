/**
 * Sent with every response. Responses contain somebody's memories, so no cache keeps them, no browser guesses that they are a page,
 * and a browser that shows one anyway loads nothing. Pages and their assets set their own headers.
 */
export const responseHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** The value of `WWW-Authenticate` on a 401. */
export const challenge = 'Bearer realm="keepsake"'
