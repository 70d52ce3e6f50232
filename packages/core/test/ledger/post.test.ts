import { type Account, isAsset, isOwed, normalSide, shortfallOf } from "@bursar/core/ledger/Account"
import type { Balance, Leg } from "@bursar/core/ledger/Leg"
import { signedDelta, post } from "@bursar/core/ledger/post"
import { balancedLegs } from "@bursar/testkit/generators/legs"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"

const context = { operationId: "op-1", postingSeq: 3, postedAt: 1_700_000_000_000, mayOverdraw: true, happened: false }

/** Balances of accounts that each had seven legs. Nothing is missing at any place. */
const holding =
  (units: bigint) =>
  (account: Account, currency: string): Balance => ({
    account,
    currency,
    units: account.startsWith("suspense:") ? 0n : units,
    version: 7
  })

const leg = (account: Account, direction: Leg["direction"], units: bigint, currency = "ETH"): Leg => ({
  account,
  direction,
  units,
  currency,
  what: "principal"
})

const cover = { min: 2n ** 210n, max: 2n ** 211n }

describe("post", () => {
  it("gives every leg its running balance and version, and leaves what it was given", () => {
    fc.assert(
      fc.property(balancedLegs, fc.bigInt(cover), (legs, units) => {
        const posted = post(legs, holding(units), context)
        const accounts = new Map<string, { units: bigint; version: number }>()
        for (const [ordinal, each] of posted.entries()) {
          const key = `${each.account}|${each.currency}`
          const before = accounts.get(key) ?? { units, version: 7 }
          const after = { units: before.units + signedDelta(each), version: before.version + 1 }
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
          const change = normalSide(each.account) === "DEBIT" ? signedDelta(each) : -signedDelta(each)
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

  it("never lets an account that is owed or stands for something fall below zero; what is owed may where it says so", () => {
    fc.assert(
      fc.property(balancedLegs, fc.bigInt({ min: 0n, max: 2n ** 65n }), fc.boolean(), (legs, units, mayOverdraw) => {
        const ends = new Map<string, { readonly account: Account; units: bigint }>()
        for (const each of legs) {
          const key = `${each.account}|${each.currency}`
          ends.set(key, { account: each.account, units: (ends.get(key)?.units ?? units) + signedDelta(each) })
        }
        const overdrawn = [...ends.values()].some(
          (end) => end.units < 0n && (isAsset(end.account) || (isOwed(end.account) && !mayOverdraw))
        )
        const strict = () => post(legs, holding(units), { ...context, mayOverdraw })
        if (overdrawn) assert.throws(strict, /overdrawn/u)
        else assert.doesNotThrow(strict)
      })
    )
  })

  it("books whatever has happened: a place and what is missing there show together what the place alone would", () => {
    fc.assert(
      fc.property(balancedLegs, fc.bigInt({ min: 0n, max: 2n ** 65n }), (legs, units) => {
        const ends = new Map<string, bigint>()
        const sums = new Map<string, bigint>()
        for (const each of post(legs, holding(units), { ...context, happened: true })) {
          ends.set(`${each.account}|${each.currency}`, each.balance)
          const signed = each.direction === "DEBIT" ? each.units : -each.units
          sums.set(each.currency, (sums.get(each.currency) ?? 0n) + signed)
        }
        for (const sum of sums.values()) assert.strictEqual(sum, 0n)
        for (const { account, currency } of legs) {
          if (!isAsset(account)) continue
          const there = ends.get(`${account}|${currency}`) ?? units
          const missing = -(ends.get(`${shortfallOf(account)}|${currency}`) ?? 0n)
          assert.isTrue(there >= 0n && missing >= 0n && (there === 0n || missing === 0n))
          const own = legs.filter((leg) => leg.account === account && leg.currency === currency)
          assert.strictEqual(
            there - missing,
            own.reduce((sum, leg) => sum + signedDelta(leg), units)
          )
        }
      })
    )
  })

  it("takes from a place what it has and the rest from suspense", () => {
    const legs = [leg("float:held", "DEBIT", 10n), leg("custodian", "CREDIT", 10n)]
    const balances = (account: Account, currency: string): Balance => ({
      account,
      currency,
      units: account === "custodian" ? 4n : account === "float:held" ? 10n : 0n,
      version: 1
    })
    const posted = post(legs, balances, { ...context, mayOverdraw: false, happened: true })
    assert.deepStrictEqual(
      posted.map(({ account, balance, direction, units, what }) => [account, direction, units, balance, what]),
      [
        ["float:held", "DEBIT", 10n, 0n, "principal"],
        ["custodian", "CREDIT", 4n, 0n, "principal"],
        ["suspense:custodian", "CREDIT", 6n, -6n, "shortfall"]
      ]
    )
    assert.throws(() => post(legs, balances, { ...context, mayOverdraw: true }), /custodian .* overdrawn/u)
  })

  it("lets a place that was below zero before the rule be filled up, and takes nothing more from it", () => {
    const strict = { ...context, mayOverdraw: false }
    const fill = [leg("custodian", "DEBIT", 4n), leg("float:available", "CREDIT", 4n)]
    assert.deepStrictEqual(
      post(fill, holding(-10n), strict).map(({ balance }) => balance),
      [-6n, -6n]
    )
    const transaction = [leg("suspense", "DEBIT", 4n), leg("custodian", "CREDIT", 4n)]
    assert.throws(() => post(transaction, holding(-10n), strict), /overdrawn/u)
    assert.deepStrictEqual(
      post(transaction, holding(-10n), { ...strict, happened: true }).map(({ account }) => account),
      ["suspense", "suspense:custodian"]
    )
  })

  it("covers what was missing at a place with what comes there", () => {
    const arrived = [leg("custodian", "DEBIT", 10n), leg("suspense", "CREDIT", 10n)]
    const short = (account: Account, currency: string): Balance => ({
      account,
      currency,
      units: account === "suspense:custodian" ? -6n : 0n,
      version: 1
    })
    assert.deepStrictEqual(
      post(arrived, short, { ...context, mayOverdraw: false }).map((one) => [
        one.account,
        one.direction,
        one.units,
        one.balance
      ]),
      [
        ["custodian", "DEBIT", 10n, 10n],
        ["suspense:custodian", "DEBIT", 6n, 0n],
        ["custodian", "CREDIT", 6n, 4n],
        ["suspense", "CREDIT", 10n, -10n]
      ]
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
