import { apiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { canonicalHash } from "@bursar/core/payout/PayoutEvidence"
import { Networks } from "@bursar/core/port/Networks"
import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { refusalError } from "../../refusals.ts"
import { amountIn } from "../../wire/amountIn.ts"
import { findNetwork } from "../network.ts"
import { Refusal } from "@bursar/core/base/Refusal"

const unsupported = (message: string) => new Refusal({ code: "unsupported_asset", message })

const noHash = () =>
  apiError("invalid_request", {
    fields: [{ path: "body.tx_hash", code: "invalid_request", message: "Expected 32 bytes in hexadecimal." }]
  })

/** POST /v1/payments/proof: what the chain itself says of a payment. Reads, and writes nothing. */
export const prove = Effect.gen(function* () {
  const networks = yield* Networks
  const { currencies } = yield* ServerConfig
  return HttpApiBuilder.handler(PartnerApi, "withdrawals", "prove", ({ payload }) =>
    Effect.gen(function* () {
      const { amount: wanted, destination, memo = null, rail, senders: from, tx_hash: given } = payload
      const found = findNetwork(networks, (yield* Caller).tenantKind, rail.network)
      if (Result.isFailure(found)) return yield* refusalError(found.failure)
      const adapter = found.success
      const currency = currencies.byCode(rail.currency)
      if (currency?.asset?.network !== rail.network)
        return yield* refusalError(unsupported(`${rail.currency} is not a currency of ${rail.network}.`))
      // as the network writes it: a sender denies for good what it cannot read as a hash
      const txHash = canonicalHash(adapter.traits, given)
      if (txHash === undefined) return yield* noHash()
      const parsed = amountIn(currencies, wanted)
      if (Result.isFailure(parsed)) return yield* refusalError(parsed.failure)
      if (parsed.success.currency !== currency.code)
        return yield* refusalError(unsupported("The amount is of another currency than the rail."))
      const addresses = Result.all([destination, ...from].map((address) => adapter.parseAddress(address)))
      if (Result.isFailure(addresses))
        return yield* refusalError(new Refusal({ code: "address_invalid", message: addresses.failure }))
      const [to = destination, ...canonicalSenders] = addresses.success
      const proof = yield* adapter.sender.prove({
        txHash,
        contract: currency.asset.contract,
        units: parsed.success.units,
        to,
        senders: canonicalSenders,
        memo
      })
      if (proof.verdict === "PROVEN") return { verdict: proof.verdict, detail: proof.detail, reason: null }
      // partners are told that the chain does not say yet, in the word that they know
      const verdict = proof.verdict === "NOT_FINAL" ? "UNREADABLE" : proof.verdict
      return { verdict, detail: null, reason: proof.reason }
    })
  )
})
