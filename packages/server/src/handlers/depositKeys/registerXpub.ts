import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import type { XpubIn } from "@bursar/api/wire/Xpub"
import { registerXpub as registerXpubCommand } from "@bursar/core/address/registerXpub"
import type { Xpub } from "@bursar/core/address/Xpub"
import type { Command } from "@bursar/core/engine/Command"
import { Refusal } from "@bursar/core/base/Refusal"
import { rejectWith } from "@bursar/core/engine/rejectWith"
import { Networks } from "@bursar/core/port/Networks"
import type { TenantKind } from "@bursar/core/tenant/Tenant"
import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { handleIdempotent } from "../../idempotency/handleIdempotent.ts"
import { showing } from "../addresses/showing.ts"
import { findNetwork } from "../network.ts"
import { toWire } from "./toWire.ts"

const commandOf = (
  networks: Networks["Service"],
  kind: TenantKind,
  { index_from, index_to, network, xpub }: XpubIn
): Command<Xpub> => {
  const found = findNetwork(networks, kind, network)
  if (Result.isFailure(found)) return rejectWith("RegisterXpub", found.failure)
  const adapter = found.success
  return Result.match(adapter.keys.parse(xpub), {
    onFailure: ({ code, message }): Command<Xpub> => rejectWith("RegisterXpub", new Refusal({ code, message })),
    onSuccess: ({ canonical }) =>
      registerXpubCommand({
        network,
        xpub,
        canonical,
        accountName: adapter.keys.accountKeyName(canonical),
        indexFrom: index_from,
        indexTo: index_to
      })
  })
}

/** POST /v1/deposit-xpubs: the account's key that the network's addresses are derived from. */
export const registerXpub = Effect.gen(function* () {
  const networks = yield* Networks
  const answer = yield* handleIdempotent
  const show = yield* showing
  return HttpApiBuilder.handler(PartnerApi, "depositKeys", "registerXpub", ({ endpoint, headers, payload }) =>
    Effect.gen(function* () {
      const { tenantId, tenantKind } = yield* Caller
      return yield* answer({
        endpoint,
        tenantId,
        keyHeader: headers["idempotency-key"],
        payload,
        prepare: () => Effect.succeed(commandOf(networks, tenantKind, payload)),
        render: toWire,
        resourceId: ({ id }) => id,
        // its id is that of the request
        registers: (changes) => changes,
        shows: show.ofXpub(tenantId, payload)
      })
    })
  )
})
