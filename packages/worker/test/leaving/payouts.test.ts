import { payoutPhase } from "@bursar/testkit/fixtures/payoutPhase"
import { of } from "@bursar/core/money/Amount"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { awaitsReview, reviewOf } from "@bursar/core/operation/Review"
import { waitsOf } from "@bursar/core/operation/waits"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { switchNetwork } from "@bursar/core/payout/switchNetwork"
import { Queries } from "@bursar/core/store/Queries"
import { reviewOperation } from "@bursar/core/review/reviewOperation"
import { addSigningKey, revokeSigningKey } from "@bursar/core/signature/signingKeyCommands"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { addApiKey, setTenantPolicy, setTenantStatus } from "@bursar/core/access/tenantCommands"
import { emptyState } from "@bursar/memory"
import { fakeNetwork } from "../fakeNetwork.ts"
import { fundByDeposit } from "@bursar/testkit/fixtures/funding"
import { apiKeyFields } from "@bursar/testkit/fixtures/keys"
import { rewriteKind } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Place } from "@bursar/testkit/fixtures/Places"
import {
  allOver,
  assets,
  ledgerHolds,
  mineUntil,
  pay,
  payer,
  processOver,
  receiver,
  sending,
  submit,
  tick,
  timesPaid
} from "../transactions/world.ts"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { Payout } from "@bursar/core/payout/Payout"

const network = "ethereum"

const currency = assets[network]

/** What a process offers. */
type Ports = Layer.Success<ReturnType<typeof processOver>>

interface Trouble {
  readonly what: string
  readonly reason: string
  readonly begin: (
    id: TenantId,
    reorg: Effect.Effect<unknown, unknown, Ports>
  ) => Effect.Effect<unknown, unknown, Ports>
  /** Null where only a person can let it go on. */
  readonly end: ((id: TenantId) => Effect.Effect<unknown, unknown, Ports>) | null
}

const switching = (payoutsOff: boolean) =>
  submit(fleetTenantId, switchNetwork(network, payoutsOff ? "the node is doubted" : null, "ann"))

const troubles: ReadonlyArray<Trouble> = [
  {
    what: "the deposit that funded it is reorged away",
    reason: "float_overdrawn",
    begin: (_, reorg) => reorg,
    end: (id) => submit(id, adjustFloat({ amount: of(1_000_000n, currency), against: "custodian", reason: "covered" }))
  },
  {
    what: "the tenant is suspended",
    reason: "tenant_not_active",
    begin: (id) => submit(id, setTenantStatus("SUSPENDED")),
    end: (id) => submit(id, setTenantStatus("ACTIVE"))
  },
  {
    what: "somebody changes the tenant's kind in the database",
    reason: "other_environment",
    begin: (id) => submit(id, rewriteKind("SANDBOX")),
    end: (id) => submit(id, rewriteKind("LIVE"))
  },
  {
    what: "payouts are switched off",
    reason: "switched_off",
    begin: (id) => submit(id, setTenantPolicy({ payoutsEnabled: false })),
    end: (id) => submit(id, setTenantPolicy({ payoutsEnabled: true }))
  },
  {
    what: "the network is switched off for everybody",
    reason: "switched_off",
    begin: () => switching(true),
    end: () => switching(false)
  },
  {
    what: "the key that signed the request is revoked",
    reason: "signing_key_revoked",
    begin: (id) => submit(id, revokeSigningKey("k", null)),
    end: null
  }
]

/** Where a sender comes by before the first signature is made. */
const places: ReadonlyArray<Place> = [
  "queue.read",
  "payout.preflighted",
  "payouts.planned",
  "transaction.reserved",
  "build.before",
  "build.after"
]

/** Where it comes by while the first is made: the signer knows what it has signed, so it is kept unsent, and its number with it. */
const whileSigning: ReadonlyArray<Place> = ["sign.before", "sign.after"]

/** A tenant whose float is just what one payout takes, by a deposit that can be reorged away, and the key that it signs with. */
const funded = Effect.fnUntraced(function* (fake: ReturnType<typeof fakeNetwork>) {
  const world = yield* payer(network, fake)
  const key = apiKeyFields()
  yield* submit(world.id, addApiKey(key))
  yield* submit(world.id, addSigningKey({ apiKeyId: key.id, keyid: "k", publicKey: "p" }))
  // the payout's fee takes all that was there before the deposit came
  const reorg = yield* fundByDeposit(world.id, of(1_000_000n, currency))
  return { ...world, reorg }
})

