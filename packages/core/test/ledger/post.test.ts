import { type Account, isOwed, normalSide } from "@bursar/core/ledger/Account"
import type { Balance, Leg } from "@bursar/core/ledger/Leg"
import { effect, post } from "@bursar/core/ledger/post"
import { balancedLegs } from "@bursar/testkit/generators/legs"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"

const context = { operationId: "op-1", postingSeq: 3, postedAt: 1_700_000_000_000, mayOverdraw: true }

/** Balances of accounts that each had seven legs. */
const holding =
  (units: bigint) =>
  (account: Account, currency: string): Balance => ({ account, currency, units, version: 7 })

const leg = (account: Account, direction: Leg["direction"], units: bigint, currency = "ETH"): Leg => ({
  account,
  direction,
  units,
  currency,
  what: "principal"
})

describe("post", () => {
  it("gives every leg its running balance and version, and leaves what it was given", () => {
    fc.assert(
      fc.property(balancedLegs, fc.bigInt({ min: -100n, max: 2n ** 210n }), (legs, units) => {
        const posted = post(legs, holding(units), context)
        const accounts = new Map<string, { units: bigint; version: number }>()
        for (const [ordinal, each] of posted.entries()) {
          const key = `${each.account}|${each.currency}`
          const before = accounts.get(key) ?? { units, version: 7 }
          const after = { units: before.units + effect(each), version: before.version + 1 }
          accounts.set(key, after)
          assert.deepStrictEqual(each, {
            ...legs[ordinal],
            ordinal,
            operationId: "op-1",
            postingSeq: 3,
            postedAt: context.postedAt,
            balance: after.units,
            version: after.version
          })
        }
        assert.strictEqual(posted.length, legs.length)
      })
    )
  })

  it("moves the sum of debit balances as much as that of credit balances, per currency", () => {
    fc.assert(
      fc.property(balancedLegs, (legs) => {
        const sums = new Map<string, bigint>()
        for (const each of legs) {
          const change = normalSide(each.account) === "DEBIT" ? effect(each) : -effect(each)
          sums.set(each.currency, (sums.get(each.currency) ?? 0n) + change)
        }
        for (const sum of sums.values()) assert.strictEqual(sum, 0n)
      })
    )
  })

  it("throws where one leg is changed by a unit", () => {
    fc.assert(
      fc.property(balancedLegs, fc.nat(), (legs, place) => {
        const wrong = legs.map((each, index) =>
          index === place % legs.length ? { ...each, units: each.units + 1n } : each
        )
        assert.throws(() => post(wrong, holding(0n), context), /does not balance/u)
      })
    )
  })

  it("never lets an owed account fall below zero, unless it may be overdrawn", () => {
    fc.assert(
      fc.property(balancedLegs, fc.bigInt({ min: 0n, max: 2n ** 65n }), (legs, units) => {
        const ends = new Map(
          post(legs, holding(units), context).map((each) => [`${each.account}|${each.currency}`, each])
        )
        const overdrawn = [...ends.values()].some((each) => isOwed(each.account) && each.balance < 0n)
        const strict = () => post(legs, holding(units), { ...context, mayOverdraw: false })
        if (overdrawn) assert.throws(strict, /overdrawn/u)
        else assert.doesNotThrow(strict)
      })
    )
  })

  it("lets a float that is below zero be filled up, and not be emptied further", () => {
    const fill = [leg("custodian", "DEBIT", 4n), leg("float:available", "CREDIT", 4n)]
    const take = [leg("float:available", "DEBIT", 4n), leg("custodian", "CREDIT", 4n)]
    const strict = { ...context, mayOverdraw: false }
    assert.deepStrictEqual(
      post(fill, holding(-10n), strict).map(({ balance }) => balance),
      [-6n, -6n]
    )
    assert.throws(() => post(take, holding(-10n), strict), /overdrawn/u)
  })

  it.each([0n, -1n])("throws where a leg moves %i units", (units) => {
    assert.throws(
      () => post([leg("custodian", "DEBIT", units), leg("float:available", "CREDIT", units)], holding(0n), context),
      /more than nothing/u
    )
  })

  it("throws where two currencies balance only together", () => {
    const legs = [leg("custodian", "DEBIT", 5n, "ETH"), leg("float:available", "CREDIT", 5n, "BTC")]
    assert.throws(() => post(legs, holding(100n), context), /does not balance/u)
  })
})
