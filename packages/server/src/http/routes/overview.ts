import { isoTimestamp, msPerDay } from '../../core/clock.js'
import { activity, listProjects, listUsers } from '../../service/overview.js'
import { scopeForReading, scopeIn } from '../access/caller-scope.js'
import { endpoint } from '../endpoint.js'
import {
  activityAnswer,
  activityQuery,
  projectsAnswer,
  projectsQuery,
  usersAnswer,
  usersQuery,
} from '../schemas/overview.js'

const users = endpoint({
  method: 'GET',
  path: '/users',
  operationId: 'listUsers',
  summary: 'List the users who have memories',
  description: 'By id. Needs the master key while authentication is on. Shows no memory.',
  tag: 'Keys',
  access: 'metrics',
  limit: 'default',
  query: usersQuery,
  answer: usersAnswer,
  example: { answer: { users: [{ user_id: 'ana', memories: 3 }], total: 1, page: 1, limit: 50 } },
  async handle({ deps, query }) {
    const { q, limit, page = 1 } = query
    const { items, total } = await listUsers(deps, {
      limit,
      offset: (page - 1) * limit,
      ...(q === undefined ? {} : { q }),
    })
    return { users: items.map(({ userId, memories }) => ({ user_id: userId, memories })), total, page, limit }
  },
})

const projects = endpoint({
  method: 'GET',
  path: '/projects',
  operationId: 'listProjects',
  summary: 'List the projects of a user',
  tag: 'Memories',
  access: 'user',
  needs: 'read',
  forApplications: 'all',
  limit: 'default',
  query: projectsQuery,
  answer: projectsAnswer,
  example: { answer: { projects: [{ name: 'work', memories: 3 }] } },
  async handle({ deps, caller, query }) {
    const scope = await scopeIn({ deps, caller }, query, 'reader', scopeForReading)
    return { projects: await listProjects(deps, scope) }
  },
})

const perDay = endpoint({
  method: 'GET',
  path: '/temporal/activity',
  operationId: 'getActivity',
  summary: 'Get how many memories were created per day',
  description: 'Superseded memories count on the day they were created; erased ones do not count.',
  tag: 'Time',
  access: 'user',
  needs: 'read',
  forApplications: 'all',
  limit: 'default',
  query: activityQuery,
  answer: activityAnswer,
  example: { answer: { days: [{ day: '2026-11-16', created: 3 }] } },
  async handle({ deps, caller, query }) {
    const scope = await scopeIn({ deps, caller }, query, 'reader', scopeForReading)
    const days = await activity(deps, scope)
    return { days: days.map(({ day, created }) => ({ day: isoTimestamp(day * msPerDay).slice(0, 10), created })) }
  },
})

export const overviewEndpoints = [users, projects, perDay]
