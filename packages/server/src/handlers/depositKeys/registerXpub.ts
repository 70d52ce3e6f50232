import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import type { XpubIn } from "@bursar/api/wire/Xpub"
import { registerXpub as registerXpubCommand } from "@bursar/core/address/registerXpub"
import type { Xpub } from "@bursar/core/address/Xpub"
import type { Command } from "@bursar/core/engine/Command"
import { Refusal } from "@bursar/core/base/Refusal"
import { rejectWith } from "@bursar/core/engine/rejectWith"
import type { Network } from "@bursar/core/money/Network"
import { AddressFormats } from "@bursar/core/port/AddressFormats"
import { Derivations } from "@bursar/core/port/Derivations"
import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { handleIdempotent } from "../../idempotency/handleIdempotent.ts"
import { switchedOn, unknownNetwork } from "../network.ts"
import { toWire } from "./toWire.ts"

/** The endpoint as claims name it, and the status of its success. */
export const xpubEndpoint = { name: "POST /v1/deposit-xpubs", path: "/v1/deposit-xpubs", status: 200 } as const

const commandOf = (
  derivations: Derivations["Service"],
  enabled: ReadonlyArray<Network>,
  { index_from, index_to, network: name, xpub }: XpubIn
): Command<Xpub> => {
  const network = switchedOn(enabled, name)
  if (network === undefined) return rejectWith("RegisterXpub", unknownNetwork(name))
  return Result.match(derivations.parse(network, xpub), {
    onFailure: ({ code, message }): Command<Xpub> => rejectWith("RegisterXpub", new Refusal({ code, message })),
    onSuccess: ({ canonical }) =>
      registerXpubCommand({ network, xpub, canonical, indexFrom: index_from, indexTo: index_to })
  })
}

/** POST /v1/deposit-xpubs: the account's key that the network's addresses are derived from. */
export const registerXpub = Effect.gen(function* () {
  const derivations = yield* Derivations
  const { enabled } = yield* AddressFormats
  const answer = yield* handleIdempotent
  return HttpApiBuilder.handler(PartnerApi, "depositKeys", "registerXpub", ({ headers, payload }) =>
    Effect.gen(function* () {
      const { tenantId } = yield* Caller
      return yield* answer({
        tenantId,
        keyHeader: headers["idempotency-key"],
        endpoint: xpubEndpoint.name,
        path: xpubEndpoint.path,
        payload,
        status: xpubEndpoint.status,
        command: commandOf(derivations, enabled, payload),
        render: toWire,
        resourceId: ({ id }) => id
      })
    })
  )
})
