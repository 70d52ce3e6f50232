import { priceAgeMsMax } from "@bursar/core/money/freshPrice"
import { StorageError } from "@bursar/core/engine/StorageError"
import { allCustodians, allFiatProviders, EarlierCustodians } from "@bursar/core/port/EarlierProviders"
import { Custodian } from "@bursar/core/port/Custodian"
import type { Rate } from "@bursar/core/money/Rate"
import { isSameArrival } from "@bursar/core/port/HeldArrivals"
import { custodyLabel } from "@bursar/core/port/KeyCustody"
import { typedMemo, writeMemo } from "@bursar/core/port/MemoText"
import { freshly, Prices, usdOf } from "@bursar/core/port/Prices"
import { everyTenant } from "@bursar/core/port/TenantList"
import { plannerThrough, type Provisioner, type TransactionPlanner } from "@bursar/core/port/TransactionPlanner"
import { tooLate } from "@bursar/core/port/TransactionSigner"
import { tenantRecord } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"

const custodian = (name: string) => Custodian.of({ name } as Custodian["Service"]) // nothing else of it is looked at

describe("providers", () => {
  const named = (newest: string | undefined, ...earlier: ReadonlyArray<string>) => {
    const all = Effect.map(allCustodians, (some) => some.map(({ name }) => name)).pipe(
      Effect.provideService(EarlierCustodians, earlier.map(custodian))
    )
    return newest === undefined ? all : Effect.provideService(all, Custodian, custodian(newest))
  }

  it.effect("are the one that takes new orders, and then those that did before, none by another's name", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* named("new", "a", "b"), ["new", "a", "b"])
      assert.deepStrictEqual(yield* named(undefined, "a"), ["a"])
      assert.deepStrictEqual(yield* named("new"), ["new"])
      assert.isEmpty(yield* allFiatProviders)
      for (const twice of [named("a", "b", "a"), named("new", "a", "a")])
        assert.strictEqual((yield* Effect.exit(twice))._tag, "Failure")
    })
  )
})

describe("all tenants", () => {
  it.effect("are told only where each of them can be read", () =>
    Effect.gen(function* () {
      const tenants = [tenantRecord(0), tenantRecord(1)]
      const lost = tenantRecord(2).id
      const list = (unreadable: ReadonlyArray<{ readonly id: (typeof tenants)[0]["id"]; readonly problem: string }>) =>
        everyTenant(Effect.succeed({ tenants, unreadable }))
      assert.deepStrictEqual(yield* list([]), tenants)
      const failed = yield* Effect.flip(list([{ id: lost, problem: "no slug" }]))
      assert.instanceOf(failed, StorageError)
      assert.include(failed.doing, lost)
    })
  )
})

describe("an arrival that is held", () => {
  it("is the same where it pays the same tenant as much of the same to the same address", () => {
    const one = { tenantId: tenantRecord(0).id, address: "a", currency: "USDC_BASE", units: 5n }
    assert.isTrue(isSameArrival(one, { ...one }))
    for (const more of [{ tenantId: tenantRecord(1).id }, { address: "b" }, { currency: "ETH" }, { units: 6n }])
      assert.isFalse(isSameArrival(one, { ...one, ...more }), Object.keys(more).join())
  })
})

describe("the memo of a payment", () => {
  it("reads as what was written: its type is said where it could be read as another", () => {
    for (const type of ["id", "hash", "return", "text"] as const)
      for (const value of ["42", "", "a:b", "two\nlines", "id:42", "text:x"]) {
        const text = writeMemo({ type, value })
        assert.deepStrictEqual(typedMemo(text) ?? { type: "text", value: text }, { type, value }, text)
      }
    assert.strictEqual(writeMemo({ type: "text", value: "thanks" }), "thanks")
    for (const text of ["thanks", "other:42", " id:42", "ids:42"]) assert.isUndefined(typedMemo(text), text)
  })
})

