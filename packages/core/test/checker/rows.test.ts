import { adjustmentScope, adjustmentWindowMs } from "@bursar/core/adjustment/requestAdjustment"
import { assignedArrivals } from "@bursar/core/checker/assignmentInvariant"
import { customerAccounts, usedQuotes } from "@bursar/core/checker/accountInvariants"
import { jobQueue } from "@bursar/core/checker/jobInvariant"
import {
  creditedDeposits,
  eventFeed,
  operationsOfLegs,
  recordedOperations
} from "@bursar/core/checker/recordInvariants"
import { reservations } from "@bursar/core/checker/reservationInvariant"
import { receivedAmounts } from "@bursar/core/checker/toAmountInvariant"
import { usageCounters } from "@bursar/core/checker/usageInvariant"
import { incomingKey } from "@bursar/core/account/FiatAccount"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import type { Event } from "@bursar/core/event/Event"
import type { IdempotencyRecord } from "@bursar/core/idempotency/IdempotencyRecord"
import type { PostedLeg } from "@bursar/core/ledger/Leg"
import { newReceiverScope, payoutScope, payoutWindowMs, withdrawalScope } from "@bursar/core/limit/limitedUsage"
import { bucketMs } from "@bursar/core/limit/Usage"
import { type Amount, of } from "@bursar/core/money/Amount"
import { type Operation, operationKinds } from "@bursar/core/operation/Operation"
import { accountQueue } from "@bursar/core/account/accountQueue"
import { verificationQueue } from "@bursar/core/customer/Customer"
import { openSweepQueue } from "@bursar/core/sweep/sweepQueues"
import { transactionQueue } from "@bursar/core/transaction/queues"
import { transferQueue } from "@bursar/core/transfer/Transfer"
import { withDetails } from "@bursar/core/transfer/transferCase"
import type { OperationDetails } from "@bursar/core/operation/OperationDetails"
import { newPayout, type Payout } from "@bursar/core/payout/Payout"
import type { Quote } from "@bursar/core/pricing/Quote"
import type { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { assert, describe, it } from "@effect/vitest"
import { operationOf } from "../transfer/operationOf.ts"
import { foundBy, type Rows } from "./foundBy.ts"

type Rule = Parameters<typeof foundBy>[0]

const holds = (rule: Rule, rows: Rows, why = "") => assert.strictEqual(foundBy(rule, rows) ?? "nothing", "nothing", why)

const breaks = (rule: Rule, rows: Rows, why = "") => assert.isDefined(foundBy(rule, rows), why)

/** An operation of 100 EUR, whose id is its name. */
const op = (id: string, more: Partial<Operation> = {}): Operation => operationOf("BANK_TRANSFER", { id, ...more })

const leg = (operationId: string, more: Partial<PostedLeg> = {}): PostedLeg => ({
  ...{ account: "bank", direction: "DEBIT", currency: "EUR", units: 1n, what: "principal" },
  ...{ operationId, postingSeq: 1, ordinal: 0, balance: 1n, version: 1, postedAt: 5, ...more }
})

describe("what arrived for nobody", () => {
  const arrived = (operation_id: string | null, more: Operation<"ADJUSTMENT">["details"] = {}) =>
    op("arrival", {
      kind: "ADJUSTMENT",
      amount: of(10n, "EUR"),
      details: { assigned: { adjustment_id: null, operation_id }, ...more }
    })
  const assigning = (id: string, units = 10n, currency = "EUR") =>
    op(id, { kind: "ADJUSTMENT", amount: of(units, currency), details: { assigns: "arrival" } })

  it("is given to somebody once, and whole, by the adjustment that it names", () => {
    holds(assignedArrivals, { operation: [arrived("a"), assigning("a")] })
    holds(assignedArrivals, { operation: [assigning("a"), arrived("a")] }, "ids of one millisecond are in no order")
    holds(assignedArrivals, { operation: [arrived("a", { own_units: "4" }), assigning("a", 6n)] })
    holds(assignedArrivals, { operation: [arrived(null)] }, "a proposal waits")
    for (const operation of [
      [arrived("a"), assigning("a"), assigning("b")],
      [arrived("a"), assigning("a", 11n)],
      [arrived("a"), assigning("a", 10n, "USD")],
      [arrived("b"), assigning("a")],
      [arrived(null), assigning("a")],
      [arrived("a")],
      [assigning("a")]
    ])
      breaks(assignedArrivals, { operation })
  })

  it("names what took it back, and is assigned as before when it is there again", () => {
    const booked = (id: string, details: Operation<"ADJUSTMENT">["details"] = {}, transfer_index = 0) =>
      op(id, {
        kind: "ADJUSTMENT",
        amount: of(10n, "EUR"),
        txHash: "t",
        details: { wallet_arrival: { network: "stellar", tx_hash: "t", transfer_index }, ...details }
      })
    const by = (operation_id: string | null) => ({ assigned: { adjustment_id: null, operation_id } })
    const first = booked("arrival", { ...by("a"), reversed_by: "back" })
    const back = booked("back", { reverses: "arrival" })
    const again = { ...by("a"), succeeds: "arrival" }
    holds(assignedArrivals, { operation: [booked("arrival", { reversed_by: "back" }), back] })
    holds(assignedArrivals, { operation: [first, back, assigning("a"), booked("again", again)] })
    holds(assignedArrivals, {
      operation: [
        first,
        back,
        assigning("a"),
        booked("again", { ...again, reversed_by: "once more" }),
        booked("once more", { reverses: "again" }),
        booked("third", again)
      ]
    })
    const other = (id: string, amount: Amount, details: Operation<"ADJUSTMENT">["details"] = {}) =>
      op(id, { ...booked(id, details), amount })
    const assigned = [first, back, assigning("a")]
    holds(assignedArrivals, { operation: [...assigned, other("other", of(9n, "EUR"))] }, "it brings something else")
    holds(assignedArrivals, { operation: [...assigned, other("again", of(14n, "EUR"), { ...again, own_units: "4" })] })
    for (const [amount, own_units] of [
      [of(9n, "EUR"), "0"],
      [of(10n, "USD"), "0"],
      [of(10n, "EUR"), "4"]
    ] as const)
      breaks(assignedArrivals, { operation: [...assigned, other("other", amount, { ...again, own_units })] })
    for (const [operation, why] of [
      [[booked("arrival"), back], "it does not say so"],
      [[booked("arrival", { reversed_by: "other" }), back], "it says otherwise"],
      [[booked("arrival", { reversed_by: "back" })], "nothing took it back"],
      [[booked("arrival", { reversed_by: "back" }), back, booked("twice", { reverses: "arrival" })], "twice"],
      [[first, back, assigning("a"), booked("again", by("a"))], "assigned, and succeeding none"],
      [[first, back, assigning("a"), booked("again", { succeeds: "arrival" })], "succeeding one, and not assigned"],
      [[first, back, assigning("a"), booked("again", { ...by(null), succeeds: "arrival" })], "a proposal waits"],
      [[first, back, assigning("a"), booked("again", { ...by("b"), succeeds: "arrival" })], "by another adjustment"],
      [[first, back, assigning("a"), booked("again", again, 1)], "of another arrival"],
      [[booked("arrival", by("a")), assigning("a"), booked("again", again)], "beside it"],
      [[booked("again", again)], "of none"]
    ] as const)
      breaks(assignedArrivals, { operation }, why)
  })
})

describe("the counters of limits", () => {
  const at = 10 * bucketMs + 7
  const worth = (cents: string, more: Partial<Operation> = {}) =>
    op(`worth-${cents}`, { createdAt: at, details: { usd_cents: cents, new_address: true }, ...more })
  const counted = (scope: string, cents: bigint, from = 10 * bucketMs) => ({ scope, buckets: [{ from, cents }] })

  it("are the worth of what was accepted and has not failed, in each limit that it counts in", () => {
    const operation = [
      worth("500"),
      worth("200"),
      worth("900", { status: "FAILED" }),
      op("unpriced", { createdAt: at })
    ]
    const right = [counted(payoutScope, 700n), counted(newReceiverScope, 700n)]
    holds(usageCounters, { operation, usage: right })
    for (const cents of [699n, 701n])
      breaks(usageCounters, { operation, usage: [counted(payoutScope, cents), right[1]!] })
    breaks(usageCounters, { operation, usage: [right[0]!] }, "one limit is missing")
    breaks(
      usageCounters,
      { operation, usage: [counted(payoutScope, 700n, 11 * bucketMs), right[1]!] },
      "at another time"
    )
    breaks(usageCounters, { usage: [counted(payoutScope, 1n)] }, "nothing was accepted")
    holds(usageCounters, { usage: [counted("SOMETHING", 1n)] }, "what is no limit of these is not judged")
    const known = worth("700", { details: { usd_cents: "700", new_address: false } })
    holds(usageCounters, { operation: [known], usage: [right[0]!] })
    const withdrawn = worth("700", { kind: "WITHDRAWAL" })
    holds(usageCounters, { operation: [withdrawn], usage: [counted(withdrawalScope, 700n)] })
    holds(usageCounters, { operation: [worth("0")], usage: [] })
    const later = { ...worth("5", { createdAt: 12 * bucketMs }), kind: "WITHDRAWAL" } as const
    const buckets = [
      { from: 10 * bucketMs, cents: 700n },
      { from: 12 * bucketMs, cents: 5n }
    ]
    const twice = { operation: [withdrawn, later], lastAt: 12 * bucketMs }
    holds(usageCounters, { ...twice, usage: [{ scope: withdrawalScope, buckets }] })
    for (const left of buckets)
      breaks(usageCounters, { ...twice, usage: [{ scope: withdrawalScope, buckets: [left] }] })
  })

  it("may forget what no window holds any more", () => {
    const operation = [worth("500", { details: { usd_cents: "500" } })]
    const end = 11 * bucketMs
    breaks(usageCounters, { operation, lastAt: end + payoutWindowMs - 1 })
    holds(usageCounters, { operation, lastAt: end + payoutWindowMs })
    const withdrawal = [worth("500", { kind: "WITHDRAWAL" })]
    breaks(usageCounters, { operation: withdrawal, lastAt: end + payoutWindowMs }, "its window is wider")
  })

  it("count adjustments that an operator made alone; older ones do not say how much", () => {
    const alone = { made_by: "olga", approved_by: null }
    const adjustment = (details: Operation["details"]) => op("a", { kind: "ADJUSTMENT", createdAt: at, details })
    const priced = adjustment({ ...alone, usd_cents: "300" })
    holds(usageCounters, { operation: [priced], usage: [counted(adjustmentScope, 300n)] })
    breaks(usageCounters, { operation: [priced], usage: [counted(adjustmentScope, 301n)] })
    holds(usageCounters, { operation: [adjustment(alone)], usage: [counted(adjustmentScope, 300n)] })
    const both = [priced, { ...adjustment(alone), id: "b" }]
    for (const cents of [300n, 301n])
      holds(usageCounters, { operation: both, usage: [counted(adjustmentScope, cents)] })
    breaks(usageCounters, { operation: both, usage: [counted(adjustmentScope, 299n)] })
    for (const other of [{ ...alone, approved_by: "otto" }, { approved_by: null }])
      holds(usageCounters, { operation: [adjustment({ ...other, usd_cents: "300" })], lastAt: at }, "it counts nowhere")
    const end = 11 * bucketMs
    breaks(usageCounters, { operation: [priced], lastAt: end + adjustmentWindowMs - 1 })
    holds(usageCounters, { operation: [priced], lastAt: end + adjustmentWindowMs })
  })
})

describe("what is reserved of a place", () => {
  const sent = op("sent", { details: { sent_at: 1 } })
  const bank = (units: bigint) => ({ account: "bank", currency: "EUR", units }) as const
  const order = { network: "base", currency: "USDC_BASE", contract: null, units: 7n, to: "0xa", memo: null }
  const transaction = (phase: OutboundTransaction["phase"]) =>
    ({ id: "t", network: "base", phase, payments: [{ operationId: "paid" }] }) as unknown as OutboundTransaction // all of it that is looked at
  const chain = (units: bigint) => ({ account: "chain:base:payouts", currency: "USDC_BASE", units }) as const

  it("is what was sent and is not over, and what open transactions pay", () => {
    holds(reservations, { operation: [sent], reservation: [bank(10_000n)] })
    for (const units of [9_999n, 10_001n, 0n]) breaks(reservations, { operation: [sent], reservation: [bank(units)] })
    breaks(reservations, { operation: [sent] })
    breaks(reservations, { reservation: [bank(1n)] })
    holds(reservations, { reservation: [bank(0n)] })
    for (const idle of [op("idle"), op("over", { status: "SETTLED", details: { sent_at: 1 } })])
      holds(reservations, { operation: [idle] })
    holds(reservations, { operation: [{ ...sent, amount: of(0n, "EUR") }] }, "nothing is taken")
    const arrives = { kind: "ON_RAMP", details: { sent_at: 1 } } as const
    holds(reservations, { operation: [op("arrives", arrives)] }, "it is taken from no place")
    const two = [sent, { ...sent, id: "other" }]
    holds(reservations, { operation: two, reservation: [bank(20_000n)] })
    const payout = [newPayout("paid", order, "maker"), newPayout("waits", order, "maker")]
    const open = { transaction: [transaction("SIGNED")], payout }
    holds(reservations, { ...open, reservation: [chain(7n)] })
    breaks(reservations, open)
    breaks(reservations, { ...open, reservation: [chain(14n)] })
    holds(reservations, { transaction: [transaction("FINAL")], payout })
  })
})

describe("what the receiver of an operation got", () => {
  const settled = (kind: Operation["kind"], units: bigint, more: Partial<Operation> = {}, currency = "EUR") =>
    op("o", { kind, status: "SETTLED", settledAt: 1, toAmount: of(units, currency), ...more })
  const right = (operation: Operation, why = "") => holds(receivedAmounts, { operation: [operation] }, why)
  const wrong = (operation: Operation, why = "") => breaks(receivedAmounts, { operation: [operation] }, why)

  it("is told once it has settled, and of what converts or pays out alone", () => {
    for (const kind of operationKinds) {
      const tells = ["SWAP", "ON_RAMP", "OFF_RAMP", "BANK_TRANSFER", "REFUND", "INTERNAL_TRANSFER"].includes(kind)
      const one = settled(kind, 10_000n, kind === "SWAP" ? { details: { to_currency: "EUR" } } : {})
      assert.strictEqual(foundBy(receivedAmounts, { operation: [one] }) === undefined, tells, kind)
      assert.strictEqual(
        foundBy(receivedAmounts, { operation: [{ ...one, toAmount: null }] }) === undefined,
        !tells,
        `${kind} that does not tell`
      )
      right(op("open", { kind, toAmount: null }), kind)
      wrong(op("open", { kind, toAmount: of(1n, "EUR") }), kind)
    }
    right(settled("BANK_TRANSFER", 1n, { status: "RETURNED", toAmount: null }), "it came back before it was told")
  })

  it("is what was ordered, or no less than was promised", () => {
    for (const kind of ["BANK_TRANSFER", "REFUND", "INTERNAL_TRANSFER"] as const) {
      right(settled(kind, 10_000n))
      for (const units of [9_999n, 10_001n]) wrong(settled(kind, units))
      wrong(settled(kind, 10_000n, {}, "USD"))
    }
    const off = (units: bigint, details: OperationDetails<"OFF_RAMP">) =>
      settled("OFF_RAMP", units, { details: { to_currency: "GBP", ...details } }, "GBP")
    right(off(1n, {}))
    wrong(off(0n, {}))
    const quoted = { toAmountQuoted: of(900n, "GBP") }
    right({ ...off(900n, { floor: "900" }), ...quoted })
    right({ ...off(950n, { floor: "900" }), ...quoted })
    wrong({ ...off(899n, { floor: "900" }), ...quoted })
    wrong(settled("OFF_RAMP", 9_999n), "it converts nothing")
    right(settled("OFF_RAMP", 10_001n))
  })

  it("of a swap is what the custodian made of it, within what was promised", () => {
    const swap = (units: bigint, received: string | undefined) =>
      settled("SWAP", units, { details: { to_currency: "GBP", ...(received !== undefined && { received }) } }, "GBP")
    right(swap(1n, undefined))
    wrong(swap(0n, undefined))
    right(swap(900n, "900"))
    for (const units of [899n, 901n]) wrong(swap(units, "900"))
    wrong({ ...swap(900n, "900"), toAmount: of(900n, "EUR") })
    const promised = (units: bigint, received: string | undefined): Operation => {
      const made = swap(units, received)
      return { ...made, toAmountQuoted: of(1_000n, "GBP"), details: withDetails(made, { floor: "900" }) }
    }
    right(promised(900n, "850"))
    right(promised(950n, "950"))
    right(promised(1_000n, "1200"))
    wrong(promised(1_200n, "1200"))
    wrong(promised(899n, undefined))
    right(promised(900n, undefined))
    const older = { ...promised(950n, undefined), details: { floor: "900" } }
    right(older, "one that does not say what it was to come to")
    wrong({ ...older, toAmount: of(950n, "EUR") })
  })

  it("of what came in is more than nothing, and all of it where operators placed it", () => {
    right(settled("ON_RAMP", 1n, { details: { arrived: "1" } }))
    wrong(settled("ON_RAMP", 0n))
    const placed = { placed: true, arrived: "700", arrived_currency: "USD" } as const
    right(settled("ON_RAMP", 700n, { details: placed }, "USD"))
    for (const units of [699n, 701n]) wrong(settled("ON_RAMP", units, { details: placed }, "USD"))
    wrong(settled("ON_RAMP", 700n, { details: placed }, "EUR"))
  })
})

describe("the feed of events", () => {
  const event = (id: number, occurredAt = id): Event => ({
    id,
    kind: "deposit.settled",
    resourceId: "r",
    occurredAt,
    data: {}
  })
  it("runs from 1 to the tenant's counter, in the order of time", () => {
    holds(eventFeed, { event: [event(1), event(2)], events: 2, lastAt: 2 })
    holds(eventFeed, { event: [event(1, 5), event(2, 5)], events: 2, lastAt: 5 })
    holds(eventFeed, {})
    breaks(eventFeed, { event: [event(2)], events: 2, lastAt: 2 })
    breaks(eventFeed, { event: [event(1), event(3)], events: 3, lastAt: 3 })
    for (const events of [1, 3]) breaks(eventFeed, { event: [event(1), event(2)], events, lastAt: 2 })
    breaks(eventFeed, { event: [event(1, 5), event(2, 4)], events: 2, lastAt: 9 })
    breaks(eventFeed, { event: [event(1, 5)], events: 1, lastAt: 4 })
  })
})

describe("the legs of operations", () => {
  it("are of an operation or of a transaction that is over, and there from when one settled", () => {
    const settled = op("o", { status: "SETTLED", settledAt: 5 })
    const transaction = (phase: OutboundTransaction["phase"]) => ({ id: "t", phase }) as unknown as OutboundTransaction // all of it that is looked at
    holds(operationsOfLegs, { operation: [settled], leg: [leg("o")] })
    holds(operationsOfLegs, { operation: [op("o")], leg: [leg("o")] }, "it is on its way")
    breaks(operationsOfLegs, { operation: [settled] })
    breaks(operationsOfLegs, { operation: [settled], leg: [leg("o", { postedAt: 4 })] })
    breaks(operationsOfLegs, { operation: [settled], leg: [leg("o"), leg("nobody")] })
    holds(operationsOfLegs, { transaction: [transaction("FINAL")], leg: [leg("t")] })
    breaks(operationsOfLegs, { transaction: [transaction("SIGNED")], leg: [leg("t")] })
    breaks(operationsOfLegs, { operation: [op("o", { status: "SETTLED" })] }, "it settled at no time")
    for (const status of ["ACCEPTED", "FAILED"] as const)
      breaks(operationsOfLegs, { operation: [{ ...settled, status }], leg: [leg("o")] }, status)
    holds(operationsOfLegs, { operation: [{ ...settled, status: "RETURNED" }], leg: [leg("o")] })
    breaks(operationsOfLegs, { operation: [{ ...settled, kind: "ADJUSTMENT", status: "RETURNED" }], leg: [leg("o")] })
  })
})

describe("a deposit that is credited", () => {
  const credit = op("c", {
    ...{ kind: "DEPOSIT", status: "SETTLED", network: "base", txHash: "0x1", amount: of(100n, "USDC_BASE") },
    details: { deposit_id: "d" }
  })
  const deposit = (more: Partial<Deposit> = {}): Deposit =>
    ({
      ...{ id: "d", currency: "USDC_BASE", units: 100n, ownUnits: 0n, status: "CONFIRMED", creditedBy: "c" },
      ...{ network: "base", txHash: "0x1", ...more }
    }) as Deposit // all of it that is looked at
  const reversal = (more: Partial<Operation> = {}) =>
    op("r", { kind: "REVERSAL", amount: of(100n, "USDC_BASE"), details: { reverses: "c" }, ...more })

  it("is credited by its operation, as that says, and each such operation credits one", () => {
    holds(creditedDeposits, { operation: [credit], deposit: [deposit()] })
    holds(creditedDeposits, { deposit: [deposit({ creditedBy: null })] })
    const own = { ...credit, kind: "ADJUSTMENT", details: { own_transfer: true, deposit_id: "d" } } as const
    holds(creditedDeposits, { operation: [own], deposit: [deposit({ ownUnits: 100n })] })
    const part = { ...credit, amount: of(70n, "USDC_BASE") }
    holds(creditedDeposits, { operation: [part], deposit: [deposit({ ownUnits: 30n })] })
    for (const more of [
      { creditedBy: "another" },
      { creditedBy: null },
      { status: "REORGED" },
      { network: "ethereum" },
      { txHash: "0x2" },
      { id: "e" },
      { units: 101n },
      { ownUnits: 1n },
      { currency: "USDT_ETH" }
    ] as ReadonlyArray<Partial<Deposit>>)
      breaks(creditedDeposits, { operation: [credit], deposit: [deposit(more)] }, JSON.stringify(Object.keys(more)))
    breaks(creditedDeposits, { operation: [credit] })
    const other = { ...credit, kind: "BANK_TRANSFER", details: { own_transfer: true, deposit_id: "d" } } as const
    const rows = { operation: [other as unknown as Operation], deposit: [deposit()] } // as nobody may write it
    assert.match(foundBy(creditedDeposits, rows) ?? "", /which is not a DEPOSIT/u)
  })

  it("is reversed once, as it was credited, and then credited no more", () => {
    holds(creditedDeposits, { operation: [credit, reversal()] })
    holds(creditedDeposits, { operation: [reversal({ amount: of(-100n, "USDC_BASE") }), credit] })
    const takenBack = reversal({ kind: "ADJUSTMENT", details: { own_transfer: true, reverses: "c" } })
    holds(creditedDeposits, { operation: [credit, takenBack] })
    const still = foundBy(creditedDeposits, { operation: [credit, reversal()], deposit: [deposit()] })
    assert.match(still ?? "", /deposit d is credited by operation c, which was reversed/u)
    const arrival = { wallet_arrival: {}, place: "WALLET" } as const
    const arrived = { ...credit, kind: "ADJUSTMENT", details: arrival } as const
    const gone = reversal({ kind: "ADJUSTMENT", details: { ...arrival, reverses: "c" } })
    holds(creditedDeposits, { operation: [arrived, gone] }, "what came to a wallet is no deposit")
    breaks(creditedDeposits, { operation: [credit, reversal(), { ...reversal(), id: "again" }] })
    breaks(creditedDeposits, { operation: [credit, reversal({ amount: of(99n, "USDC_BASE") })] })
    breaks(creditedDeposits, { operation: [credit, reversal({ amount: of(100n, "USDT_ETH") })] })
    breaks(creditedDeposits, { operation: [reversal()] })
    breaks(creditedDeposits, { operation: [credit, reversal({ details: {} })] }, "it names nothing")
    holds(creditedDeposits, { operation: [op("plain", { kind: "ADJUSTMENT" })] })
  })
})

describe("the key of a request", () => {
  const record = (more: Partial<IdempotencyRecord> = {}): IdempotencyRecord => ({
    ...{ key: "k", endpoint: "POST /v1/transfers", fingerprint: "f", outcome: { _tag: "Done", body: null } },
    ...{ resourceId: "o", recordedAt: 0, ...more }
  })
  const refused = { _tag: "Refused", code: "x", message: "", detail: null } as const

  it("leads to its operation, and every operation that a request made has one", () => {
    holds(recordedOperations, { operation: [op("o")], idempotencyRecord: [record()] })
    breaks(recordedOperations, { operation: [op("o")] })
    for (const resourceId of ["o", null]) {
      const found = foundBy(recordedOperations, { idempotencyRecord: [record({ resourceId })] })
      assert.strictEqual(found, `key k names operation ${resourceId}, which does not exist`)
    }
    holds(recordedOperations, { idempotencyRecord: [record({ outcome: refused, resourceId: null })] })
    holds(recordedOperations, { idempotencyRecord: [record({ endpoint: "POST /v1/quotes" })] })
    const two = [record(), record({ key: "l" })]
    breaks(recordedOperations, { operation: [op("o")], idempotencyRecord: two })
    const endpoints = {
      CHAIN_PAYOUT: "POST /v1/chain-payouts",
      WITHDRAWAL: "POST /v1/withdrawals",
      SWAP: "POST /v1/swaps"
    } as const
    for (const kind of ["CHAIN_PAYOUT", "WITHDRAWAL", "SWAP"] as const) {
      const operation = [op("o", { kind })]
      holds(recordedOperations, { operation, idempotencyRecord: [record({ endpoint: endpoints[kind] })] })
      breaks(recordedOperations, { operation, idempotencyRecord: [record()] }, kind)
    }
    for (const kind of ["DEPOSIT", "ADJUSTMENT", "REVERSAL"] as const)
      holds(recordedOperations, { operation: [op("o", { kind })] }, kind)
  })
})

describe("a quote", () => {
  const quote = (more: Partial<Quote> = {}): Quote =>
    ({
      id: "q",
      amount: of(10_000n, "EUR"),
      customerFee: of(100n, "EUR"),
      amountReceived: of(11_000n, "USD"),
      bindingFloor: of(10_890n, "USD"),
      usedBy: "o",
      ...more
    }) as Quote // all of it that is looked at
  const details = { quote_id: "q", floor: "10890" }
  const user = (more: Partial<Operation> = {}) =>
    op("o", { customerFee: of(100n, "EUR"), toAmountQuoted: of(11_000n, "USD"), details, ...more })

  it("is used once, by the operation that it names, at its price", () => {
    holds(usedQuotes, { operation: [user()], quote: [quote()] })
    holds(usedQuotes, { operation: [op("o")], quote: [quote({ usedBy: null })] })
    breaks(usedQuotes, { operation: [user()], quote: [quote({ usedBy: null })] })
    breaks(usedQuotes, { operation: [op("o")], quote: [quote()] })
    breaks(usedQuotes, { operation: [user()], quote: [quote({ usedBy: "p" })] })
    for (const usedBy of ["o", "p"]) {
      const found = foundBy(usedQuotes, { operation: [user(), user({ id: "p" })], quote: [quote({ usedBy })] })
      assert.strictEqual(found, "operations o and p both use quote q")
    }
    breaks(usedQuotes, { operation: [user()] })
    for (const more of [
      { customerFee: of(99n, "EUR") },
      { amount: of(9_999n, "EUR") },
      { amount: of(10_000n, "USD") },
      { toAmountQuoted: of(11_001n, "USD") },
      { toAmountQuoted: of(11_000n, "EUR") },
      { toAmountQuoted: null },
      { details: { ...details, floor: "10891" } },
      { details: { ...details, floor: null } }
    ])
      breaks(usedQuotes, { operation: [user(more)], quote: [quote()] }, JSON.stringify(Object.keys(more)))
    holds(
      usedQuotes,
      { operation: [user({ details: { quote_id: "q" } })], quote: [quote()] },
      "of before floors were kept"
    )
  })

  it("of money that came in is its price where what was quoted came", () => {
    const came = (arrived: string, fee: bigint, placed = false) =>
      user({
        kind: "ON_RAMP",
        customerFee: of(fee, "EUR"),
        details: { ...details, arrived, ...(placed && { placed: true }) }
      })
    holds(usedQuotes, { operation: [came("10000", 100n)], quote: [quote()] })
    breaks(usedQuotes, { operation: [came("10000", 99n)], quote: [quote()] })
    holds(usedQuotes, { operation: [came("9999", 99n)], quote: [quote()] })
    holds(usedQuotes, { operation: [came("10000", 0n, true)], quote: [quote()] })
    const placed = { ...came("9999", 99n, true), kind: "BANK_TRANSFER" } as const
    breaks(usedQuotes, { operation: [placed], quote: [quote()] }, "what is paid out has the price of its quote")
  })
})

describe("an account of a customer", () => {
  const account = (currency = "EUR") => [{ id: "a", currency }] as unknown as NonNullable<Rows["account"]> // all of it that is looked at
  const moved = (more: Partial<Operation> = {}) =>
    op("o", { kind: "INTERNAL_TRANSFER", status: "SETTLED", details: { account_id: "a" }, ...more })
  const booked = moved({
    kind: "ADJUSTMENT",
    details: { account_id: "a", incoming: "i", provider_account_id: "p" }
  })
  const incoming = (key = incomingKey("p", "i")) =>
    [{ key, operationId: "o" }] as unknown as NonNullable<Rows["incoming"]> // all of it that is looked at
  const credited = (units = 10_000n, more: Partial<PostedLeg> = {}) => [
    leg("o", { account: "account:a", direction: "CREDIT", units, ...more })
  ]

  it("holds what was moved there and what arrived, each booked once", () => {
    holds(customerAccounts, { account: account(), operation: [moved()], leg: credited() })
    for (const units of [9_999n, 10_001n])
      breaks(customerAccounts, { account: account(), operation: [moved()], leg: credited(units) })
    breaks(customerAccounts, {
      account: account(),
      operation: [moved()],
      leg: credited(10_000n, { direction: "DEBIT" })
    })
    breaks(customerAccounts, {
      account: account(),
      operation: [moved()],
      leg: credited(10_000n, { account: "account:b" })
    })
    breaks(customerAccounts, { account: account(), operation: [moved()] })
    breaks(customerAccounts, { operation: [moved()], leg: credited() })
    breaks(customerAccounts, { account: account("USD"), operation: [moved()], leg: credited() })
    breaks(customerAccounts, { account: account(), leg: credited() })
    holds(customerAccounts, { account: account(), operation: [moved({ status: "FAILED" })] })
    holds(customerAccounts, { account: account(), operation: [moved()], leg: [...credited(), leg("o")] })
    const both = { account: account(), operation: [booked], leg: credited() }
    holds(customerAccounts, { ...both, incoming: incoming() })
    breaks(customerAccounts, both)
    breaks(customerAccounts, { ...both, incoming: incoming("another") })
    breaks(customerAccounts, { incoming: incoming() })
    const other = { ...both, operation: [{ ...booked, kind: "ON_RAMP" } as unknown as Operation] } // as nobody may write it
    breaks(customerAccounts, { ...other, incoming: incoming() }, "it is no correction of the books")
    breaks(customerAccounts, { ...both, incoming: [...incoming(), ...incoming()] })
    holds(customerAccounts, { operation: [moved({ kind: "ADJUSTMENT" })] }, "it is of no account")
  })
})

describe("the queues", () => {
  const job = (queue: string, key: string) =>
    [{ queue, key, dueAt: 0, tenantId: "t" }] as unknown as NonNullable<Rows["job"]> // all of it that is looked at
  const order = { network: "base", currency: "USDC_BASE", contract: null, units: 7n, to: "0xa", memo: null }
  const payout = newPayout("o", order, "maker")
  const chainPayout = (more: Partial<Operation> = {}) => op("o", { kind: "CHAIN_PAYOUT", ...more })
  const review = { details: { review: { state: "PENDING" } }, status: "IN_REVIEW" } as const

  /** An operator reads what is in no queue, and in which it has to be. */
  const misses = (rows: Rows, what: string) => assert.strictEqual(foundBy(jobQueue, rows), what)

  it("have what a provider carries out until it is over, and nothing that is not open", () => {
    for (const [kind, queue] of [
      ["WITHDRAWAL", "custodian"],
      ["SWAP", "custodian"],
      ["BANK_TRANSFER", "transfer"],
      ["ON_RAMP", "transfer"]
    ] as const) {
      const operation = [op("o", { kind })]
      holds(jobQueue, { operation, job: job(queue, "o") }, kind)
      misses({ operation }, `${kind} o, which is ACCEPTED, is not in the queue ${queue}`)
      breaks(jobQueue, { operation, job: job(queue === "custodian" ? "transfer" : "custodian", "o") }, kind)
      breaks(jobQueue, { operation: [op("o", { kind, status: "FAILED" })], job: job(queue, "o") }, kind)
      holds(jobQueue, {
        operation: [op("o", { kind, status: "FAILED", details: { failed_at: 1 } })],
        job: job(queue, "o")
      })
      holds(jobQueue, { operation: [op("o", { kind, ...review })] }, `${kind} before an operator`)
      const settled = op("o", { kind, status: "SETTLED", settledAt: 1 })
      holds(jobQueue, { operation: [settled] })
      assert.strictEqual(
        foundBy(jobQueue, { operation: [settled], job: job(queue, "o") }) === undefined,
        queue === "transfer",
        "a bank may take it back"
      )
    }
    holds(jobQueue, { operation: [op("o", { kind: "DEPOSIT" })] })
    holds(jobQueue, { job: job("webhook", "o") }, "what is no queue of these is not judged")
    for (const queue of [
      accountQueue,
      verificationQueue,
      "payout:base",
      transactionQueue("base"),
      openSweepQueue("base")
    ])
      breaks(jobQueue, { job: job(queue, "nobody") }, queue)
  })

  it("have transactions and sweeps until they are over, and what a provider keeps of a customer under its own id", () => {
    const transaction = (phase: OutboundTransaction["phase"]) => ({
      transaction: [{ id: "o", network: "base", phase }] as unknown as NonNullable<Rows["transaction"]> // all of it that is looked at
    })
    const sweep = (closedAt: number | null) => ({
      sweep: [{ id: "o", network: "base", state: "PLANNED", closedAt }] as unknown as NonNullable<Rows["sweep"]> // all of it that is looked at
    })
    for (const [open, over, queue, named] of [
      [transaction("SIGNED"), transaction("FINAL"), transactionQueue("base"), "transaction o, which is SIGNED"],
      [sweep(null), sweep(1), openSweepQueue("base"), "sweep o, which is PLANNED"]
    ] as const) {
      misses(open, `${named}, is not in the queue ${queue}`)
      holds(jobQueue, { ...open, job: job(queue, "o") })
      breaks(jobQueue, { ...open, job: job(queue, "p|o") }, "it has no other name")
      holds(jobQueue, over)
      breaks(jobQueue, { ...over, job: job(queue, "o") })
    }
    const customer = [{ id: "o" }] as unknown as NonNullable<Rows["customer"]> // all of it that is looked at
    const account = [{ id: "o" }] as unknown as NonNullable<Rows["account"]> // all of it that is looked at
    for (const key of ["o", "theirs|o"]) {
      holds(jobQueue, { customer, job: job(verificationQueue, key) })
      holds(jobQueue, { account, job: job(accountQueue, key) })
      breaks(jobQueue, { customer, job: job(accountQueue, key) })
      breaks(jobQueue, { account, job: job(verificationQueue, key) })
    }
    holds(jobQueue, { customer, account })
    breaks(jobQueue, { operation: [op("o")], job: job(transferQueue, "theirs|o") }, "an operation has no other name")
  })

  it("have payouts that are in no transaction, unless they wait for an operator", () => {
    const held = { reason: "strange", detail: "somebody has written it", since: 0, tries: 1 }
    const waits = (operation: Operation, inQueue: boolean, inTransaction = false, why: Payout["waits"] = held) => ({
      operation: [operation],
      payout: [{ ...payout, transactionId: inTransaction ? "t" : null, waits: why }],
      ...(inQueue && { job: job("payout:base", "o") })
    })
    holds(jobQueue, waits(chainPayout(), true))
    misses(waits(chainPayout(), false), "CHAIN_PAYOUT o, which is ACCEPTED, is not in the queue payout:base")
    holds(jobQueue, waits(chainPayout(), false, true))
    breaks(jobQueue, waits(chainPayout(), true, true))
    // the chain may be asked what else has paid it
    for (const inTransaction of [true, false])
      holds(jobQueue, waits(chainPayout({ status: "SETTLED" }), true, inTransaction))
    holds(jobQueue, waits(chainPayout({ status: "SETTLED" }), false))
    for (const inQueue of [true, false]) {
      holds(jobQueue, waits(chainPayout(review), inQueue))
      // it was sent before, so it cannot go into review
      holds(jobQueue, waits(chainPayout({ status: "SENT", unresolved: true }), inQueue))
    }
    breaks(jobQueue, waits(chainPayout({ status: "SENT" }), false))
    breaks(
      jobQueue,
      waits(chainPayout({ status: "SENT", unresolved: true }), false, false, null),
      "it waits for nothing"
    )
    breaks(jobQueue, waits(chainPayout({ unresolved: true }), false), "it could go into review")
  })
})
