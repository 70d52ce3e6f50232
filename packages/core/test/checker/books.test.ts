import { fees } from "@bursar/core/checker/feeInvariant"
import type { Invariant } from "@bursar/core/checker/Invariant"
import { judging } from "@bursar/core/checker/judging"
import {
  balancesAboveZero,
  holds,
  legChains,
  postingMoments,
  postingsBalance
} from "@bursar/core/checker/ledgerInvariants"
import { refunds } from "@bursar/core/checker/refundInvariant"
import type { Account } from "@bursar/core/ledger/Account"
import type { Balance, Leg, PostedLeg } from "@bursar/core/ledger/Leg"
import { post } from "@bursar/core/ledger/post"
import { of } from "@bursar/core/money/Amount"
import { type Operation, operationKinds, operationStatuses } from "@bursar/core/operation/Operation"
import { isOver } from "@bursar/core/operation/OperationMachine"
import { assert, describe, it } from "@effect/vitest"
import { operationOf } from "../transfer/operationOf.ts"
import { foundBy as foundIn } from "./foundBy.ts"

/** The books of a tenant, as far as these rules look at them. */
interface Books {
  readonly legs: ReadonlyArray<PostedLeg>
  readonly operations: ReadonlyArray<Operation>
  readonly balances: ReadonlyArray<Balance>
  readonly postings: number
  readonly lastAt: number
}

/** What a rule finds wrong first in some books. */
const foundBy = (rule: Invariant, { legs, operations, ...rest }: Books) =>
  foundIn(rule, { ...rest, leg: legs, operation: operations })

const key = (account: string, currency: string): string => `${account} ${currency}`

const leg = (account: Account, direction: Leg["direction"], units: bigint, currency = "EUR"): Leg => ({
  account,
  direction,
  currency,
  units,
  what: "principal"
})

/** Books in which 100 EUR and 7 USD came to a bank, and 40 EUR of them are held for a transfer. */
const books = (): Books => {
  const balances = new Map<string, Balance>()
  const balanceOf = (account: Account, currency: string): Balance =>
    balances.get(key(account, currency)) ?? { account, currency, units: 0n, version: 0 }
  const postings: ReadonlyArray<readonly [string, number, ReadonlyArray<Leg>]> = [
    ["one", 1_000, [leg("bank", "DEBIT", 10_000n), leg("float:available", "CREDIT", 10_000n)]],
    [
      "two",
      1_000,
      [
        leg("bank", "DEBIT", 700n, "USD"),
        leg("float:available", "CREDIT", 600n, "USD"),
        leg("fees", "CREDIT", 100n, "USD")
      ]
    ],
    ["three", 2_000, [leg("float:available", "DEBIT", 4_000n), leg("float:held", "CREDIT", 4_000n)]]
  ]
  const legs = postings.flatMap(([operationId, postedAt, made], at) => {
    const context = { operationId, postingSeq: at + 1, postedAt, mayOverdraw: false, happened: false }
    const posted = post(made, balanceOf, context)
    for (const { account, balance: units, currency, version } of posted)
      balances.set(key(account, currency), { account, currency, units, version })
    return posted
  })
  const operation = operationOf("BANK_TRANSFER", { amount: of(3_900n, "EUR"), customerFee: of(100n, "EUR") })
  return { legs, operations: [operation], balances: [...balances.values()], postings: 3, lastAt: 2_000 }
}

const rules = [postingsBalance, postingMoments, legChains, holds, balancesAboveZero, fees, refunds]

/** The names of the rules that find something. */
const wrongIn = (some: Books): ReadonlyArray<string> =>
  rules.filter((rule) => foundBy(rule, some) !== undefined).map(({ name }) => name)

/** The books with a leg that is another. */
const altered = (at: number, more: Partial<PostedLeg>): Books => {
  const { legs, ...rest } = books()
  return { ...rest, legs: legs.map((one, index) => (index === at ? { ...one, ...more } : one)) }
}

const without = (from: number, to = from + 1): Books => {
  const { legs, ...rest } = books()
  return { ...rest, legs: legs.filter((_, at) => at < from || at >= to) }
}

/** The last posting, both legs of it, at a moment before the others. */
const lateThenEarly = (): Books => {
  const { legs, ...rest } = books()
  return { ...rest, legs: legs.map((one) => (one.postingSeq === 3 ? { ...one, postedAt: 999 } : one)) }
}

const withBalance = (more: Balance): Books => {
  const { balances, ...rest } = books()
  const others = balances.filter(({ account, currency }) => key(account, currency) !== key(more.account, more.currency))
  return { ...rest, balances: [...others, more] }
}

