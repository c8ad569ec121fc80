/** Documents with which a client finds its way from `/mcp` to the endpoints of OAuth. */
import type { OAuth } from '../../service/oauth/oauth.js'

/** RFC 9728 puts the path of the resource behind the well-known prefix. */
export const protectedResourcePath = '/.well-known/oauth-protected-resource/mcp'
/** Everything that MCP offers: there are no narrower scopes. */
export const scope = 'memories'

/** RFC 9728. */
export function protectedResource({ issuer, resource }: OAuth) {
  return {
    resource,
    authorization_servers: [issuer],
    scopes_supported: [scope],
    bearer_methods_supported: ['header'],
    resource_name: 'Keepsake',
  }
}

export const paths = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
} as const

/** RFC 8414. */
export function authorizationServer({ issuer }: OAuth) {
  return {
    issuer,
    authorization_endpoint: `${issuer}${paths.authorize}`,
    token_endpoint: `${issuer}${paths.token}`,
    registration_endpoint: `${issuer}${paths.register}`,
    revocation_endpoint: `${issuer}${paths.revoke}`,
    scopes_supported: [scope],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  }
}
