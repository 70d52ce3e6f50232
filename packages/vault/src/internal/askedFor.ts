import { CreateChainPayout } from "@bursar/api/wire/ChainPayout"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { type PayoutOrder, readPayoutOrder } from "@bursar/core/payout/PayoutOrder"
import type { Networks } from "@bursar/core/port/Networks"
import type { SigningRequest } from "@bursar/core/port/TransactionSigner"
import { namesTenant } from "@bursar/core/tenant/namesTenant"
import type { Tenant } from "@bursar/core/tenant/Tenant"
import { Effect, Option, Result, Schema } from "effect"
import { jsonOf } from "./jsonOf.ts"
import { type Proving, provenRequest } from "./provenRequest.ts"

/** What a signed request for a chain payout is read with. */
export interface Reading extends Proving {
  readonly tenant: Tenant
  readonly currencies: CurrencyTable
  readonly networks: Networks["Service"]
}

const decodeBody = Schema.decodeUnknownOption(CreateChainPayout)

/** What a request asks for, where it is a request for a chain payout that a key of the tenant has signed; else says in words why it counts for nothing (`provenRequest`). */
export const askedFor = Effect.fnUntraced(function* (
  evidence: SigningRequest,
  { currencies, isOurs, networks, signingKeys, tenant }: Reading
): Effect.fn.Return<Result.Result<PayoutOrder, string>> {
  const proven = yield* provenRequest(evidence, { signingKeys, isOurs }, "/v1/chain-payouts")
  if (Result.isFailure(proven)) return Result.fail(proven.failure)
  const request = decodeBody(jsonOf(proven.success.body))
  if (Option.isNone(request)) return Result.fail("the signed body is no request for a chain payout")
  const { amount, destination, network, tenant: guard } = request.value
  if (guard !== undefined && guard !== null && !namesTenant(guard, tenant)) {
    return Result.fail("the signed request is meant for another tenant")
  }
  const order = readPayoutOrder(
    { amount, network, destination: { address: destination.address, memo: destination.memo ?? null } },
    currencies,
    networks
  )
  return Result.mapError(order, ({ message }) => message)
})
