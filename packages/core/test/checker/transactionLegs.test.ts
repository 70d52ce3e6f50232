import { operationLegs } from "@bursar/core/checker/legInvariant"
import type { Account } from "@bursar/core/ledger/Account"
import type { LegPurpose, PostedLeg } from "@bursar/core/ledger/Leg"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Operation } from "@bursar/core/operation/Operation"
import {
  type OutboundPayment,
  type OutboundTransaction,
  transactionOutcomes,
  transactionPurposes
} from "@bursar/core/transaction/OutboundTransaction"
import { assert, describe, it } from "@effect/vitest"
import { operationOf } from "../transfer/operationOf.ts"
import { booked, type Entry, hasLegs, hasOnly, lacksLegs } from "./bookedLegs.ts"
import { foundBy } from "./foundBy.ts"

const contract = defaultCurrencies.byCode("USDC_BASE")?.asset?.contract ?? assert.fail("there is no contract")

const payment = (operationId: string | null, more: Partial<OutboundPayment> = {}): OutboundPayment => ({
  ...{ operationId, to: "0xa", contract, units: 5n, memo: null, ...more }
})

/** An outbound transaction on base that has paid a payout, at a cost of 3. */
const transaction = (more: Partial<OutboundTransaction> = {}): OutboundTransaction =>
  ({
    ...{ id: "t", network: "base", purpose: "PAYOUT", guard: { _tag: "Expiry" }, payments: [payment("o")] },
    ...{ drain: false, phase: "FINAL", outcome: "done", fee: 3n },
    ...more
  }) as OutboundTransaction // all of it that is looked at

const cost = (account: Account, units = 3n): Entry => ["network_fees", account, units, "network_fee", "ETH_BASE"]
const wallet = "chain:base:payouts"
const addresses = "chain:base:deposits"

/** A payout of 5 USDC on base without a fee, and its own legs. */
const payout = (status: Operation["status"], more: Partial<Operation> = {}): Operation =>
  operationOf("BANK_TRANSFER", {
    ...{ id: "o", kind: "CHAIN_PAYOUT", status, network: "base", amount: of(5n, "USDC_BASE") },
    ...{ customerFee: of(0n, "USDC_BASE"), ...more }
  })
const held: Entry = ["float:available", "float:held", 5n, "hold", "USDC_BASE"]
const paid: ReadonlyArray<Entry> = [held, ["float:held", wallet, 5n, "principal", "USDC_BASE"]]

