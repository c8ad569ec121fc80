/** The pages on which an owner decides. They have no script, and every text from outside is escaped. */
import { createHash } from 'node:crypto'
import type { AuthorizationRequest } from '../../service/oauth/authorize.js'
import { placeOf } from '../../service/oauth/redirect-uri.js'
import { paths } from './metadata.js'

const style = `
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 3rem auto; padding: 0 1rem; overflow-wrap: anywhere }
h1 { font-size: 1.4rem }
label { display: block; margin: 1rem 0 }
input { display: block; box-sizing: border-box; width: 100%; font: inherit; padding: .5rem; margin-top: .25rem }
button { font: inherit; padding: .5rem 1.25rem; margin-right: .5rem }
.problem { border-left: .3rem solid #c00; padding-left: .75rem }
`
const styleHash = createHash('sha256').update(style).digest('base64')

/** No policy for openers: clients open this page in a window that must still reach them when it returns. */
export const pageHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  // With no-referrer, browsers would send the form without its origin, which is checked.
  'referrer-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

/** Asks the owner. `problem` says why the last attempt failed. */
export function consentPage(request: AuthorizationRequest, resource: string, problem?: string): string {
  const { client, redirectUri, state, challenge } = request
  const hidden = {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    resource,
    ...(state === undefined ? {} : { state }),
  }
  const origin =
    client.publishedBy === null
      ? 'The application chose this name itself. Nobody has verified it.'
      : `The application is published at ${client.publishedBy}.`
  return page(`Connect ${client.name}?`, [
    ...(problem === undefined ? [] : [`<p class="problem" role="alert">${escaped(problem)}</p>`]),
    `<p><strong>${escaped(client.name)}</strong> wants to use your memories. If you approve, it can read, add, change and delete all of them until you revoke its grant.</p>`,
    `<p>${escaped(origin)} Afterwards your browser goes to <strong>${escaped(placeOf(redirectUri))}</strong>.</p>`,
    '<p>Approve only if you have just started this yourself.</p>',
    `<form method="post" action="${paths.authorize}">`,
    ...Object.entries(hidden).map(([name, value]) => `<input type="hidden" name="${name}" value="${escaped(value)}">`),
    '<label>Your API key <input type="password" name="key" autocomplete="off" spellcheck="false" autofocus></label>',
    '<label>User, only with the master key <input name="user" autocomplete="off" spellcheck="false"></label>',
    '<button name="decision" value="approve">Approve</button>',
    '<button name="decision" value="deny">Deny</button>',
    '</form>',
  ])
}

/**
 * Sends the browser back to the application. Not by a redirect: the policy for forms would then have to allow every address that the
 * application redirects to in turn.
 */
export function returnPage(title: string, backTo: string): string {
  const head = `<meta http-equiv="refresh" content="0; url=${escaped(backTo)}">`
  return page(title, [`<p><a href="${escaped(backTo)}">Continue</a></p>`], head)
}

/** The way back is only a link, because a page that redirects by itself could lead anyone anywhere. */
export function problemPage(message: string, backTo?: string): string {
  const back = backTo === undefined ? [] : [`<p><a href="${escaped(backTo)}">Return to the application</a></p>`]
  return page('This connection is not possible', [`<p class="problem">${escaped(message)}</p>`, ...back])
}

function page(title: string, body: readonly string[], head = ''): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title)} – Keepsake</title>`,
    '<link rel="icon" href="data:,">',
    `<style>${style}</style>`,
    head,
    '</head>',
    '<body>',
    `<h1>${escaped(title)}</h1>`,
    ...body,
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}
