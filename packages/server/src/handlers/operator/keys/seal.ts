import { OperatorApi } from "@bursar/api/OperatorApi"
import { apiError } from "@bursar/api/errors/ApiError"
import type { ApiKey } from "@bursar/core/access/ApiKey"
import { sealApiKey } from "@bursar/core/access/tenantCommands"
import { Writer } from "@bursar/core/engine/Writer"
import { Tenants } from "@bursar/core/port/Tenants"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { sealOf } from "../../../keys/keySeal.ts"
import { orUnavailable, submit } from "../../../refusals.ts"
import { momentOf } from "../../../wire/moment.ts"
import { findTenant } from "../found.ts"
import { toWire } from "./toWire.ts"

interface Seen {
  readonly scopes?: string
  readonly expires_at?: string
}

const listed = (scopes: ReadonlyArray<string>): string => scopes.toSorted().join(",")

/** Whether a key says what somebody has seen of it: whoever writes to the database may have changed it since. */
const isAsSeen = ({ expiresAt, scopes }: ApiKey, { expires_at: until, scopes: seen }: Seen): boolean =>
  (seen === undefined || listed(scopes) === listed(seen.split(",").map((scope) => scope.trim()))) &&
  (until === undefined || expiresAt === (until === "never" ? null : momentOf(until)))

/** POST /operator/v1/tenants/{tenant_id}/keys/{key_id}/seal: binds what a key of an earlier version may do. */
export const seal = Effect.gen(function* () {
  const tenants = yield* Tenants
  const writer = yield* Writer
  const { keyPepper: pepper } = yield* ServerConfig
  return HttpApiBuilder.handler(OperatorApi, "keys", "seal", ({ params, query }) =>
    Effect.gen(function* () {
      const { id, kind } = yield* findTenant(tenants, params.tenant_id)
      const key = (yield* orUnavailable(tenants.keys(id))).find((one) => one.id === params.key_id)
      if (key === undefined) return yield* apiError("not_found")
      if (!isAsSeen(key, query))
        return yield* apiError("state_conflict", {
          message: "The key may do something else by now than you have seen. Find out who has changed it."
        })
      // the seal is that of the key as it was read: it is none of what the key becomes meanwhile
      return toWire(yield* submit(writer, id, sealApiKey(key.id, sealOf(pepper, { ...key, kind }))))
    })
  )
})
