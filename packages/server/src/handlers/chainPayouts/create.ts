import type { ApiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { VerifiedSignature } from "@bursar/api/middleware/VerifiedSignature"
import { PartnerApi } from "@bursar/api/PartnerApi"
import type { CreateChainPayout } from "@bursar/api/wire/ChainPayout"
import type { Command } from "@bursar/core/engine/Command"
import { Refusal } from "@bursar/core/base/Refusal"
import { rejectWith } from "@bursar/core/engine/rejectWith"
import { belowMinimum } from "@bursar/core/money/refuseAmount"
import type { Operation } from "@bursar/core/operation/Operation"
import { createPayout } from "@bursar/core/payout/createPayout"
import { type PayoutOrder, readPayoutOrder } from "@bursar/core/payout/PayoutOrder"
import { adapterOf, Networks } from "@bursar/core/port/Networks"
import { refuseReach } from "@bursar/core/environment/reach"
import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { handleIdempotent } from "../../idempotency/handleIdempotent.ts"
import { marketData } from "../../marketData.ts"
import { toEvidence } from "../../signature/evidence.ts"
import { switchedOffNow } from "./terms.ts"
import { toWire } from "./toWire.ts"

/** POST /v1/chain-payouts: pays an address from the tenant's payout wallet. 201 says accepted, not sent. */
export const create = Effect.gen(function* () {
  const networks = yield* Networks
  const { currencies, defaultFees = [] } = yield* ServerConfig
  const switchedOff = yield* switchedOffNow
  const { usd } = yield* marketData
  const answer = yield* handleIdempotent

  /** Why the receiver cannot take it, as the chain stands now. A chain that cannot be read is no reason to refuse. */
  const unpayable = (order: PayoutOrder): Effect.Effect<Refusal | undefined> => {
    const { contract, memo, network, to, units } = order
    const { sender } = adapterOf(networks, network)
    return sender.preflight({ contract, memo, to, units }).pipe(
      Effect.map((found) => {
        if (found._tag === "Payable") return undefined
        const { code, message, minimum } = found
        const currency = currencies.byCode(order.currency)
        return code === "below_minimum" && minimum !== undefined && currency !== undefined
          ? belowMinimum(currency, minimum, message)
          : new Refusal({ code, message })
      }),
      Effect.catchTag("ChainError", (error) =>
        Effect.as(
          Effect.annotateLogs(Effect.logWarning("payout.preflight_failed"), { detail: error.message }),
          undefined
        )
      )
    )
  }

  const prepare = Effect.fnUntraced(function* (
    caller: Caller["Service"],
    verified: VerifiedSignature["Service"],
    payload: CreateChainPayout
  ): Effect.fn.Return<Command<Operation>, ApiError> {
    const { amount, destination, network, reference, tenant = null } = payload
    const request = { amount, network, destination: { address: destination.address, memo: destination.memo ?? null } }
    const read = readPayoutOrder(request, currencies, networks)
    if (Result.isFailure(read)) return rejectWith("CreatePayout", read.failure)
    const order = read.success
    // it is decided in the commit, too; here, so that no node is asked for a tenant of another environment
    const foreign = refuseReach({ kind: caller.tenantKind }, adapterOf(networks, order.network).traits)
    if (foreign !== undefined) return rejectWith("CreatePayout", foreign)
    const refused = yield* unpayable(order)
    if (refused !== undefined) return rejectWith("CreatePayout", refused)
    return createPayout({
      order,
      account: adapterOf(networks, order.network).accountOf?.(order.to) ?? order.to,
      reference,
      tenant,
      usd: yield* usd(order.currency),
      switchedOff: yield* switchedOff(order.network),
      evidence: toEvidence(verified),
      madeBy: caller.keyPrefix,
      defaultFees,
      currencies
    })
  })

  return HttpApiBuilder.handler(PartnerApi, "chainPayouts", "create", ({ endpoint, headers, payload }) =>
    Effect.gen(function* () {
      const caller = yield* Caller
      const verified = yield* VerifiedSignature
      return yield* answer({
        endpoint,
        tenantId: caller.tenantId,
        keyHeader: headers["idempotency-key"],
        payload,
        prepare: () => prepare(caller, verified, payload),
        render: (operation) => toWire(operation, currencies),
        resourceId: ({ id }) => id,
        leaves: true
      })
    })
  )
})