describe("the legs of an outbound transaction", () => {
  const has = (more: Partial<OutboundTransaction>, entries: ReadonlyArray<Entry>, why = "") =>
    hasOnly({ transaction: [transaction({ payments: [payment(null)], ...more })] }, "t", entries, why)
  const usdc = (debited: Account, credited: Account, what: LegPurpose, units = 5n): Entry => [
    ...([debited, credited, units, what, "USDC_BASE"] as const)
  ]

  it("are what the network took of the account that sent, and what moved from one place of the service to another", () => {
    for (const purpose of transactionPurposes) {
      if (purpose === "SWEEP") has({ purpose }, [usdc(wallet, addresses, "sweep"), cost(addresses)], purpose)
      else if (purpose === "TOP_UP") has({ purpose }, [usdc(addresses, wallet, "top_up"), cost(wallet)], purpose)
      else has({ purpose }, [cost(wallet)], purpose)
    }
  })

  it("are no move where it was reverted, and none at all where nothing became of it or it is not over", () => {
    for (const outcome of transactionOutcomes)
      if (outcome === "reverted") has({ purpose: "SWEEP", outcome }, [cost(addresses)], outcome)
      else if (outcome !== "done") has({ purpose: "SWEEP", outcome }, [], outcome)
    has({ purpose: "SWEEP", phase: "INCLUDED" }, [], "it is not over")
    has({ purpose: "SWEEP", fee: null }, [], "its cost is not known")
    has({ purpose: "SWEEP", fee: 0n }, [usdc(wallet, addresses, "sweep")], "it cost nothing")
  })

  it("are the cost of its payout where it has paid one alone, which has settled", () => {
    const rows = (more: Partial<OutboundTransaction> = {}, operation = payout("SETTLED")) => ({
      ...{ operation: [operation], transaction: [transaction(more)] }
    })
    hasOnly(rows(), "o", [...paid, cost(wallet)])
    lacksLegs(rows(), [...booked("o", paid), ...booked("t", [cost(wallet)])], "the payout bears it")
    const byItself = (some: ReturnType<typeof rows>, entries: ReadonlyArray<Entry>, why: string) => {
      hasLegs(some, [...booked("o", entries), ...booked("t", [cost(wallet)])], why)
      lacksLegs(some, booked("o", [...entries, cost(wallet)]), why)
      lacksLegs(some, booked("o", entries), why)
    }
    byItself(rows({ payments: [payment("o"), payment("p")] }), paid, "it has paid two")
    const failed: ReadonlyArray<Entry> = [held, ["float:held", "float:available", 5n, "release", "USDC_BASE"]]
    byItself(rows({ outcome: "reverted" }, payout("FAILED")), failed, "it has paid none")
    byItself(rows({ outcome: "reverted" }), paid, "the payout was settled by another")
    byItself(rows({}, payout("PROCESSING")), [held], "the payout has not settled")
    const transfer = operationOf("BANK_TRANSFER", { id: "o", status: "SETTLED" })
    const sent: ReadonlyArray<Entry> = [
      ["float:available", "float:held", 10_000n, "hold"],
      ["float:held", "bank", 10_000n, "principal"]
    ]
    byItself(rows({}, transfer), sent, "what it names is no payout")
  })

  it("are judged with what they belong to, where all of that is seen", () => {
    const run = operationLegs.bySubject?.({
      ...{ balances: [], currencies: defaultCurrencies, owns: () => false },
      head: {} as never // it is not looked at
    })
    run?.all?.operation?.(payout("SETTLED"))
    run?.all?.transaction?.(transaction())
    assert.isUndefined(run?.finish?.())
  })

  it("are known by their own operation alone", () => {
    const lost = booked("nobody", [["bank", "fees", 1n, "fee"]])
    hasLegs({ transaction: [transaction({ phase: "INCLUDED" })] }, lost, "that there is one is another rule")
  })
})

