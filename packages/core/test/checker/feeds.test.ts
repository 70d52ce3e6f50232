import { depositFeed } from "@bursar/core/checker/depositFeedInvariant"
import { outcomes } from "@bursar/core/checker/outcomeInvariant"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import type { Event, EventKind } from "@bursar/core/event/Event"
import { of } from "@bursar/core/money/Amount"
import type { Operation } from "@bursar/core/operation/Operation"
import { assert, describe, it } from "@effect/vitest"
import { operationOf } from "../transfer/operationOf.ts"
import { foundBy, type Rows } from "./foundBy.ts"

const holds = (rule: Parameters<typeof foundBy>[0], rows: Rows, why = "") =>
  assert.strictEqual(foundBy(rule, rows) ?? "nothing", "nothing", why)

const breaks = (rule: Parameters<typeof foundBy>[0], rows: Rows, why = "") => assert.isDefined(foundBy(rule, rows), why)

/** A transfer of 100 EUR that settled at 5, with a transaction. */
const settled = (more: Partial<Operation> = {}) =>
  operationOf("BANK_TRANSFER", { id: "o", status: "SETTLED", settledAt: 5, txHash: "0x1", ...more })

/** What is told of that. */
const told = (outcome: string, more: Partial<Event> = {}, data: Event["data"] = {}): Event => ({
  ...{ id: 1, kind: `payout.${outcome}` as EventKind, resourceId: "o", occurredAt: 5 },
  data: {
    ...{ operation_id: "o", kind: "BANK_TRANSFER", status: outcome.toUpperCase(), amount: "100", currency: "EUR" },
    ...{ tx_hash: "0x1", ...data }
  },
  ...more
})

