import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Rate } from "@bursar/core/money/Rate"
import { createPayout } from "@bursar/core/payout/createPayout"
import type { Payee } from "@bursar/core/port/FiatProvider"
import { Queries } from "@bursar/core/store/Queries"
import { reviewOperation, type Verdict } from "@bursar/core/review/reviewOperation"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { createTransfer, type TransferRequest } from "@bursar/core/transfer/createTransfer"
import { payee } from "@bursar/testkit/fixtures/people"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import type { TenantPolicy } from "@bursar/core/tenant/Tenant"
import { assert } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { payer as chainPayer, request, usdt } from "../payout/world.ts"
import { keyed, submit, baseRequest } from "../transfer/world.ts"
import { Usage } from "@bursar/core/limit/Usage"

const millions = 10_000_000_00n

/** A tenant with plenty of EUR at the bank, USDC at the custodian and USDT in a payout wallet; a euro is a dollar. */
export const payer = Effect.fn("payer")(function* (policy: Partial<TenantPolicy> = {}) {
  const { id } = yield* chainPayer({ destinationCoolingHours: 0, ...policy })
  const fund = (units: bigint, currency: string, against: "bank" | "custodian" | "chain:ethereum:payouts") =>
    submit(id, adjustFloat({ amount: of(units, currency), against, reason: "funded" }))
  yield* fund(millions, "EUR", "bank")
  yield* fund(millions * 10_000n, "USDC_BASE", "custodian")
  yield* fund(millions * 10_000n, "USDC_BASE", "bank")
  yield* fund(millions * 10_000n, "USDT_ETH", "chain:ethereum:payouts")
  return id
})

/** A dollar per unit, seen now. */
export const dollar = Effect.map(Clock.currentTimeMillis, (now): Rate => ({
  price: { units: 1n, decimals: 0 },
  source: "test",
  observedAt: now
}))

/** An account of its own for each number. */
export const accountOf = (n: number): Payee => ({ ...payee, iban: `PT5000${String(n).padStart(19, "0")}` })

/** Asks for a bank transfer of so many cents of EUR; gives the operation, or the code of the refusal. */
export const bank = Effect.fnUntraced(function* (id: TenantId, cents: bigint, more: Partial<TransferRequest> = {}) {
  const usd = yield* dollar
  return yield* keyed(id, createTransfer(baseRequest({ amount: of(cents, "EUR"), usd, ...more })))
})

/** Asks for a chain payout of so many cents' worth of USDT. */
export const chain = Effect.fnUntraced(function* (id: TenantId, cents: bigint, to?: string) {
  const order = usdt({ units: cents * 10_000n, ...(to !== undefined && { to }) })
  const command = createPayout(yield* request({ order, account: order.to, defaultFees: [] }))
  return yield* keyed(id, command, "POST /v1/chain-payouts")
})

/** An operation that has to be there. */
export const found = Effect.fnUntraced(function* (id: TenantId, operationId: string) {
  return (yield* (yield* Queries).operation(id, operationId)) ?? assert.fail("there is no such operation")
})

/** An operator's word; the operation, or the code of the refusal. */
export const decide = Effect.fnUntraced(function* (
  id: TenantId,
  operationId: string,
  verdict: Verdict,
  by = "checker"
) {
  const operation = yield* found(id, operationId)
  const command = reviewOperation({ operation, verdict, by, reason: null, currencies: defaultCurrencies })
  return yield* Effect.catchTag(submit(id, command), "Refusal", ({ code }) => Effect.succeed(code))
})

/** What was used of a limit in the buckets that are kept. */
export const kept = Effect.fnUntraced(function* (id: TenantId, scope: string) {
  const usage = yield* (yield* Queries).record(id, Usage, scope)
  return (usage?.buckets ?? []).reduce((sum, { cents }) => sum + cents, 0n)
})
