import { purposes } from "@bursar/core/purposes"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { type ProvisioningCheck, recordProvisioning } from "@bursar/core/provisioning/recordProvisioning"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import type { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { releaseTransaction } from "@bursar/core/transaction/releaseTransaction"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { finalOf, signed, store, submit, withStatus } from "../payout/world.ts"
import { codeOf, hourMs, isDue, making, network, provisioningOf, ready, tenant } from "./world.ts"

const found = (id: TenantId, ...checks: ReadonlyArray<ProvisioningCheck>) =>
  submit(id, recordProvisioning({ network, family: network, checks, nextAt: hourMs }))

const lacking = (problem: string | null): ProvisioningCheck => ({
  ...ready("G-1", "CHANNEL"),
  ready: false,
  problem
})

describe("how accounts are found", () => {
  it.effect("is told where it has changed, with since when an account is ready or is not", () =>
    Effect.gen(function* () {
      const { id } = yield* tenant
      const told = Effect.fnUntraced(function* (at: number, check: ProvisioningCheck) {
        yield* TestClock.setTime(at)
        const changed = yield* found(id, ready("G-0", "PAYOUT"), check)
        return [changed.map(({ address }) => address), (yield* provisioningOf(id, "G-1"))?.since]
      })
      assert.deepStrictEqual(yield* told(10, lacking("it needs coin")), [["G-0", "G-1"], 10])
      assert.deepStrictEqual(yield* told(20, lacking("it needs coin")), [[], 10])
      assert.deepStrictEqual(yield* told(30, lacking("it needs more coin")), [["G-1"], 10])
      assert.deepStrictEqual(yield* told(40, ready("G-1", "CHANNEL")), [["G-1"], 40])
      assert.deepStrictEqual(yield* told(50, ready("G-1", "CHANNEL")), [[], 40])
      assert.deepStrictEqual(yield* told(60, lacking(null)), [["G-1"], 60])
      assert.strictEqual((yield* provisioningOf(id, "G-1"))?.checkedAt, 60)
    }).pipe(Effect.provide(store))
  )

  it.effect("is left as it was of an account that the chain was not asked about", () =>
    Effect.gen(function* () {
      const { id } = yield* tenant
      yield* found(id, ready("G-0", "PAYOUT"), lacking("it needs coin"))
      const before = yield* provisioningOf(id, "G-1")
      yield* TestClock.setTime(1_000)
      yield* found(id, ready("G-0", "PAYOUT"), { ...ready("G-1", "CHANNEL"), asked: false })
      assert.deepStrictEqual(yield* provisioningOf(id, "G-1"), before)
      assert.isFalse(yield* isDue(id, 1_000), "and none was missed")
    }).pipe(Effect.provide(store))
  )

  it.effect("keeps how many steps have failed until the account is ready", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* tenant
      const first = yield* signed(id, yield* submit(id, making({ wallet })), "hash-1")
      yield* withStatus(id, first, finalOf("hash-1", "reverted"))
      yield* TestClock.setTime(500)
      yield* submit(id, making({ wallet, after: first.id, succeeded: false, first: 8n }))
      assert.deepInclude(yield* provisioningOf(id, "G-1"), { failures: 1, since: 0 })
      yield* found(id, lacking("it needs coin"))
      assert.strictEqual((yield* provisioningOf(id, "G-1"))?.failures, 1)
      yield* found(id, ready("G-1", "CHANNEL"))
      assert.strictEqual((yield* provisioningOf(id, "G-1"))?.failures, 0)
    }).pipe(Effect.provide(store))
  )
})

describe("a step for an account", () => {
  it.effect("follows the one before it, and names the tenant's own wallet", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* tenant
      const first = yield* signed(id, yield* submit(id, making({ wallet })), "hash-1")
      yield* withStatus(id, first, finalOf("hash-1"))
      assert.strictEqual(yield* codeOf(id, making({ wallet, first: 8n })), "stale", "that was made since")
      assert.strictEqual(yield* codeOf(id, making({ wallet, after: "another", first: 8n })), "stale")
      const theirs = { wallet: { ...wallet, id: "nowhere" }, channel: wallet, after: first.id, first: 8n }
      assert.strictEqual(yield* codeOf(id, making(theirs)), "stale")
      yield* TestClock.setTime(700)
      yield* found(id, ready("G-1", "CHANNEL"))
      yield* submit(id, making({ wallet, after: first.id, first: 8n }))
      assert.deepInclude(yield* provisioningOf(id, "G-1"), { ready: false, since: 700 })
    }).pipe(Effect.provide(store))
  )

  it.effect("that lacked coin doubts nobody where it used the wallet's own number, or the lender is not ready", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000)
      const { channel, id, wallet } = yield* tenant
      const outcome = { _tag: "Requeue", reason: "insufficient_wallet", detail: "", at: 1_000, alone: false } as const
      let after: string | null = null
      const step = { wallet, address: "G-issuing", role: "ISSUING" } as const
      const given = Effect.fnUntraced(function* (lender?: typeof channel) {
        const transaction: OutboundTransaction = yield* submit(
          id,
          making({ ...step, after, ...(lender && { channel: lender }) })
        )
        yield* submit(id, releaseTransaction({ transaction, outcome, currencies: defaultCurrencies, purposes }))
        after = transaction.id
      })
      yield* given(channel)
      assert.isUndefined(yield* provisioningOf(id, "G-1"), "nobody has looked at it yet")
      yield* found(id, ready("G-0", "PAYOUT"), ready("G-1", "CHANNEL"))
      yield* given()
      assert.strictEqual((yield* provisioningOf(id, "G-0"))?.ready, true)
      assert.isFalse(yield* isDue(id, 1_000))
      yield* found(id, ready("G-0", "PAYOUT"), lacking("it needs coin"))
      yield* TestClock.setTime(2_000)
      yield* given(channel)
      assert.strictEqual((yield* provisioningOf(id, "G-1"))?.since, 1_000)
      assert.isFalse(yield* isDue(id, 2_000))
    }).pipe(Effect.provide(store))
  )
})