describe("the events of an operation", () => {
  it("tell that it settled, once, with what moved and when", () => {
    holds(outcomes, { operation: [settled()], event: [told("settled")] })
    breaks(outcomes, { operation: [settled()] })
    breaks(outcomes, { operation: [settled()], event: [told("settled"), told("settled")] })
    for (const data of [
      { operation_id: "p" },
      { kind: "REFUND" },
      { status: "FAILED" },
      { amount: "100.01" },
      { currency: "USD" },
      { tx_hash: "0x2" }
    ])
      breaks(outcomes, { operation: [settled()], event: [told("settled", {}, data)] }, JSON.stringify(data))
    for (const settledAt of [4, null]) {
      const found = foundBy(outcomes, { operation: [settled({ settledAt })], event: [told("settled")] })
      assert.strictEqual(found, `event 1 tells of operation o at 5, it settled at ${settledAt}`)
    }
    breaks(outcomes, { operation: [settled()], event: [told("settled", { kind: "transfer.settled" })] })
    breaks(outcomes, { event: [told("settled")] })
    breaks(outcomes, { operation: [settled({ status: "ACCEPTED", settledAt: null })], event: [told("settled")] })
    const other = settled({ id: "p" })
    const both = { operation: [settled(), other], event: [told("settled")] }
    assert.match(foundBy(outcomes, both) ?? "", /operation p has settled, no event payout.settled tells of it/u)
    const twice = { operation: [settled({ settledAt: 5, status: "FAILED" })], event: [told("settled")] }
    assert.match(foundBy(outcomes, twice) ?? "", /operation o has failed, no event payout.failed tells of it/u)
    for (const kind of ["ADJUSTMENT", "REVERSAL"] as const) holds(outcomes, { operation: [settled({ kind })] }, kind)
    holds(outcomes, { event: [told("settled", { kind: "xpub.registered" })] }, "what is about no operation")
  })

  it("tell that it failed where it did, and that nothing is known of it where that is so", () => {
    const failed = settled({ status: "FAILED", settledAt: null })
    holds(outcomes, { operation: [failed], event: [told("failed", { occurredAt: 9 })] })
    breaks(outcomes, { operation: [failed] })
    const again = foundBy(outcomes, { operation: [failed], event: [told("failed"), told("failed")] })
    assert.match(again ?? "", /2 events payout.failed tells of it/u)
    const never = foundBy(outcomes, { operation: [settled()], event: [told("settled"), told("failed")] })
    assert.match(never ?? "", /has not failed, one event payout.failed tells of it/u)
    breaks(outcomes, { operation: [failed], event: [told("failed", {}, { tx_hash: "0x2" })] })
    breaks(outcomes, { operation: [failed], event: [told("failed", {}, { amount: "1" })] })
    breaks(outcomes, { operation: [settled()], event: [told("settled"), told("failed")] })
    const unknown = settled({ status: "SENT", settledAt: null, unresolved: true })
    const flagged = told("unresolved", {}, { status: "SENT", tx_hash: null })
    holds(outcomes, { operation: [unknown], event: [flagged] })
    holds(outcomes, { operation: [unknown], event: [flagged, flagged] }, "it may be told again")
    holds(outcomes, { operation: [{ ...unknown, unresolved: false }], event: [flagged] }, "it is known again")
    breaks(outcomes, { operation: [unknown] })
  })

  it("tell each part that came back, and all of them what did", () => {
    const back = (returned: string | undefined, more: Partial<Operation> = {}) =>
      settled({ status: "RETURNED", details: returned === undefined ? {} : { returned }, ...more })
    const part = (amount: string, more: Partial<Event> = {}) => told("returned", more, { amount })
    const first = told("settled")
    const later = { occurredAt: 9 }
    holds(outcomes, { operation: [back("4000")], event: [first, part("40", later)] })
    holds(outcomes, { operation: [back("4050")], event: [first, part("40", later), part("0.5", later)] })
    holds(outcomes, { operation: [back(undefined)], event: [first, part("100", later)] })
    holds(outcomes, { operation: [back("4001")], event: [first, part("40.01", later)] })
    breaks(outcomes, { operation: [back("4001")], event: [first, part("4.001", later)] }, "that is no amount of it")
    for (const amount of ["40.01", "39.99", "0", "40.001", "x", "", "40x", "-40"])
      breaks(outcomes, { operation: [back("4000")], event: [first, part(amount, later)] }, amount)
    breaks(outcomes, { operation: [back("4000")], event: [first] })
    breaks(outcomes, { operation: [back("4000")], event: [first, part("40", later), part("0", later)] })
    breaks(outcomes, { operation: [back("4000")], event: [part("40", later)] }, "that it settled is missing")
    holds(outcomes, { operation: [back("4000")], event: [part("40")] }, "it settled and came back at once")
    breaks(outcomes, { operation: [settled()], event: [first, part("40", later)] })
    breaks(outcomes, {
      operation: [back("4000")],
      event: [first, told("returned", later, { amount: "40", currency: "USD" })]
    })
    breaks(outcomes, {
      operation: [back("4000")],
      event: [first, told("returned", later, { amount: "40", status: "SENT" })]
    })
    const early = back(undefined, { settledAt: null })
    holds(outcomes, { operation: [early], event: [part("100")] }, "it never settled")
  })

  it("of money that came in tell what came, and what was announced where that was not priced anew", () => {
    const onRamp = (details: Operation["details"]) => settled({ kind: "ON_RAMP", details })
    const came = (amount: string, currency = "EUR") =>
      told("settled", { kind: "transfer.settled" }, { kind: "ON_RAMP", amount, currency })
    const priced = { repriced_because: "less came" }
    holds(outcomes, { operation: [onRamp({ arrived: "9000", ...priced })], event: [came("90")] })
    breaks(outcomes, { operation: [onRamp({ arrived: "9000", ...priced })], event: [came("100")] })
    holds(outcomes, { operation: [onRamp({ arrived: "9000" })], event: [came("100")] })
    const dollars = { arrived: "9000", arrived_currency: "USD", ...priced }
    holds(outcomes, { operation: [onRamp(dollars)], event: [came("90", "USD")] })
    const same = { arrived: "10000", arrived_currency: "USD" }
    holds(outcomes, { operation: [onRamp(same)], event: [came("100", "USD")] }, "nothing was to be priced anew")
    const on = (outcome: string, amount: string, currency: string, data: Event["data"] = {}) =>
      told(
        outcome,
        { kind: `transfer.${outcome}` as EventKind, occurredAt: 9 },
        { kind: "ON_RAMP", amount, currency, ...data }
      )
    const failed = settled({ kind: "ON_RAMP", status: "FAILED", settledAt: null, details: dollars })
    holds(outcomes, { operation: [failed], event: [on("failed", "100", "EUR")] }, "what was announced")
    breaks(outcomes, { operation: [failed], event: [on("failed", "90", "USD")] })
    const back = (returned: object) =>
      settled({ kind: "ON_RAMP", status: "RETURNED", details: { ...dollars, ...returned } })
    const some = [came("90", "USD"), on("returned", "40", "USD")]
    holds(outcomes, { operation: [back({ returned: "4000" })], event: some })
    breaks(outcomes, {
      operation: [back({ returned: "4000" })],
      event: [came("90", "USD"), on("returned", "40", "EUR")]
    })
    // before parts were told of, what came back was told with the amount that was announced
    const whole = [came("90", "USD"), on("returned", "100", "USD")]
    holds(outcomes, { operation: [back({})], event: whole })
    breaks(outcomes, { operation: [back({})], event: [came("90", "USD"), on("returned", "90", "USD")] })
  })

  it("of a deposit tell which it credits, and what", () => {
    const credit = settled({
      ...{ kind: "DEPOSIT", network: "base", amount: of(5_000_000n, "USDC_BASE") },
      details: { deposit_id: "d" }
    })
    const event = (data: Event["data"] = {}): Event => ({
      ...{ id: 1, kind: "deposit.settled", resourceId: "o", occurredAt: 5 },
      data: {
        ...{ deposit_id: "d", tx_hash: "0x1", network: "base", amount_units: "5000000", amount: "5" },
        ...{ currency: "USDC_BASE", ...data }
      }
    })
    holds(outcomes, { operation: [credit], event: [event()] })
    for (const data of [
      { deposit_id: "e" },
      { tx_hash: "0x2" },
      { network: "ethereum" },
      { amount_units: "5000001" },
      { amount: "6" },
      { currency: "USDT_ETH" }
    ])
      breaks(outcomes, { operation: [credit], event: [event(data)] }, JSON.stringify(data))
    for (const settledAt of [4, 6, null]) {
      const found = foundBy(outcomes, { operation: [{ ...credit, settledAt }], event: [event()] })
      assert.strictEqual(found, `event 1 tells of operation o at 5, it settled at ${settledAt}`)
    }
  })
})