describe("the books of a tenant", () => {
  it("are right as they are written", () => assert.deepStrictEqual(wrongIn(books()), []))

  const cases: ReadonlyArray<readonly [string, Books, ReadonlyArray<string>]> = [
    ["a leg that moves more", altered(1, { units: 10_001n }), ["postings-balance", "leg-chains"]],
    ["a leg of the last posting that moves more", altered(6, { units: 1n }), ["postings-balance", "leg-chains"]],
    ["a leg that goes the other way", altered(0, { direction: "CREDIT" }), ["postings-balance", "leg-chains"]],
    ["a leg in another currency", altered(0, { currency: "GBP" }), ["postings-balance", "leg-chains"]],
    ["a leg of another operation", altered(1, { operationId: "two" }), ["postings-balance"]],
    ["a leg on another account", altered(4, { account: "float:held" }), ["leg-chains"]],
    ["a balance that is not what the legs make", altered(5, { balance: 1n }), ["leg-chains"]],
    ["a leg of a later version", altered(5, { version: 3 }), ["leg-chains"]],
    ["a leg at another place of its posting", altered(3, { ordinal: 2 }), ["postings"]],
    ["a posting that does not begin at its first leg", altered(0, { ordinal: 1 }), ["postings"]],
    [
      "a leg that was posted later than its posting",
      { ...altered(6, { postedAt: 2_001 }), lastAt: 9_999 },
      ["postings"]
    ],
    ["a posting before the one before it", lateThenEarly(), ["postings"]],
    ["a posting after the last change", { ...books(), lastAt: 1_999 }, ["postings"]],
    ["a posting that is gone", without(2, 5), ["postings-balance", "leg-chains"]],
    ["the last posting that is gone", without(5, 7), ["postings-balance", "leg-chains"]],
    ["a head that counts one posting more", { ...books(), postings: 4 }, ["postings-balance"]],
    [
      "a balance that nobody made",
      withBalance({ account: "bank", currency: "GBP", units: 1n, version: 1 }),
      ["leg-chains"]
    ],
    [
      "a balance of an older version",
      withBalance({ account: "bank", currency: "EUR", units: 10_000n, version: 2 }),
      ["leg-chains"]
    ],
    ["a balance that is gone", { ...books(), balances: books().balances.slice(1) }, ["leg-chains"]],
    [
      "more held than operations hold",
      withBalance({ account: "float:held", currency: "EUR", units: 4_001n, version: 1 }),
      ["leg-chains", "holds"]
    ],
    [
      "something held in a currency that no operation is in",
      withBalance({ account: "float:held", currency: "USD", units: 1n, version: 1 }),
      ["leg-chains", "holds"]
    ],
    [
      "an operation that holds what is not held",
      { ...books(), balances: books().balances.filter(({ account }) => account !== "float:held") },
      ["leg-chains", "holds"]
    ],
    [
      "a place with less than nothing",
      withBalance({ account: "bank", currency: "EUR", units: -1n, version: 1 }),
      ["leg-chains", "balances"]
    ],
    [
      "an account with less than nothing",
      withBalance({ account: "account:a", currency: "EUR", units: -1n, version: 1 }),
      ["leg-chains", "balances"]
    ],
    [
      "a float that is overdrawn, as it may be",
      withBalance({ account: "float:available", currency: "EUR", units: -1n, version: 2 }),
      ["leg-chains"]
    ]
  ]
  it("may have nothing on an account, and less than nothing of what is nobody's", () => {
    const nothing = withBalance({ account: "bank", currency: "GBP", units: 0n, version: 0 })
    assert.deepStrictEqual(wrongIn(nothing), [])
    const suspense = withBalance({ account: "suspense", currency: "EUR", units: -1n, version: 1 })
    assert.deepStrictEqual(wrongIn(suspense), ["leg-chains"])
  })

  for (const [what, some, wrong] of cases) it(`show ${what}`, () => assert.deepStrictEqual(wrongIn(some), wrong))
})

describe("what is held", () => {
  const withOne = (operation: Operation): Books => {
    const { operations: _, ...rest } = books()
    return { ...rest, operations: [operation] }
  }

  it("is amount and fee of what goes out and is not over", () => {
    const [made] = books().operations
    if (made === undefined) return assert.fail("there is none")
    const holding = new Set<string>(["CHAIN_PAYOUT", "WITHDRAWAL", "OFF_RAMP", "BANK_TRANSFER", "REFUND"])
    for (const kind of operationKinds)
      for (const status of operationStatuses) {
        const isHeld = foundBy(holds, withOne({ ...made, kind, status })) === undefined
        assert.strictEqual(isHeld, holding.has(kind) && !isOver(status), `${kind} ${status}`)
      }
    assert.isDefined(foundBy(holds, withOne({ ...made, customerFee: of(101n, "EUR") })))
    const nothing = { ...made, amount: of(0n, "GBP"), customerFee: of(0n, "GBP") }
    assert.isUndefined(foundBy(holds, { ...withOne(made), operations: [made, nothing] }))
  })
})