describe("what is short of a place", () => {
  const leg = (
    account: Account,
    direction: PostedLeg["direction"],
    units: bigint,
    what: LegPurpose = "principal",
    more: Partial<PostedLeg> = {}
  ): PostedLeg => ({
    ...{ account, direction, units, what, currency: "EUR", operationId: "o", postingSeq: 1, ordinal: 0 },
    ...{ balance: 0n, version: 1, postedAt: 0, ...more }
  })
  const withdrawal = {
    operation: [operationOf("BANK_TRANSFER", { id: "o", kind: "WITHDRAWAL", status: "SETTLED", settledAt: 1 })]
  }
  const hold = booked("o", [["float:available", "float:held", 10_000n, "hold"]])
  const leaves = [...hold, leg("float:held", "DEBIT", 10_000n)]
  const short = (units: bigint, more: Partial<PostedLeg> = {}) =>
    leg("suspense:custodian", "CREDIT", units, "shortfall", more)

  it("counts as taken from the place: the two together are what leaves", () => {
    hasLegs(withdrawal, [...leaves, leg("custodian", "CREDIT", 4_000n), short(6_000n)])
    hasLegs(withdrawal, [...leaves, short(10_000n)])
    hasLegs(withdrawal, [...leaves, leg("custodian", "CREDIT", 10_000n)])
    for (const units of [5_999n, 6_001n])
      lacksLegs(withdrawal, [...leaves, leg("custodian", "CREDIT", 4_000n), short(units)])
    lacksLegs(withdrawal, [...leaves, leg("custodian", "CREDIT", 4_000n), short(6_000n, { currency: "USD" })])
    const elsewhere = short(6_000n, { account: "suspense:bank" })
    lacksLegs(withdrawal, [...leaves, leg("custodian", "CREDIT", 4_000n), elsewhere])
  })

  it("is covered by what comes to the place", () => {
    const deposit = {
      operation: [
        operationOf("BANK_TRANSFER", {
          ...{ id: "o", kind: "DEPOSIT", status: "SETTLED", network: "base", amount: of(5n, "EUR") },
          details: { origin: "ISSUED" }
        })
      ]
    }
    const comes = booked("o", [["chain:base:deposits", "float:available", 5n, "principal"]])
    const covers = (units: bigint) => [
      leg("suspense:chain:base:deposits", "DEBIT", units, "shortfall"),
      leg("chain:base:deposits", "CREDIT", 3n, "shortfall")
    ]
    hasLegs(deposit, [...comes, ...covers(3n)])
    for (const units of [2n, 4n]) lacksLegs(deposit, [...comes, ...covers(units)])
    const adjusted = comes.map((one) => (one.direction === "DEBIT" ? { ...one, what: "adjustment" as const } : one))
    lacksLegs(deposit, [...adjusted, ...covers(3n)], "what is covered excuses no wrong purpose")
  })

  it("is told by how much the two are off together", () => {
    const found = foundBy(operationLegs, { ...withdrawal, leg: [...leaves, leg("custodian", "CREDIT", 4_000n)] })
    const off = "its legs on custodian in EUR as principal are off by 6000, debits less credits"
    assert.strictEqual(found, `WITHDRAWAL o, which is SETTLED: ${off}`)
    const leg_ = [...leaves, leg("custodian", "CREDIT", 4_000n), short(5_000n)]
    assert.match(foundBy(operationLegs, { ...withdrawal, leg: leg_ }) ?? "", /as shortfall are off by 1000,/u)
    assert.match(
      foundBy(operationLegs, { transaction: [transaction({ payments: [payment(null)] })] }) ?? "",
      /^transaction t, a PAYOUT: its legs on network_fees in ETH_BASE as network_fee are off by -3,/u
    )
  })

  it("does not excuse a wrong purpose where nothing is short", () => {
    const costly = { networkFee: of(7n, "ETH"), details: { network_fee_borne_by: "SERVICE" } } as const
    const operation = withdrawal.operation.map((one): Operation => ({ ...one, ...costly }))
    const cost_ = (what: LegPurpose): ReadonlyArray<PostedLeg> => [
      ...booked("o", [["network_fees", "custodian", 7n, "network_fee", "ETH"]]).slice(0, 1),
      leg("custodian", "CREDIT", 7n, what, { currency: "ETH" })
    ]
    const principal = [...leaves, leg("custodian", "CREDIT", 4_000n), short(6_000n)]
    hasLegs({ operation }, [...principal, ...cost_("network_fee")])
    lacksLegs({ operation }, [...principal, ...cost_("principal")], "of another currency")
    const wrongHold = principal.map((one) => (one.what === "hold" ? { ...one, what: "principal" as const } : one))
    lacksLegs(withdrawal, wrongHold, "on another account")
  })

  it("is taken only while the place has nothing", () => {
    const found = (...legs: ReadonlyArray<PostedLeg>) =>
      foundBy(operationLegs, { leg: legs.map((one) => ({ ...one, operationId: "another rule" })) })
    const stands = (balance: bigint, more: Partial<PostedLeg> = {}) =>
      leg("custodian", "DEBIT", 1n, "principal", { balance, ...more })
    assert.isUndefined(found(short(1n)), "nothing ever came to it")
    assert.isDefined(found(stands(1n), short(1n)))
    assert.isUndefined(found(stands(0n), short(1n)))
    assert.isUndefined(found(stands(1n), stands(0n), short(1n)))
    assert.isDefined(found(stands(0n), stands(1n), short(1n)))
    assert.isUndefined(found(stands(1n, { currency: "USD" }), short(1n)), "it has another currency")
    assert.isUndefined(found(stands(1n, { account: "bank" }), short(1n)), "another place has it")
    assert.isUndefined(found(stands(1n), { ...short(1n), direction: "DEBIT" }), "what covers it")
    assert.isUndefined(
      found(stands(1n), { ...short(1n), what: "principal" }),
      "the rest of an operation is judged by it"
    )
    assert.isUndefined(found(stands(1n), leg("custodian", "CREDIT", 1n, "shortfall", { balance: 0n })))
  })
})
