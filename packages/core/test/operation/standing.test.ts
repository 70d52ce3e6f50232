import type { Account } from "@bursar/core/ledger/Account"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { assetPlaceOf, isWithProvider } from "@bursar/core/operation/assetPlace"
import { concernsTenant } from "@bursar/core/operation/concernsTenant"
import { hold, release, take } from "@bursar/core/operation/holds"
import { Operation, operationKinds } from "@bursar/core/operation/Operation"
import {
  isProviderPlace,
  placeStopped,
  placeStopReads,
  providerPlaceOf,
  stopNameOf
} from "@bursar/core/operation/placeStops"
import {
  approvedAfter,
  awaitsReview,
  pendingReview,
  reviewClosed,
  reviewed,
  reviewOf
} from "@bursar/core/operation/Review"
import { spendableOf, spendableReads } from "@bursar/core/operation/spendable"
import { goingOn, letWait, providerMissing, waiting, waitsOf } from "@bursar/core/operation/waits"
import { wasSent } from "@bursar/core/operation/wasSent"
import { isPut } from "@bursar/core/engine/Records"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { operationOf, viewAt } from "./world.ts"

describe("the place that an operation leaves from", () => {
  const places: Partial<Record<Operation["kind"], string>> = {
    CHAIN_PAYOUT: "chain:base:payouts",
    WITHDRAWAL: "custodian",
    SWAP: "custodian",
    OFF_RAMP: "bank",
    BANK_TRANSFER: "bank",
    REFUND: "bank"
  }

  it("is told by its kind, and is none for what comes in or stays", () => {
    for (const kind of operationKinds) {
      const operation = operationOf(kind, { network: "base" })
      assert.strictEqual(assetPlaceOf(operation), places[kind], kind)
      const named = places[kind] === "custodian" || places[kind] === "bank" ? `${places[kind]}:fake` : undefined
      assert.strictEqual(providerPlaceOf(operation), named, kind)
      assert.isUndefined(providerPlaceOf({ ...operation, provider: null }), kind)
    }
    assert.isUndefined(assetPlaceOf(operationOf("CHAIN_PAYOUT")))
  })

  it("may be stopped, and then nothing is sent from there", () => {
    const asked: Array<string> = []
    const view = (stopped: boolean) =>
      viewAt(0, {
        // the one fact that is asked for
        fact: ((_: unknown, place: string) => (asked.push(place), stopped)) as never
      })
    assert.strictEqual(placeStopped(view(true), operationOf("SWAP")), "custodian:fake is stopped.")
    assert.isUndefined(placeStopped(view(false), operationOf("SWAP")))
    assert.isUndefined(placeStopped(view(true), operationOf("DEPOSIT")))
    assert.deepStrictEqual(asked, ["custodian:fake", "custodian:fake"])
    assert.lengthOf(placeStopReads(operationOf("SWAP")), 1)
    assert.deepStrictEqual(placeStopReads(operationOf("DEPOSIT")), [])
  })

  it("is stopped by the name of the provider, or of the network", () => {
    const names = [
      "custodian:kraken",
      "bank:bridge-2.eu_x",
      "chain:base:payouts",
      "xbank:a",
      "bank:",
      "bank:a b",
      "bank"
    ]
    assert.deepStrictEqual(names.map(isProviderPlace), [true, true, false, false, false, false, false])
    assert.strictEqual(stopNameOf("chain:base-sepolia:payouts"), "base-sepolia")
    for (const name of ["custodian:kraken", "chain:base", "xchain:base:payouts", "bank:chain:x:y"])
      assert.strictEqual(stopNameOf(name), name)
  })
})

describe("an order", () => {
  it("was sent where the intent is recorded, or its provider has told of it", () => {
    const sent = (providerReference: string | null, sentAt?: number) =>
      wasSent({ providerReference, details: sentAt === undefined ? {} : { sent_at: sentAt } })
    assert.deepStrictEqual([sent(null), sent("theirs"), sent(null, 0), sent("theirs", 5)], [false, true, true, true])
  })

  it("is with its provider from then until it is over; a chain payout is with nobody", () => {
    const withIt = (more: Partial<Operation>, kind: Operation["kind"] = "SWAP") =>
      isWithProvider(operationOf(kind, { details: { sent_at: 5 }, ...more }))
    assert.deepStrictEqual(
      [withIt({}), withIt({ details: {} }), withIt({ status: "SETTLED" }), withIt({}, "CHAIN_PAYOUT")],
      [true, false, false, false]
    )
  })
})

