import { operatorOpenApiDocument } from "@bursar/api/openapi/openApiDocument"
import { formats } from "@bursar/books/formats"
import { assert, it } from "@effect/vitest"

it("the document lists the type of every format of an export", () => {
  const documented = operatorOpenApiDocument().paths["/operator/v1/tenants/{tenant_id}/export"]?.get?.responses[200]
  const types = new Set(Object.values(formats).map(({ contentType }) => contentType))
  assert.sameMembers(Object.keys(documented?.content ?? {}), [...types])
})
