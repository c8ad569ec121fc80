import { consolidate } from '../../service/consolidate.js'
import { scopeForCleanup, scopeIn } from '../access/caller-scope.js'
import { endpoint } from '../endpoint.js'
import { memoryExample } from '../openapi/examples.js'
import { consolidateAnswer, consolidateRequest } from '../schemas/consolidation.js'

export const consolidationEndpoint = endpoint({
  method: 'POST',
  path: '/consolidate',
  operationId: 'consolidate',
  summary: 'Preview or retire repeated memories and chatter',
  description:
    'Examines the newest 300 memories that are older than a day. Every retired memory is listed as a contradiction and comes back when that is reverted. An API key consolidates for its user, the master key for everyone or for one user_id.',
  tag: 'Contradictions',
  access: 'cleanup',
  needs: 'change',
  forApplications: 'all',
  limit: 'default',
  body: consolidateRequest,
  bodyOptional: true,
  answer: consolidateAnswer,
  example: {
    request: { dry_run: true },
    answer: {
      ...{ status: 'success', dry_run: true, examined: 2, has_more: false, merged: 0, retired: 0 },
      proposals: [
        {
          ...{ rule: 'chatter', user_id: 'alice', project: null },
          old: { id: memoryExample.id, content: 'lol ok thanks' },
          ...{ new: null, contradiction_id: null },
        },
      ],
    },
  },
  async handle({ deps, actor, caller, body }) {
    const { dry_run } = body
    const scope = await scopeIn({ deps, caller }, body, 'writer', scopeForCleanup)
    const found = await consolidate(deps, actor, scope, dry_run)
    // The master key reads no memories.
    const shown = ({ id, content }: { id: string; content: string }) =>
      caller.kind === 'master' ? { id } : { id, content }
    const done = (rule: string) => (dry_run ? 0 : found.proposals.filter((each) => each.rule === rule).length)
    return {
      status: 'success' as const,
      dry_run,
      examined: found.examined,
      has_more: found.hasMore,
      merged: done('repeated'),
      retired: done('chatter'),
      proposals: found.proposals.map(({ rule, memory, by, contradictionId }) => ({
        rule,
        user_id: memory.userId,
        project: memory.project,
        old: shown(memory),
        new: by && shown(by),
        contradiction_id: contradictionId,
      })),
    }
  },
})
