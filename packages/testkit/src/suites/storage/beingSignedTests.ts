import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import type { Command } from "@bursar/core/engine/Command"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { cancelPayout } from "@bursar/core/payout/cancelPayout"
import { createPayout } from "@bursar/core/payout/createPayout"
import { Payout } from "@bursar/core/payout/Payout"
import { reservePayouts } from "@bursar/core/payout/reservePayouts"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import { purposes } from "@bursar/core/purposes"
import { Queries } from "@bursar/core/store/Queries"
import { defaultPolicy, type TenantId } from "@bursar/core/tenant/Tenant"
import { beginSigning, endSigning } from "@bursar/core/transaction/beingSigned"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { assert } from "@effect/vitest"
import { Clock, Effect, Result } from "effect"
import { keyed, newEvmAddress } from "../../fixtures/deposits.ts"
import { flatFee } from "../../fixtures/fees.ts"
import { newTenant } from "../../fixtures/tenants.ts"
import { TwoWriters } from "../harness.ts"
import type { StorageIt } from "./services.ts"

const network = "ethereum"
const units = 100_000_000n

/** A payout in a transaction of its own, of which nothing was signed. */
const reserved = Effect.gen(function* () {
  const { first } = yield* TwoWriters
  const queries = yield* Queries
  const { id } = yield* newTenant({ policy: { ...defaultPolicy, payoutLimitUsd: null, payoutReviewUsd: null } })
  const funding = { amount: of(10n * units, "USDT_ETH"), against: `chain:${network}:payouts`, reason: "t" } as const
  yield* first.submit(id, adjustFloat(funding))
  const own = { network, role: "PAYOUT", seedId: crypto.randomUUID(), index: 0, ...keyed(newEvmAddress()) } as const
  const wallet = yield* first.submit(id, addWallet(own, presetNetworks))
  const to = newEvmAddress()
  const contract = defaultCurrencies.byCode("USDT_ETH")?.asset?.contract ?? null
  const operation = yield* first.submit(
    id,
    createPayout({
      order: { network, currency: "USDT_ETH", contract, units, to, memo: null },
      account: to,
      reference: "r",
      tenant: null,
      usd: { price: { units: 1n, decimals: 6 }, source: "t", observedAt: yield* Clock.currentTimeMillis },
      switchedOff: null,
      evidence: { keyid: "k", signatureBase: "b", signature: "s", body: "e30=" },
      madeBy: "maker",
      defaultFees: [flatFee(0n, 6)],
      currencies: defaultCurrencies
    })
  )
  const payouts = [(yield* queries.record(id, Payout, operation.id)) ?? assert.fail("it is not stored")]
  const guard = { _tag: "Next", account: wallet, first: 7n } as const
  const transaction = yield* first.submit(id, reservePayouts({ wallet, payouts, guard }, presetNetworks))
  if (transaction === null) return assert.fail("nothing was reserved")
  const payout = (yield* queries.record(id, Payout, operation.id)) ?? assert.fail("it is not stored")
  return { id, payout, transaction }
})

/** What came of a command, or the code with which it was refused. */
const outcome = <A extends { readonly state: string } | { readonly _tag: string }>(
  writer: TwoWriters["Service"]["first"],
  tenantId: TenantId,
  command: Command<A>
) =>
  Effect.map(Effect.result(writer.submit(tenantId, command)), (done) => {
    if (Result.isFailure(done)) return done.failure._tag === "Refusal" ? done.failure.code : "failed"
    return "state" in done.success ? done.success.state : done.success._tag
  })

/** What the signer is asked for while somebody cancels it: one of the two comes first, and the other is told. */
export const beingSignedTests = (it: StorageIt, timeoutMs: number): void => {
  it.effect(
    "a payout is cancelled or the signer is asked for it, never both, whichever process is first",
    () =>
      Effect.gen(function* () {
        const { first, second } = yield* TwoWriters
        const queries = yield* Queries
        for (let round = 0; round < 5; round += 1) {
          const { id, payout, transaction } = yield* reserved
          const askedAt = yield* Clock.currentTimeMillis
          const pays = [payout.operationId]
          const cancelling = cancelPayout({ payout, transaction, askedAt, by: "ann", currencies: defaultCurrencies })
          const both = [
            outcome(first, id, cancelling),
            outcome(second, id, beginSigning({ transaction, pays, purposes }))
          ] as const
          const [cancelled, asked] = yield* Effect.all(both, { concurrency: "unbounded" })
          assert.include(["cancelled|stale", "state_conflict|Asked"], `${cancelled}|${asked}`)
          if (cancelled === "cancelled") continue
          // the other process reads it as it stands, and cancels it once the answer is there
          const current = yield* queries.record(id, OutboundTransaction, transaction.id)
          if (current?.signingUntil == null) return assert.fail("it is not being signed")
          assert.strictEqual(yield* outcome(first, id, cancelling), "state_conflict")
          yield* second.submit(
            id,
            endSigning({ transaction: current, until: current.signingUntil, earlier: null, purposes })
          )
          assert.strictEqual(yield* outcome(first, id, cancelling), "cancelled")
        }
        return undefined
      }),
    timeoutMs
  )
}
