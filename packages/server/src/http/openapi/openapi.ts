import { listEndpoints } from '../endpoints.js'
import { describeEndpoints } from './openapi-document.js'

/** The OpenAPI 3.0 document of the whole service, as served at `/openapi.json`. */
export function openApiDocument(version: string): object {
  return describeEndpoints(listEndpoints(version), version)
}