describe("the feed of deposits", () => {
  const deposit = (more: Partial<Deposit> = {}): Deposit =>
    ({
      ...{ id: "d", status: "CONFIRMED", changeSeq: 2, network: "base", address: "0xa", txHash: "0x1" },
      ...{ transferIndex: 3, historical: false, units: 5_000_000n, currency: "USDC_BASE" },
      ...{ block: { number: 9, hash: "h", time: 0 }, ...more }
    }) as Deposit // all of it that is looked at
  const event = (status: string, change: number, data: Event["data"] = {}): Event => ({
    ...{ id: change, kind: `deposit.${status.toLowerCase()}` as EventKind, resourceId: "d", occurredAt: change },
    data: {
      ...{ status, change_seq: change, deposit_id: "d", network: "base", address: "0xa", tx_hash: "0x1" },
      ...{ transfer_index: 3, historical: false, amount_units: "5000000", amount: "5", currency: "USDC_BASE" },
      ...{ block_number: 9, ...data }
    }
  })
  // what the head counts is told by another test
  const feed = (one: Deposit, ...events: ReadonlyArray<Event>): Rows => ({ deposit: [one], event: events })
  const wrong = (rows: Rows) => foundBy({ ...depositFeed, run: () => ({}) }, rows)
  const [seen, confirmed] = [event("DETECTED", 1), event("CONFIRMED", 2)]

  it("tells every change in turn, as many as the head counts", () => {
    const head = (changes: ReadonlyArray<Event>) => foundBy({ name: "", rule: "", run: counted }, { event: changes })
    const counted: NonNullable<typeof depositFeed.run> = (given) =>
      depositFeed.run?.({ ...given, head: { ...given.head, changeSeq: 2 } }) ?? {}
    assert.isUndefined(head([seen, confirmed]))
    assert.isUndefined(head([seen, { ...seen, kind: "payout.settled" }, confirmed]))
    assert.isDefined(head([seen]))
    assert.isDefined(head([seen, confirmed, event("REORGED", 3)]))
    assert.isDefined(head([confirmed, seen]))
    assert.isDefined(head([seen, event("CONFIRMED", 3)]))
  })

  it("ends with what the deposit shows", () => {
    assert.isUndefined(wrong(feed(deposit(), seen, confirmed)))
    assert.isDefined(wrong({ deposit: [deposit()] }))
    assert.isDefined(wrong({ event: [seen] }))
    assert.isDefined(wrong(feed(deposit(), seen)), "the last change was not told")
    for (const more of [
      { status: "DETECTED" },
      { network: "ethereum" },
      { address: "0xb" },
      { txHash: "0x2" },
      { transferIndex: 4 },
      { historical: true },
      { units: 5_000_001n },
      { currency: "USDT_ETH" },
      { block: null },
      { block: { number: 8, hash: "h", time: 0 } },
      { id: "e" }
    ] as ReadonlyArray<Partial<Deposit>>)
      assert.isDefined(wrong(feed(deposit(more), seen, confirmed)), JSON.stringify(Object.keys(more)))
    const unplaced = event("CONFIRMED", 2, { block_number: null })
    assert.isUndefined(wrong(feed(deposit(), seen, unplaced)), "the block came after the event")
  })

  it("tells the same of a deposit each time, but where it came back in another block", () => {
    const other = { network: "ethereum", tx_hash: "0x2", transfer_index: 4 }
    const ofBlock = { address: "0xb", historical: true, amount_units: "6000000", currency: "USDC_ETH" }
    const shown = { address: "0xb", historical: true, units: 6_000_000n, currency: "USDC_ETH", changeSeq: 3 }
    for (const [name, value] of Object.entries({ ...other, ...ofBlock })) {
      const amount = name === "amount_units" ? { amount: "6" } : {}
      assert.isDefined(
        wrong({ event: [event("DETECTED", 1, { [name]: value, ...amount }), confirmed], deposit: [deposit()] }),
        name
      )
    }
    const reorged = event("REORGED", 2)
    const again = event("DETECTED", 3, { ...ofBlock, amount: "6" })
    const back = deposit({ ...shown, status: "DETECTED" } as Partial<Deposit>)
    assert.isUndefined(wrong(feed(back, seen, reorged, again)))
    for (const [name, value] of Object.entries(other)) {
      const changed = event("DETECTED", 3, { ...ofBlock, amount: "6", [name]: value })
      assert.isDefined(wrong(feed(back, seen, reorged, changed)), name)
    }
  })

  it("says of each change what it is, and its amount in both ways", () => {
    for (const units of [5_000_000, "5000000x", "x5000000", "", null])
      for (const amount of ["5", null]) {
        const told = event("DETECTED", 1, { amount_units: units, amount })
        assert.isDefined(wrong(feed(deposit(), told, confirmed)), `${units} and ${amount}`)
      }
    for (const data of [{ status: "CONFIRMED" }, { amount: "6" }, { deposit_id: "e" }])
      assert.isDefined(wrong(feed(deposit(), event("DETECTED", 1, data), confirmed)), JSON.stringify(data))
    assert.isUndefined(wrong({ event: [{ ...seen, kind: "payout.settled" }] }), "what is about no deposit")
  })
})
