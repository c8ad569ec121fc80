/** Requests of application keys, which name the user they act for. */
import type { LimitedKind } from './limited-keys.js'
import { fieldsOf } from './operation-fields.js'
import type { Plan } from './plan.js'
import type { Random } from './random.js'

/**
 * The same request, on behalf of the user. A few requests name nobody, and with a prefix many name another user, outside the prefix, of
 * whom nothing may be shown.
 */
export function actingFor(plan: Plan, userId: string, otherId: string, kind: LimitedKind, random: Random): Plan {
  if (random.chance(0.1)) return withUser(plan, undefined)
  const isOutside = kind === 'application, prefix' && !otherId.startsWith(userId)
  return withUser(plan, isOutside && random.chance(0.6) ? otherId : userId)
}

/** Whether the request names a user, as the door sends it. */
export function namesUser(plan: Plan, door: string): boolean {
  const named = userIn(plan)
  return named !== undefined && (door === 'MCP' || !hasUserInPath(plan) || named !== 'me')
}

function userIn({ operation, id, query, body }: Plan): unknown {
  return query.user_id ?? body?.user_id ?? (operation.path.includes('{user_id}') ? id : undefined)
}

const hasUserInPath = ({ operation }: Plan) => operation.path.includes('{user_id}')

/** The same request in the name of this user, or of nobody. */
export function withUser(plan: Plan, userId: string | undefined): Plan {
  if (hasUserInPath(plan)) return { ...plan, id: userId ?? 'me' }
  const { user_id: _, ...query } = plan.query
  const { user_id: __, ...body } = plan.body ?? {}
  const fields = fieldsOf(plan.operation)
  const takes = (list: readonly { readonly name: string }[] | undefined) =>
    list?.some(({ name }) => name === 'user_id') ?? false
  // A deletion takes a body or a query, not both.
  const isInBody = plan.body !== undefined && Object.keys(plan.body).length > 0 && takes(fields.body)
  return {
    ...plan,
    query: userId === undefined || isInBody || !takes(fields.query) ? query : { ...query, user_id: userId },
    ...(plan.body === undefined
      ? {}
      : {
          body:
            userId !== undefined && (isInBody || !takes(fields.query)) && takes(fields.body)
              ? { ...body, user_id: userId }
              : body,
        }),
  }
}
