import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { of } from "@bursar/core/money/Amount"
import type { Rate } from "@bursar/core/money/Rate"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { defaultPolicy, type TenantId, type TenantPolicy } from "@bursar/core/tenant/Tenant"
import { createWithdrawal, type WithdrawalRequest } from "@bursar/core/withdrawal/createWithdrawal"
import type { Destination } from "@bursar/core/destination/Destination"
import { proposeDestination, verifyDestination } from "@bursar/core/destination/destinationCommands"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { Clock, Effect } from "effect"
import { keyed, submit } from "../transfer/world.ts"

export { keyed, refusalOf, store, submit, wrong } from "../transfer/world.ts"

/** A dollar per unit, seen so long ago. */
export const dollar = (agedMs = 0) =>
  Effect.map(Clock.currentTimeMillis, (now): Rate => ({
    price: { units: 1n, decimals: 0 },
    source: "test",
    observedAt: now - agedMs
  }))

/** A tenant with 1,000,000 USDC_BASE at the custodian, whose destinations wait for nothing unless told otherwise. */
export const withdrawer = Effect.fn("withdrawer")(function* (policy: Partial<TenantPolicy> = {}) {
  const { id } = yield* newTenant({ policy: { ...defaultPolicy, destinationCoolingHours: 0, ...policy } })
  yield* submit(
    id,
    adjustFloat({ amount: of(1_000_000_000_000n, "USDC_BASE"), against: "custodian", reason: "funded" })
  )
  return id
})

/** Proposes a destination for USDC_BASE. */
export const proposed = (id: TenantId, address: string) =>
  submit(
    id,
    proposeDestination({ currency: "USDC_BASE", network: "base", address, memo: null, label: address, by: "alice" })
  )

/** A destination for USDC_BASE that was verified. */
export const verified = (id: TenantId, address: string): ReturnType<typeof proposed> =>
  Effect.flatMap(proposed(id, address), (destination: Destination) =>
    submit(id, verifyDestination(destination.id, "bob"))
  )

/** Asks for so many USDC_BASE; gives the operation, or the code of the refusal. */
export const withdraw = Effect.fnUntraced(function* (
  id: TenantId,
  units: bigint,
  more: Partial<WithdrawalRequest> = {}
) {
  const request: WithdrawalRequest = {
    amount: of(units, "USDC_BASE"),
    partnerReference: null,
    usd: yield* dollar(),
    provider: { name: "fake", environment: "LIVE" },
    madeBy: "maker",
    defaultFees: [],
    currencies: defaultCurrencies,
    ...more
  }
  return yield* keyed(id, createWithdrawal(request), "POST /v1/withdrawals")
})
