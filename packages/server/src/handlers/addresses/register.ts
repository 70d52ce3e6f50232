import { Limits } from "@bursar/api/Limits"
import { Caller } from "@bursar/api/middleware/Caller"
import { VerifiedSignature } from "@bursar/api/middleware/VerifiedSignature"
import { PartnerApi } from "@bursar/api/PartnerApi"
import type { AddressIn, RegistrationResult } from "@bursar/api/wire/AddressRegistration"
import {
  type AddressItem,
  type ItemRefusal,
  type ItemResult,
  namedByRequest,
  registerAddresses
} from "@bursar/core/address/registerAddresses"
import { Networks } from "@bursar/core/port/Networks"
import type { TenantKind } from "@bursar/core/tenant/Tenant"
import { Effect, Option, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { handleIdempotent } from "../../idempotency/handleIdempotent.ts"
import { findNetwork } from "../network.ts"
import { momentOf } from "../../wire/moment.ts"
import { showing } from "./showing.ts"
import { type AddressContext, addressContext, toWire } from "./toWire.ts"

const refused = (code: ItemRefusal["code"], message: string): ItemRefusal => ({ _tag: "Refused", code, message })

const toItem =
  (networks: Networks["Service"], kind: TenantKind) =>
  (given: AddressIn): AddressItem | ItemRefusal => {
    const { address, network, reference, watch_from, watch_from_block } = given
    const found = findNetwork(networks, kind, network)
    if (Result.isFailure(found)) {
      const { code, message } = found.failure
      return refused(code === "product_not_enabled" ? code : "unknown_network", message)
    }
    // nothing of a length that no address has is decoded
    if (address.length > Limits.addressLengthMax)
      return refused("address_invalid", `An address has at most ${Limits.addressLengthMax} characters.`)
    if (address.includes("\u0000")) return refused("address_invalid", "An address holds no NUL character.")
    const adapter = found.success
    return Result.match(adapter.parseAddress(address), {
      onFailure: (reason) => refused("address_invalid", reason),
      onSuccess: (canonical): AddressItem => ({
        _tag: "Valid",
        network,
        address: canonical,
        keys: adapter.keys.keysOf(canonical),
        reference,
        watchFrom: watch_from === undefined || watch_from === null ? null : momentOf(watch_from),
        watchFromBlock: watch_from_block ?? null
      })
    })
  }

const resultToWire =
  (context: AddressContext) =>
  (result: ItemResult, index: number): RegistrationResult =>
    result.status === "refused"
      ? {
          index,
          status: "refused",
          address: null,
          error: { code: result.refusal.code, message: result.refusal.message }
        }
      : { index, status: result.status, address: toWire(result.address, context), error: null }

/** POST /v1/deposit-addresses: registers a batch; each item ends on its own. */
export const register = Effect.gen(function* () {
  const networks = yield* Networks
  const answer = yield* handleIdempotent
  const show = yield* showing
  const context = yield* addressContext
  return HttpApiBuilder.handler(PartnerApi, "depositAddresses", "register", ({ endpoint, headers, payload }) =>
    Effect.gen(function* () {
      const { tenantId, tenantKind } = yield* Caller
      const items = payload.addresses.map(toItem(networks, tenantKind))
      const valid = items.flatMap((item) => (item._tag === "Valid" ? item.address : []))
      const signature = yield* Effect.serviceOption(VerifiedSignature)
      return yield* answer({
        endpoint,
        tenantId,
        keyHeader: headers["idempotency-key"],
        payload,
        prepare: () =>
          Option.isSome(signature)
            ? Effect.map(show.replaceable(tenantId, valid), (replaceable) =>
                registerAddresses(items, { networks: context.networks, keyid: signature.value.keyid, replaceable })
              )
            : Effect.succeed(registerAddresses(items)),
        registers: namedByRequest,
        render: (results) => ({ results: results.map(resultToWire(context)) }),
        shows: show.ofRequest(
          tenantId,
          items.map((item) => (item._tag === "Valid" ? item : undefined))
        )
      })
    })
  )
})
