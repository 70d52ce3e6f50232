import { apiError } from "@bursar/api/errors/ApiError"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import type { Command } from "@bursar/core/engine/Command"
import { Writer } from "@bursar/core/engine/Writer"
import { activateSecret, disableEndpoint, enableEndpoint, stageSecret } from "@bursar/core/webhook/endpointCommands"
import type { WebhookEndpoint } from "@bursar/core/webhook/WebhookEndpoint"
import { Deliveries } from "@bursar/core/port/Deliveries"
import { Queries } from "@bursar/core/store/Queries"
import { SecretBox } from "@bursar/core/port/SecretBox"
import { Tenants } from "@bursar/core/port/Tenants"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { orUnavailable, submit } from "../../../refusals.ts"
import { findEndpoint, findTenant } from "../found.ts"
import { create } from "./create.ts"
import { makeSecret } from "./makeSecret.ts"
import { replays } from "./replay.ts"
import { stagedId } from "./stagedId.ts"
import { attemptToWire, toWire } from "./toWire.ts"

/** How far deliveries that wait are counted. */
const waitingMost = 100_000

const options = { uninterruptible: true }

interface Params {
  readonly params: { readonly tenant_id: string; readonly webhook_id: string }
}

/** The webhook endpoints of tenants, and what was delivered to them. Nothing is sent from here: the worker does that. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const writer = yield* Writer
    const queries = yield* Queries
    const deliveries = yield* Deliveries
    const tenants = yield* Tenants
    const box = yield* SecretBox
    const { ping, replay, resend } = yield* replays
    const change =
      (command: (id: string) => Command<WebhookEndpoint>) =>
      ({ params }: Params) =>
        Effect.map(submit(writer, TenantId(params.tenant_id), command(params.webhook_id)), toWire)

    return handlers.handleAll({
      create: { handler: yield* create, options },
      list: ({ params }) =>
        Effect.gen(function* () {
          const { id } = yield* findTenant(tenants, params.tenant_id)
          return { webhooks: (yield* orUnavailable(queries.endpoints(id))).map(toWire) }
        }),
      disable: { handler: change((id) => disableEndpoint(id, "disabled by an operator")), options },
      enable: { handler: change(enableEndpoint), options },
      rotate: {
        handler: ({ params, query }) =>
          Effect.gen(function* () {
            const tenantId = TenantId(params.tenant_id)
            const { sealed, secret } = yield* makeSecret(box, tenantId)
            const staged = query.replace === undefined ? "keep" : "replace"
            const endpoint = yield* submit(writer, tenantId, stageSecret(params.webhook_id, sealed, staged))
            return { ...toWire(endpoint), secret: Redacted.value(secret) }
          }),
        options
      },
      activateSecret: {
        handler: ({ params, query: { staged } }) =>
          Effect.gen(function* () {
            const endpoint = yield* findEndpoint(queries, params)
            if (staged !== undefined && stagedId(endpoint) !== staged)
              return yield* apiError("state_conflict", {
                message: "The new secret that waits is not the one that you were shown: look again."
              })
            // what waits now is activated, and nothing that takes its place meanwhile
            const seen = staged === undefined ? undefined : (endpoint.nextSecret ?? undefined)
            return toWire(yield* submit(writer, endpoint.tenantId, activateSecret(endpoint.id, seen)))
          }),
        options
      },
      resend: { handler: ({ params, payload }) => resend(params, payload.event_id), options },
      ping: { handler: ({ params }) => ping(params), options },
      replay: { handler: ({ params, payload }) => replay(params, payload.from_event_id, payload.to_event_id), options },
      attempts: ({ params, query }) =>
        Effect.gen(function* () {
          const { id, tenantId } = yield* findEndpoint(queries, params)
          const limit = query.limit ?? listLimits.operatorLists.default
          const attempts = yield* orUnavailable(deliveries.attempts(tenantId, id, limit))
          const waiting = yield* orUnavailable(deliveries.waiting(tenantId, id, waitingMost))
          return { attempts: attempts.map(attemptToWire), waiting }
        })
    })
  })
)