describe("the register of a tenant", () => {
  it("has all of its operations, and corrections that touch its float or its customers", () => {
    const concerns = (kind: Operation["kind"], ...accounts: ReadonlyArray<Account>) =>
      concernsTenant({ kind }, accounts)
    assert.isTrue(concerns("SWAP", "custodian"))
    assert.isTrue(concerns("ADJUSTMENT"))
    assert.isTrue(concerns("ADJUSTMENT", "suspense", "float:available"))
    assert.isTrue(concerns("ADJUSTMENT", "account:1", "bank"))
    assert.isFalse(concerns("ADJUSTMENT", "suspense", "chain:base:payouts"))
  })
})

describe("what is held of an operation", () => {
  const fees: {
    readonly available: bigint
    readonly own: bigint
    readonly deposits?: bigint
    readonly imports?: bigint
  } = {
    available: 10_100n,
    own: 0n
  }
  const view = (found: typeof fees) =>
    viewAt(0, {
      balance: (account, currency) =>
        ({
          account,
          currency,
          units:
            account === "float:available"
              ? found.available
              : account.endsWith(":deposits")
                ? (found.deposits ?? 0n)
                : found.own
        }) as never, // a balance is no more to these rules
      // the one record that is asked for
      get: (() => ({ units: found.imports ?? 0n })) as never
    })
  const legsOf = (change: ReturnType<typeof release>) =>
    change._tag === "Posted"
      ? change.legs.map(({ account, direction, units, what }) => `${direction} ${account} ${units} ${what}`)
      : []
  const operation = operationOf("SWAP")
  const free = { ...operation, customerFee: { units: 0n, currency: "EUR" } }

  it("is its amount and its fee, which is charged on top, and nothing where that is nothing", () => {
    const held = hold(view(fees), operation, defaultCurrencies)
    assert.deepStrictEqual(Result.isSuccess(held) ? legsOf(held.success) : [], [
      "DEBIT float:available 10000 hold",
      "DEBIT float:available 100 hold",
      "CREDIT float:held 10000 hold",
      "CREDIT float:held 100 hold"
    ])
    assert.deepStrictEqual(legsOf(release(operation)), [
      "DEBIT float:held 10000 release",
      "DEBIT float:held 100 release",
      "CREDIT float:available 10000 release",
      "CREDIT float:available 100 release"
    ])
    assert.deepStrictEqual(legsOf(release(free)), [
      "DEBIT float:held 10000 release",
      "CREDIT float:available 10000 release"
    ])
    assert.deepStrictEqual(legsOf(take(operation, "custodian")), [
      "DEBIT float:held 10000 principal",
      "DEBIT float:held 100 fee",
      "CREDIT custodian 10000 principal",
      "CREDIT fees 100 fee"
    ])
    assert.deepStrictEqual(legsOf(take(free, "custodian")), [
      "DEBIT float:held 10000 principal",
      "CREDIT custodian 10000 principal"
    ])
  })

  it("is refused where amount and fee cannot be spent, and of what is no currency", () => {
    const code = (found: typeof fees, one = operation) => {
      const held = hold(view(found), one, defaultCurrencies)
      return Result.isFailure(held) ? held.failure.code : null
    }
    assert.isNull(code(fees))
    assert.strictEqual(code({ ...fees, available: 10_099n }), "insufficient_balance")
    const unknown = { ...operation, amount: { units: 1n, currency: "XXX" } }
    assert.strictEqual(code(fees, unknown), "unsupported_asset")
  })

  it("can be spent as far as it is available, and nobody but the service can move it; never less than nothing", () => {
    const any = fc.bigInt({ min: -50n, max: 50n })
    const some = fc.bigInt({ min: 0n, max: 50n })
    fc.assert(
      fc.property(any, any, some, some, (available, itself, deposits, imports) => {
        const currency = defaultCurrencies.byCode("USDT_ETH")
        if (currency === undefined) return assert.fail("there is USDT")
        const found = spendableOf(view({ available, own: itself, deposits, imports }), currency)
        const own = itself + (imports < deposits ? imports : deposits)
        assert.strictEqual(found.available, available)
        assert.isTrue(found.units >= 0n && found.backed >= 0n)
        if (available >= 0n && available - own >= 0n)
          assert.strictEqual(found.units, own < 0n ? available : available - own)
        else assert.strictEqual(found.units, 0n)
        assert.strictEqual(found.backed, available - own > 0n ? available - own : 0n)
        return undefined
      })
    )
    assert.deepStrictEqual(spendableReads("EUR", defaultCurrencies), [
      { _tag: "Balance", account: "float:available", currency: "EUR" }
    ])
    assert.lengthOf(spendableReads("XXX", defaultCurrencies), 1)
    assert.deepStrictEqual(spendableReads("USDT_ETH", defaultCurrencies)[1], {
      _tag: "Balance",
      account: "chain:ethereum:tenant",
      currency: "USDT_ETH"
    })
  })
})

