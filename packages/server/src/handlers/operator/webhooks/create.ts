import { apiError } from "@bursar/api/errors/ApiError"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { isEventKind } from "@bursar/api/webhook/eventKinds"
import { Writer } from "@bursar/core/engine/Writer"
import { addEndpoint } from "@bursar/core/webhook/endpointCommands"
import { SecretBox } from "@bursar/core/port/SecretBox"
import { Tenants } from "@bursar/core/port/Tenants"
import type { TenantKind } from "@bursar/core/tenant/Tenant"
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { submit } from "../../../refusals.ts"
import { findTenant, invalidField } from "../found.ts"
import { makeSecret } from "./makeSecret.ts"
import { toWire } from "./toWire.ts"

/** What is wrong with a URL to deliver to, in words. Where it leads is checked each time that something is sent. */
const urlProblem = (text: string, kind: TenantKind): string | undefined => {
  if (!URL.canParse(text)) return "Expected an absolute URL."
  const url = new URL(text)
  if (url.protocol !== "https:" && !(kind === "SANDBOX" && url.protocol === "http:")) return "Expected an https URL."
  if (url.username !== "" || url.password !== "") return "A URL with a user name or password is not taken."
  return url.hash === "" ? undefined : "A URL with a fragment is not taken."
}

/** POST /operator/v1/tenants/{tenant_id}/webhooks: an endpoint for the events from now on; its secret is shown once. */
export const create = Effect.gen(function* () {
  const tenants = yield* Tenants
  const writer = yield* Writer
  const box = yield* SecretBox
  return HttpApiBuilder.handler(OperatorApi, "webhooks", "create", ({ params, payload }) =>
    Effect.gen(function* () {
      const { id, kind } = yield* findTenant(tenants, params.tenant_id)
      const problem = urlProblem(payload.url, kind)
      if (problem !== undefined) return yield* invalidField("url", problem)
      const kinds = payload.kinds?.filter(isEventKind) ?? null
      if (kinds !== null && kinds.length !== payload.kinds?.length) return yield* apiError("unknown_kind")
      const { sealed, secret } = yield* makeSecret(box, id)
      const endpoint = yield* submit(writer, id, addEndpoint({ url: payload.url, kinds, secret: sealed }))
      return { ...toWire(endpoint), secret: Redacted.value(secret) }
    })
  )
})
