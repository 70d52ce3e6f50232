import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { Payout } from "@bursar/core/payout/Payout"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { emptyState } from "@bursar/memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork } from "../fakeNetwork.ts"
import {
  allOver,
  ledgerHolds,
  mineUntil,
  operationsOf,
  pay,
  payer,
  processOver,
  receiver,
  sending,
  timesPaid
} from "./world.ts"

/** The ports of reading, where what somebody has written into the rows of a tenant cannot be read: every read that comes by one fails. */
const unreadable = (whose: TenantId, what: string): Effect.Effect<Queries["Service"], never, Queries> =>
  Effect.map(Queries, (queries) => {
    const isBroken = (tenantId: TenantId, name: string) => tenantId === whose && name === what
    const failing = Effect.die(new Error("the database gave string where a moment was expected"))
    return Queries.of({
      ...queries,
      operation: (tenantId, id) => (isBroken(tenantId, "Operation") ? failing : queries.operation(tenantId, id)),
      record: (tenantId, of, key) => (isBroken(tenantId, of.name) ? failing : queries.record(tenantId, of, key)),
      records: (tenantId, of, group) => (isBroken(tenantId, of.name) ? failing : queries.records(tenantId, of, group))
    })
  })

describe("a row that somebody has made unreadable", () => {
  for (const what of ["Operation", Payout.name, OutboundTransaction.name, TransactionAttempt.name, PayoutWallet.name]) {
    it.effect(`keeps the payouts of its tenant, and nobody else's (${what})`, () => {
      const fake = fakeNetwork({ network: "ethereum" })
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const { id: broken } = yield* payer("ethereum", fake)
        const { id: whole } = yield* payer("ethereum", fake, 0, "0x00000000000000000000000000000000000000A1")
        const stuck = yield* pay(broken, "ethereum", 1)
        const made = yield* pay(whole, "ethereum", 2)
        yield* Effect.forkScoped(Effect.provideServiceEffect(sending(fake), Queries, unreadable(broken, what)))
        yield* mineUntil(fake, "the other's payout is over", allOver(whole, [made]), 60)
        assert.strictEqual(timesPaid(fake, receiver("ethereum", 2)), 1)
        // it may be sent before it is wanted again, and is never sent twice
        assert.isAtMost(timesPaid(fake, receiver("ethereum", 1)), 1)
        assert.notStrictEqual((yield* operationsOf(broken, [stuck]))[0]?.status, "FAILED")
        yield* ledgerHolds(broken)
        yield* ledgerHolds(whole)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })
  }
})
