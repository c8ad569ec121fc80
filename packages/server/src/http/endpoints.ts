/** Every route of the API. All of them are documented. Only `/mcp` and OAuth, which are other protocols, and the dashboard are served besides. */
import type { Endpoint } from './endpoint.js'
import { describeEndpoints } from './openapi/openapi-document.js'
import { consolidationEndpoint } from './routes/consolidation.js'
import { contradictionEndpoints } from './routes/contradictions.js'
import { documentationEndpoints } from './routes/documentation.js'
import { entityEndpoints } from './routes/entities.js'
import { eventEndpoints } from './routes/events.js'
import { grantEndpoints } from './routes/grants.js'
import { itemEndpoints } from './routes/items.js'
import { keyEndpoints } from './routes/keys.js'
import { memoryEndpoints } from './routes/memories.js'
import { mergeEndpoints } from './routes/merges.js'
import { operationEndpoints } from './routes/operations.js'
import { overviewEndpoints } from './routes/overview.js'
import { profileEndpoint } from './routes/profile.js'
import { recallEndpoint } from './routes/recall.js'
import { spaceEndpoints } from './routes/spaces.js'
import { storeEndpoint } from './routes/store.js'
import { storeBatchEndpoint } from './routes/store-batch.js'
import { temporalEndpoints } from './routes/temporal.js'
import { webhookEndpoints } from './routes/webhooks.js'

export function listEndpoints(version: string): readonly Endpoint[] {
  const endpoints: readonly Endpoint[] = [
    storeEndpoint,
    storeBatchEndpoint,
    recallEndpoint,
    profileEndpoint,
    ...memoryEndpoints,
    ...itemEndpoints,
    ...contradictionEndpoints,
    consolidationEndpoint,
    ...entityEndpoints,
    ...mergeEndpoints,
    ...temporalEndpoints,
    ...eventEndpoints,
    ...webhookEndpoints,
    ...spaceEndpoints,
    ...overviewEndpoints,
    ...keyEndpoints,
    ...grantEndpoints,
    ...operationEndpoints,
    ...documentationEndpoints(() => describeEndpoints(endpoints, version)),
  ]
  return endpoints
}
