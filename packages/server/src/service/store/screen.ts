import type { UserScope } from '../../core/scope.js'
import type { Screened } from '../../guard/sanitize.js'
import type { Deps } from '../deps.js'
import type { Turns } from '../texts/fair-lane.js'
import { metadataTexts, screenTexts } from './screen-texts.js'
import type { StoreInput } from './store-input.js'

/** The content guard's verdict on every text of a store. @throws ServiceError where the guard rejects one. */
export function screen(deps: Deps, place: Turns, scope: UserScope, input: StoreInput): Promise<Screened> {
  const texts =
    'content' in input.text
      ? [{ path: 'content', text: input.text.content }]
      : input.text.messages.flatMap((message, index) => [
          { path: `messages[${index}].content`, text: message.content },
          ...(message.name === undefined ? [] : [{ path: `messages[${index}].name`, text: message.name }]),
        ])
  const source = input.source === undefined ? [] : [{ path: 'source', text: input.source }]
  const project = scope.project === undefined ? [] : [{ path: 'project', text: scope.project }]
  return screenTexts(deps, place, [...texts, ...source, ...project, ...metadataTexts(input.metadata)])
}