describe("what currencies are worth", () => {
  const rate = (observedAt: number): Rate => ({ price: { units: 2n, decimals: 0 }, source: "test", observedAt })

  it.effect("is told as far as it is known, and asked once of each", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const prices = Prices.of({
        usd: (currency) => Effect.sync(() => (asked.push(currency), currency === "GONE" ? null : rate(0))),
        rate: () => Effect.succeed(null)
      })
      const some = ["EUR", "GONE", "EUR", "GBP"]
      const known = yield* Effect.provideService(usdOf(some), Prices, prices)
      assert.deepStrictEqual([...known.keys()], ["EUR", "GBP"])
      assert.deepStrictEqual(asked, ["EUR", "GONE", "GBP"])
      assert.strictEqual((yield* usdOf(some)).size, 0, "nobody can be asked here")
    })
  )

  it.effect("is not known where nobody has looked for too long", () =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      for (const [age, isKnown] of [
        [0, true],
        [priceAgeMsMax, true],
        [priceAgeMsMax + 1, false]
      ] as const)
        assert.strictEqual((yield* freshly(Effect.succeed(rate(now - age)))) !== null, isKnown, `${age}`)
      assert.isNull(yield* freshly(Effect.succeed(null)))
    })
  )
})

describe("the label of a key in a custody", () => {
  it("is of letters, digits and a few signs, which it does not begin with", () => {
    for (const label of ["a", "9", "tenant/base-1_x", "a".repeat(128)]) assert.match(label, custodyLabel)
    for (const label of ["", "-a", "/a", "_", "a b", "a.b", "a\n", " a", "ä", "a".repeat(129)])
      assert.notMatch(label, custodyLabel, JSON.stringify(label))
  })
})

describe("a signature", () => {
  it("is asked for too late once its time is over", () => {
    assert.isUndefined(tooLate({}, 9))
    assert.isUndefined(tooLate({ until: 9 }, 9))
    assert.isDefined(tooLate({ until: 9 }, 10))
  })
})

describe("a planner of several nodes", () => {
  const provisioner: Provisioner = {
    walletKeeps: 3n,
    look: (_, assets, promised) =>
      Effect.succeed({
        exists: true,
        spendable: promised + BigInt(assets.length),
        canLend: true,
        need: { _tag: "Nothing" }
      }),
    lend: () => Effect.succeed({ _tag: "Expiry" })
  }
  const planner = (fee: bigint, more: Partial<TransactionPlanner> = {}): TransactionPlanner => ({
    room: () => Number(fee),
    sweptTogether: (waiting) => [waiting],
    payouts: () => Effect.succeed({ transactions: [], waiting: [] }),
    sweep: () => Effect.succeed({ _tag: "LacksNative", fee, lacks: fee }),
    topUp: ({ units }) => Effect.succeed({ fee, left: units, guard: null }),
    ...more
  })
  const own = { wallet: { address: "w", nextSequence: null, openTransactions: 0, committed: [] }, channels: [] }

  it.effect("asks whichever answers what asks a chain, and the first for the rest", () =>
    Effect.gen(function* () {
      const all = plannerThrough(planner(1n, { provisioner }), (question) => question(planner(2n, { provisioner })))
      assert.strictEqual(all.room(own, 5), 1)
      assert.deepStrictEqual(all.sweptTogether([]), [[]])
      assert.deepInclude(yield* all.topUp({ accounts: own, to: "d", units: 7n }), { fee: 2n, left: 7n })
      assert.deepStrictEqual(
        yield* all.payouts({ accounts: own, payments: [], underWayMax: 1, freeUtxos: Effect.succeed([]) }),
        { transactions: [], waiting: [] }
      )
      const sweep = {
        ...{
          to: "w",
          account: "d",
          nextSequence: null,
          contract: null,
          deposits: [],
          costTimes: 1,
          budgetPercent: 1,
          keeps: 0n
        },
        ...({ topUp: "possible", publicKeyOf: () => Effect.undefined } as const)
      }
      assert.deepStrictEqual(yield* all.sweep(sweep), { _tag: "LacksNative", fee: 2n, lacks: 2n })
      const account = { address: "w", role: "PAYOUT" } as const
      assert.strictEqual(all.provisioner?.walletKeeps, 3n)
      const looked = yield* all.provisioner?.look(account, ["x"], 5n) ?? Effect.die("there is none")
      assert.strictEqual(looked.spendable, 6n)
      assert.deepStrictEqual(yield* all.provisioner?.lend([]) ?? Effect.die("there is none"), { _tag: "Expiry" })
    })
  )

  it.effect("provisions where its nodes do, and nothing where they differ in that", () =>
    Effect.gen(function* () {
      const none = plannerThrough(planner(1n), (question) => question(planner(2n)))
      assert.isUndefined(none.provisioner)
      const mixed = plannerThrough(planner(1n, { provisioner }), (question) => question(planner(2n)))
      const lent = yield* Effect.exit(mixed.provisioner?.lend([]) ?? Effect.succeed(null))
      assert.strictEqual(lent._tag, "Failure")
    })
  )
})