describe("the fee of an operation", () => {
  const wrong = (more: Partial<Operation>) =>
    foundBy(fees, { ...books(), operations: [operationOf("BANK_TRANSFER", more)] }) !== undefined

  it("is in its currency and not below nothing; what brings money or corrects the books has none", () => {
    assert.isFalse(wrong({ customerFee: of(1n, "EUR") }))
    assert.isTrue(wrong({ customerFee: of(-1n, "EUR") }))
    assert.isTrue(wrong({ customerFee: of(1n, "USD") }))
    for (const kind of operationKinds)
      assert.strictEqual(
        wrong({ kind, customerFee: of(1n, "EUR") }),
        ["ADJUSTMENT", "DEPOSIT", "REVERSAL"].includes(kind),
        kind
      )
    for (const kind of operationKinds) assert.isFalse(wrong({ kind, customerFee: of(0n, "EUR") }), kind)
  })

  it("of a network is told of what has left over it, and is not below nothing", () => {
    for (const kind of operationKinds)
      for (const status of operationStatuses) {
        const mayTell = (kind === "CHAIN_PAYOUT" || kind === "WITHDRAWAL") && isOver(status)
        assert.strictEqual(wrong({ kind, status, networkFee: of(0n, "ETH") }), !mayTell, `${kind} ${status}`)
      }
    const paid = operationOf("BANK_TRANSFER", { id: "o", kind: "CHAIN_PAYOUT", networkFee: of(-1n, "ETH") })
    const found = foundBy(fees, { ...books(), operations: [{ ...paid, status: "SETTLED" }] })
    assert.strictEqual(found, "CHAIN_PAYOUT o tells of less than nothing that a network took")
  })
})

describe("what refunds take", () => {
  const source = (refunded: string | undefined, more: Partial<Operation> = {}): Operation =>
    operationOf("ON_RAMP", {
      id: "source",
      status: "SETTLED",
      settledAt: 1,
      toAmount: of(10_000n, "EUR"),
      details: { arrived: "10000", ...(refunded !== undefined && { refunded }) },
      ...more
    })
  const refund = (units: bigint, more: Partial<Operation> = {}): Operation =>
    operationOf("REFUND", { amount: of(units, "EUR"), details: { refund_of: "source" }, ...more })
  const wrong = (...operations: ReadonlyArray<Operation>) => foundBy(refunds, { ...books(), operations }) !== undefined

  it("is what their source counts, and no more than it brought", () => {
    assert.isFalse(wrong(source("10000"), refund(6_000n), refund(4_000n)))
    assert.isFalse(wrong(source(undefined)))
    assert.isTrue(wrong(source("9999"), refund(6_000n), refund(4_000n)))
    assert.isTrue(wrong(source(undefined), refund(1n)))
    assert.isTrue(wrong(source("10001"), refund(6_000n), refund(4_001n)))
    assert.isTrue(wrong(refund(1n)), "there is no source")
    const other = [source("1", { kind: "BANK_TRANSFER" }), refund(1n)]
    assert.match(foundBy(refunds, { ...books(), operations: other }) ?? "", /which is no ON_RAMP/u)
    assert.isFalse(wrong(source(undefined), operationOf("BANK_TRANSFER")), "what is no refund takes nothing")
  })

  it("is nothing of what failed or came back", () => {
    for (const counted of ["0", undefined])
      assert.isFalse(wrong(source(counted), refund(6_000n, { status: "FAILED" })), counted)
    const back = refund(6_000n, { status: "RETURNED", details: { refund_of: "source", returned: "2000" } })
    assert.isFalse(wrong(source("4000"), back))
    assert.isTrue(wrong(source("6000"), back))
  })

  it("stays right where the bank takes the source back after that: it is the tenant's loss", () => {
    const details = { arrived: "10000", refunded: "6000", returned: "10000" }
    assert.isFalse(wrong(source("6000", { status: "RETURNED", details }), refund(6_000n)))
  })
})

describe("a row that a rule cannot make sense of", () => {
  const broken = (row: unknown) =>
    judging(() => {
      throw new Error("no number")
    }, row)

  it("is a finding that names the row by what it has", () => {
    assert.isUndefined(judging(() => undefined, {}))
    assert.strictEqual(
      judging(() => "it is wrong", {}),
      "it is wrong"
    )
    assert.strictEqual(broken({ key: "k", id: "i" }), "the row of i makes no sense: no number")
    for (const field of ["id", "operationId", "hash", "key", "scope", "resourceId", "account"])
      for (const value of ["x", 7])
        assert.strictEqual(broken({ [field]: value, other: true }), `the row of ${value} makes no sense: no number`)
    assert.strictEqual(broken({ id: null }), "a row makes no sense: no number")
    for (const row of [null, undefined, "text"])
      assert.strictEqual(broken(row), "what was read makes no sense: no number")
    const thrown = judging(() => {
      // what is thrown need be no error
      throw "text" as unknown as Error
    }, null)
    assert.strictEqual(thrown, "what was read makes no sense: text")
  })
})