describe("a payout that was accepted is not paid", () => {
  for (const trouble of troubles) {
    for (const place of [null, ...places, ...whileSigning]) {
      const when = place === null ? "before it is looked at" : `at ${place}`
      it.effect(`where ${trouble.what} ${when}: it says why, and goes on once that is over`, () => {
        const fake = fakeNetwork({ network })
        return Effect.gen(function* () {
          yield* TestClock.setTime(1_700_000_000_000)
          const queries = yield* Queries
          const { id, reorg } = yield* funded(fake)
          const all = (yield* queries.float(id)).find(
            (one) => one.account === "float:available" && one.currency === currency
          )
          const made = yield* pay(id, network, 1, 10_000n, (all?.units ?? 0n) - 10_000n)
          let begun = false
          const begin = Effect.suspend(() => {
            if (begun) return Effect.void
            begun = true
            return Effect.orDie(trouble.begin(id, reorg))
          })
          if (place === null) yield* begin
          const ports = yield* Effect.context<Ports>()
          yield* Effect.forkScoped(
            sending(fake, (name) => (name === place ? Effect.provideContext(begin, ports) : Effect.void))
          )
          for (let n = 0; n < 12; n++) {
            fake.mine(yield* Clock.currentTimeMillis)
            yield* tick
          }
          assert.isTrue(begun)
          const signatures = place !== null && whileSigning.includes(place) ? 1 : 0
          assert.strictEqual(fake.signed(), signatures)
          assert.strictEqual(timesPaid(fake, receiver(network, 1)), 0)
          const payout = yield* queries.record(id, Payout, made.id)
          const waiting = (yield* queries.operation(id, made.id)) ?? assert.fail("it is gone")
          if (signatures === 0) {
            assert.deepStrictEqual([yield* payoutPhase(id, made.id), payout?.waits?.reason], ["HELD", trouble.reason])
            assert.strictEqual(waitsOf(waiting)?.reason, trouble.reason)
            assert.strictEqual(waiting.status === "IN_REVIEW", trouble.end === null)
          } else {
            assert.strictEqual(yield* payoutPhase(id, made.id), "RESERVED")
            const [kept] = yield* queries.records(id, OutboundTransaction)
            assert.match(kept?.problem ?? "", /The signer has signed .* for it, which is not sent now: /u)
          }
          yield* ledgerHolds(id)
          if (trouble.end === null) return
          yield* Effect.orDie(trouble.end(id))
          yield* mineUntil(fake, "it is over", allOver(id, [made]))
          const over = (yield* queries.operation(id, made.id)) ?? assert.fail("it is gone")
          assert.deepStrictEqual([over.status, waitsOf(over)], ["SETTLED", null])
          assert.strictEqual(timesPaid(fake, receiver(network, 1)), 1)
          assert.isAtMost(fake.signed(), 1)
          yield* ledgerHolds(id)
        }).pipe(Effect.provide(processOver(emptyState(), fake)))
      })
    }
  }
})

describe("a payout whose key was revoked, and that was signed for by nobody since", () => {
  for (const verdict of ["APPROVE", "REJECT"] as const) {
    it.effect(`goes before an operator, who may ${verdict.toLowerCase()} it, and is never stranded`, () => {
      const fake = fakeNetwork({ network })
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const queries = yield* Queries
        const { id } = yield* funded(fake)
        const made = yield* pay(id, network, 1)
        const before = yield* queries.float(id)
        yield* submit(id, revokeSigningKey("k", null))
        yield* Effect.forkScoped(sending(fake, () => Effect.void))
        for (let n = 0; n < 6; n++) {
          fake.mine(yield* Clock.currentTimeMillis)
          yield* tick
        }
        const inReview = (yield* queries.operation(id, made.id)) ?? assert.fail("it is gone")
        assert.isTrue(awaitsReview(inReview))
        assert.match(reviewOf(inReview)?.reason ?? "", /was revoked/u)
        assert.deepStrictEqual(yield* queries.float(id), before)
        yield* submit(
          id,
          reviewOperation({
            operation: inReview,
            verdict,
            by: "bob",
            reason: verdict === "REJECT" ? "nobody knows it" : null,
            currencies: defaultCurrencies
          })
        )
        yield* mineUntil(fake, "it is over", allOver(id, [made]))
        const over = (yield* queries.operation(id, made.id)) ?? assert.fail("it is gone")
        const paid = verdict === "APPROVE"
        assert.deepStrictEqual([over.status, waitsOf(over)], [paid ? "SETTLED" : "FAILED", null])
        assert.strictEqual(timesPaid(fake, receiver(network, 1)), paid ? 1 : 0)
        assert.deepStrictEqual(new Set(fake.approvals()), new Set(paid ? [reviewOf(over)?.at] : []))
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })
  }
})