describe("the review of an operation", () => {
  const of = (review: Operation["details"]["review"], status: Operation["status"] = "IN_REVIEW") =>
    operationOf("SWAP", { status, details: review === undefined ? {} : { review } })

  it("is what its details keep", () => {
    assert.isNull(reviewOf(of(undefined)))
    assert.isNull(reviewOf(of(null)))
    assert.deepStrictEqual(reviewOf(of({ state: "PENDING" })), pendingReview)
    const whole = { state: "APPROVED", by: "vera", at: 5, reason: "known" } as const
    assert.deepStrictEqual(reviewOf(of(whole)), whole)
    assert.deepStrictEqual(reviewed(operationOf("SWAP", { details: { asked: 1 } }), whole), { asked: 1, review: whole })
  })

  it("is awaited while it is pending and the operation stands there", () => {
    assert.isTrue(awaitsReview(of({ state: "PENDING" })))
    assert.isFalse(awaitsReview(of({ state: "PENDING" }, "PROCESSING")))
    assert.isFalse(awaitsReview(of({ state: "APPROVED" })))
    assert.isFalse(awaitsReview(of(undefined)))
  })

  it("counts for what was known when it was approved", () => {
    const approved = (at: number | null) => of({ state: "APPROVED", at, by: "vera" })
    assert.isTrue(approvedAfter(approved(6), 5))
    assert.isFalse(approvedAfter(approved(5), 5))
    assert.isFalse(approvedAfter(approved(null), -1))
    assert.isFalse(approvedAfter(of({ state: "REJECTED", at: 6 }), 5))
    assert.isFalse(approvedAfter(of(undefined), 5))
  })

  it("is over where it is pending as the operation ends, whoever ended it", () => {
    const end = { by: "vera", at: 9, reason: "cancelled" }
    const details = { asked: 1, review: { state: "PENDING" } } as const
    assert.deepStrictEqual(reviewClosed({ details }, end), { asked: 1, review: { state: "REJECTED", ...end } })
    for (const one of [of(undefined), of({ state: "APPROVED" })])
      assert.strictEqual(reviewClosed(one, end), one.details)
  })
})

describe("an operation that waits", () => {
  const why = { reason: "switched_off", detail: "it is" } as const
  const before = operationOf("SWAP", { details: { asked: 1 } })
  const since100 = waiting(before, why, 100)

  it("says for what, and since when, whatever it waited for first", () => {
    assert.deepStrictEqual(since100.details, { asked: 1, waits: { ...why, since: 100 } })
    assert.strictEqual(waiting(since100, why, 200), since100)
    for (const more of [{ reason: "in_review" }, { detail: "it is still" }] as const)
      assert.deepStrictEqual(waitsOf(waiting(since100, { ...why, ...more }, 200)), { ...why, ...more, since: 100 })
    assert.isNull(waitsOf(before))
  })

  it("goes on without a word of it", () => {
    assert.deepStrictEqual(goingOn(since100), before)
    assert.strictEqual(goingOn(before), before)
  })

  it("is looked at again soon at first, and every minute in the end", () => {
    const again = (one: Operation, now: number) => {
      const changes = letWait(one, why, "queue", now)
      const due = changes.at(-1)
      assert.strictEqual(due?._tag, "Scheduled")
      return [
        changes.filter((change) => isPut(Operation, change)).length,
        due?._tag === "Scheduled" && due.dueAt !== null ? due.dueAt - now : null
      ]
    }
    assert.deepStrictEqual(again(before, 100), [1, 1_000])
    assert.deepStrictEqual(again(since100, 100 + 40_000), [0, 10_000])
    assert.deepStrictEqual(again(since100, 100 + 10_000_000), [0, 60_000])
  })

  it("waits for its own provider, and is never asked of another", () => {
    assert.deepStrictEqual(providerMissing({ provider: "kraken" }), {
      reason: "provider_not_configured",
      detail: "It is for kraken, which is not configured."
    })
    assert.match(providerMissing({ provider: null }).detail, /no provider/u)
  })
})
