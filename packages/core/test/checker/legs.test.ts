import { operationLegs } from "@bursar/core/checker/legInvariant"
import type { FiatAccount } from "@bursar/core/account/FiatAccount"
import { of } from "@bursar/core/money/Amount"
import { type Operation, operationStatuses } from "@bursar/core/operation/Operation"
import { addressOrigins } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { operationOf } from "../transfer/operationOf.ts"
import { booked, type Entry, hasLegs, lacksLegs, operationHas } from "./bookedLegs.ts"
import { foundBy } from "./foundBy.ts"

/** An operation of 100.00 EUR with a fee of 1.00 EUR. */
const made = (kind: Operation["kind"], more: Partial<Operation> = {}): Operation =>
  operationOf("BANK_TRANSFER", { id: "o", kind, customerFee: of(100n, "EUR"), ...more })

/** An operation of 5 USDC on base. */
const onBase = (kind: Operation["kind"], more: Partial<Operation> = {}): Operation =>
  made(kind, { network: "base", amount: of(5n, "USDC_BASE"), customerFee: of(1n, "USDC_BASE"), ...more })

const open = operationStatuses.filter((status) => !["SETTLED", "FAILED", "RETURNED"].includes(status))

describe("the legs of what leaves", () => {
  const hold: Entry = ["float:available", "float:held", 10_100n, "hold"]
  const release: Entry = ["float:held", "float:available", 10_100n, "release"]
  const fee: Entry = ["float:held", "fees", 100n, "fee"]
  const places = [
    ["WITHDRAWAL", "custodian"],
    ["OFF_RAMP", "bank"],
    ["BANK_TRANSFER", "bank"],
    ["REFUND", "bank"]
  ] as const
  const ofBase = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> =>
    entries.map(([debited, credited, units, what]) => [debited, credited, units, what, "USDC_BASE"])
  const payoutHold = ofBase([["float:available", "float:held", 6n, "hold"]])
  const paidOut = [
    ...payoutHold,
    ...ofBase([
      ["float:held", "chain:base:payouts", 5n, "principal"],
      ["float:held", "fees", 1n, "fee"]
    ])
  ]

  it("hold amount and fee, until they leave, each to its place, or are free again", () => {
    for (const [kind, place] of places) {
      for (const status of open) operationHas(made(kind, { status }), [hold])
      operationHas(made(kind, { status: "FAILED" }), [hold, release])
      operationHas(made(kind, { status: "FAILED", settledAt: 1 }), [hold, release])
      const settled: ReadonlyArray<Entry> = [hold, ["float:held", place, 10_000n, "principal"], fee]
      operationHas(made(kind, { status: "SETTLED", settledAt: 1 }), settled)
    }
    for (const status of open) operationHas(onBase("CHAIN_PAYOUT", { status }), payoutHold)
    operationHas(onBase("CHAIN_PAYOUT", { status: "SETTLED", settledAt: 1 }), paidOut)
  })

  it("bring back what the bank gives back, and keep the fee of what had settled", () => {
    const settled: ReadonlyArray<Entry> = [hold, ["float:held", "bank", 10_000n, "principal"], fee]
    const returned = (more: Partial<Operation>) => made("OFF_RAMP", { status: "RETURNED", settledAt: 1, ...more })
    operationHas(returned({}), [...settled, ["bank", "float:available", 10_000n, "return"]], "all of it")
    const part = returned({ details: { returned: "2500" } })
    operationHas(part, [...settled, ["bank", "float:available", 2_500n, "return"]], "a part")
    operationHas(returned({ settledAt: null }), [hold, release], "before it settled")
  })

  it("are no more than the hold where no place is known", () => {
    operationHas(onBase("CHAIN_PAYOUT", { status: "SETTLED", network: null }), payoutHold)
  })

  it("have the cost of the network of a withdrawal where the service bears it", () => {
    const settled: ReadonlyArray<Entry> = [hold, ["float:held", "custodian", 10_000n, "principal"], fee]
    const cost: Entry = ["network_fees", "custodian", 7n, "network_fee"]
    const withdrawal = (more: Partial<Operation>) =>
      made("WITHDRAWAL", { status: "SETTLED", settledAt: 1, networkFee: of(7n, "EUR"), ...more })
    operationHas(withdrawal({ details: { network_fee_borne_by: "SERVICE" } }), [...settled, cost], "by the service")
    operationHas(withdrawal({ details: { network_fee_borne_by: "RECEIVER" } }), settled, "by the receiver")
    const nothing = { networkFee: of(0n, "EUR"), details: { network_fee_borne_by: "SERVICE" } } as const
    operationHas(withdrawal(nothing), settled, "nothing")
    operationHas(withdrawal({ networkFee: null, details: { network_fee_borne_by: "SERVICE" } }), settled, "not told")
    operationHas(withdrawal({ networkFee: null }), settled, "neither told nor borne")
    operationHas(withdrawal({ networkFee: of(0n, "EUR") }), settled, "nothing, by nobody")
    for (const more of [{ details: { network_fee_borne_by: "RECEIVER" } }, { networkFee: of(0n, "EUR") }] as const)
      lacksLegs({ operation: [withdrawal(more)] }, booked("o", [...settled, cost]), "the service bears nothing")
    const old = { operation: [withdrawal({})] }
    for (const entries of [settled, [...settled, cost]]) hasLegs(old, booked("o", entries), "it does not say who")
    lacksLegs(old, booked("o", [...settled, ["network_fees", "fees", 7n, "network_fee"]]))
    const transfer = made("BANK_TRANSFER", { status: "SETTLED", networkFee: of(7n, "EUR") })
    const sent: ReadonlyArray<Entry> = [hold, ["float:held", "bank", 10_000n, "principal"], fee]
    operationHas(transfer, sent, "it has no network")
    lacksLegs({ operation: [transfer] }, booked("o", [...sent, cost]), "it has no network")
  })

  it("have the cost of the transaction that is proven to have made a payout", () => {
    const proven = { tx_hash: "0xe", given_by: "alice", network_fee: "7" }
    const payout = (more: Partial<Operation>) => onBase("CHAIN_PAYOUT", { status: "SETTLED", settledAt: 1, ...more })
    const told = { networkFee: of(7n, "ETH_BASE"), details: { proven_by: proven } } as const
    const cost: Entry = ["network_fees", "chain:base:payouts", 7n, "network_fee", "ETH_BASE"]
    operationHas(payout(told), [...paidOut, cost])
    operationHas(payout({ ...told, networkFee: null }), paidOut, "its cost is not told")
    operationHas(payout({ ...told, details: {} }), paidOut, "the cost is with its own transaction")
    const { network_fee: _, ...silent } = proven
    operationHas(payout({ ...told, details: { proven_by: silent } }), paidOut, "the proof does not tell it")
  })
})

describe("the legs of an internal transfer", () => {
  it("bring its amount from the float to the account of the customer once it has settled", () => {
    const transfer = (status: Operation["status"]) =>
      made("INTERNAL_TRANSFER", { status, customerFee: of(0n, "EUR"), details: { account_id: "a" } })
    for (const status of operationStatuses)
      operationHas(
        transfer(status),
        status === "SETTLED" ? [["float:available", "account:a", 10_000n, "principal"]] : []
      )
  })
})

describe("the legs of a swap", () => {
  const out: ReadonlyArray<Entry> = [
    ["float:available", "exchange", 10_000n, "convert_out"],
    ["float:available", "fees", 100n, "fee"]
  ]
  const sold: Entry = ["exchange", "custodian", 10_000n, "convert_out"]
  const bought = (debited: Entry[0], credited: Entry[1], units: bigint): Entry => [
    ...([debited, credited, units, "convert_in", "ETH"] as const)
  ]

  it("take amount and fee from the float when it is accepted, and give both back where it fails", () => {
    for (const status of [...open, "RETURNED"] as const) operationHas(made("SWAP", { status }), out)
    operationHas(made("SWAP", { status: "FAILED" }), [
      ...out,
      ["exchange", "float:available", 10_000n, "return"],
      ["fees", "float:available", 100n, "return"]
    ])
  })

  it("bring what was received to the custodian: the tenant is credited what it was promised, the rest is income", () => {
    const settled = (details: Operation["details"], more: Partial<Operation> = {}) =>
      made("SWAP", { status: "SETTLED", settledAt: 1, toAmount: of(50n, "ETH"), details, ...more })
    const credited = [bought("custodian", "exchange", 60n), bought("exchange", "float:available", 50n)]
    const entries = [...out, sold, ...credited, bought("exchange", "fees", 10n)]
    operationHas(settled({ received: "60" }), entries)
    const dear = [bought("custodian", "exchange", 45n), bought("exchange", "float:available", 50n)]
    operationHas(settled({ received: "45" }), [...out, sold, ...dear, bought("fees", "exchange", 5n)], "at a loss")
    const beside = { received: "60", fees_beside: [{ currency: "BTC", units: "3" }] }
    operationHas(settled(beside), [...entries, ["fees", "custodian", 3n, "convert_out", "BTC"]], "a fee beside")
    for (const status of open)
      operationHas(made("SWAP", { status, toAmount: of(50n, "ETH"), details: beside }), out, "it has not settled")
    operationHas(settled({ received: "60" }, { toAmount: null }), [...out, sold], "nothing was credited")
  })

  it("credit what they say, also where they do not tell what the custodian paid", () => {
    const old = { operation: [made("SWAP", { status: "SETTLED", settledAt: 1, toAmount: of(50n, "ETH") })] }
    const entries = [...out, sold, bought("custodian", "exchange", 60n), bought("exchange", "float:available", 50n)]
    hasLegs(old, booked("o", [...entries, bought("exchange", "fees", 10n)]))
    hasLegs(old, booked("o", [...out, sold, bought("custodian", "float:available", 50n)]))
    lacksLegs(old, booked("o", [...out, sold, bought("custodian", "float:available", 51n)]), "another amount")
    lacksLegs(old, booked("o", [...out, sold, bought("bank", "float:available", 50n)]), "from another place")
    lacksLegs(old, booked("o", entries), "what was received is not given out")
    const silent = { operation: [made("SWAP", { status: "SETTLED", settledAt: 1 })] }
    hasLegs(silent, booked("o", [...out, sold]))
  })

  it("are not judged by a text that is no number", () => {
    for (const received of ["-1", "1.5", "x1", "1x", ""]) {
      const wrong = made("SWAP", { status: "SETTLED", toAmount: of(50n, "ETH"), details: { received } })
      assert.throws(() => foundBy(operationLegs, { operation: [wrong] }), `${received} is no amount in base units`)
    }
  })
})

describe("the legs of what a payer brings", () => {
  const arrived = (details: Operation["details"], more: Partial<Operation> = {}) =>
    made("ON_RAMP", {
      ...{ status: "SETTLED", settledAt: 1, toAmount: of(9_000n, "EUR"), customerFee: of(90n, "EUR") },
      details: { arrived: "9000", ...details } as Operation["details"], // fields of one kind
      ...more
    })
  const credited: ReadonlyArray<Entry> = [
    ["bank", "float:available", 9_000n, "principal"],
    ["float:available", "fees", 90n, "fee"]
  ]

  it("are none before it arrived, and where it failed or went back before", () => {
    for (const status of [...open, "FAILED", "RETURNED"] as const) operationHas(made("ON_RAMP", { status }), [])
  })

  it("credit what arrived, whatever was announced, less the fee of it", () => {
    operationHas(arrived({}), credited)
    const dollars: ReadonlyArray<Entry> = [
      ["bank", "float:available", 9_000n, "principal", "USD"],
      ["float:available", "fees", 90n, "fee", "USD"]
    ]
    operationHas(arrived({ arrived_currency: "USD" }), dollars, "in another currency")
    const quoted = arrived({}, { toAmount: of(8_000n, "EUR") })
    const byOldRule: ReadonlyArray<Entry> = [
      ["bank", "float:available", 8_000n, "principal"],
      ["bank", "fees", 1_000n, "principal"],
      ["float:available", "fees", 90n, "fee"]
    ]
    operationHas(quoted, byOldRule, "what was quoted, by the rule of old")
  })

  it("take back what went back, and the fee of that share", () => {
    const back: ReadonlyArray<Entry> = [
      ["float:available", "bank", 3_000n, "return"],
      ["fees", "float:available", 30n, "return"]
    ]
    operationHas(arrived({ returned: "3000" }), [...credited, ...back], "a part")
    const all: ReadonlyArray<Entry> = [
      ["float:available", "bank", 9_000n, "return"],
      ["fees", "float:available", 90n, "return"]
    ]
    operationHas(arrived({}, { status: "RETURNED" }), [...credited, ...all], "all of it")
  })

  it("stand where nobody's money stands until somebody says whose it is", () => {
    const suspended: Entry = ["bank", "suspense", 9_000n, "principal"]
    const unknown = { settledAt: null, status: "PROCESSING", customerFee: of(0n, "EUR") } as const
    operationHas(arrived({ suspended: true }, unknown), [suspended])
    const back: Entry = ["suspense", "bank", 3_000n, "return"]
    operationHas(arrived({ suspended: true, returned: "3000" }, unknown), [suspended, back])
    const placed = arrived({ placed: true }, { customerFee: of(0n, "EUR") })
    const credit: Entry = ["suspense", "float:available", 9_000n, "principal"]
    operationHas(placed, [suspended, credit])
    const returned = arrived({ placed: true, returned: "3000" }, { customerFee: of(0n, "EUR") })
    operationHas(returned, [suspended, credit, ["float:available", "bank", 3_000n, "return"]])
  })
})

describe("the legs of what arrived on an address", () => {
  const usdc = (debited: Entry[0], credited: Entry[1], units: bigint, what: Entry[3] = "principal"): Entry => [
    ...([debited, credited, units, what, "USDC_BASE"] as const)
  ]
  const tenant = "chain:base:tenant"
  const service = "chain:base:deposits"
  const deposit = (details: Operation["details"], more: Partial<Operation> = {}) =>
    onBase("DEPOSIT", { status: "SETTLED", details, ...more })

  it("credit it, where whoever has the keys of the address holds it; a reversal takes it back", () => {
    for (const origin of addressOrigins) {
      const holder = origin === "REGISTERED" || origin === "DERIVED" ? tenant : service
      operationHas(deposit({ origin }), [usdc(holder, "float:available", 5n)], origin)
      const reversal = onBase("REVERSAL", { status: "SETTLED", details: { origin, reverses: "d" } })
      operationHas(reversal, [usdc("float:available", holder, 5n, "reversal")], origin)
    }
    const older = onBase("REVERSAL", { details: { origin: "REGISTERED" } })
    operationHas(older, [usdc("float:available", tenant, 5n, "reversal")], "it does not name what it reverses")
  })

  it("move what was credited before, and credit it no second time", () => {
    const moved = [usdc(service, "float:available", 5n), usdc(service, tenant, 2n)]
    const origin =
      addressOrigins.find((one) => one !== "REGISTERED" && one !== "DERIVED") ?? assert.fail("there is none")
    operationHas(deposit({ origin, own_units: "2" }), moved)
    const own = { own_transfer: true, own_units: "5", origin } as const
    operationHas(onBase("ADJUSTMENT", { details: own }), [usdc(service, tenant, 5n)])
    const back = { ...own, reverses: "a" }
    operationHas(onBase("ADJUSTMENT", { details: back }), [usdc(tenant, service, 5n, "reversal")])
    operationHas(onBase("ADJUSTMENT", { details: { own_transfer: true, origin } }), [], "it moved nothing")
  })

  it("are none without a network", () => operationHas(deposit({ origin: "REGISTERED" }, { network: null }), []))

  it("credit it also where older records do not tell who had the keys", () => {
    const old = { operation: [deposit({})] }
    for (const holder of [tenant, service] as const) hasLegs(old, booked("o", [usdc(holder, "float:available", 5n)]))
    lacksLegs(old, booked("o", [usdc("custodian", "float:available", 5n)]))
    lacksLegs(old, booked("o", [usdc(tenant, "float:available", 4n)]))
    lacksLegs({ operation: [deposit({ origin: "REGISTERED" })] }, booked("o", [usdc(service, "float:available", 5n)]))
  })
})

describe("the legs of an adjustment", () => {
  const usdc = (debited: Entry[0], credited: Entry[1], units: bigint, what: Entry[3] = "adjustment"): Entry => [
    ...([debited, credited, units, what, "USDC_BASE"] as const)
  ]
  const adjustment = (details: Operation["details"], more: Partial<Operation> = {}) =>
    onBase("ADJUSTMENT", { status: "SETTLED", details, ...more })

  it("correct the float against what it names", () => {
    const of_ = (units: bigint, details: Operation["details"]) =>
      made("ADJUSTMENT", { amount: of(units, "EUR"), details })
    operationHas(of_(100n, { against: "bank" }), [["bank", "float:available", 100n, "adjustment"]])
    operationHas(of_(-100n, { against: "fees" }), [["float:available", "fees", 100n, "adjustment"]])
  })

  it("correct the float against any place where older records name none", () => {
    const old = { operation: [adjustment({})] }
    for (const place of [
      ...(["custodian", "bank", "suspense", "exchange", "fees", "network_fees"] as const),
      ...(["chain:base:payouts", "chain:base:deposits", "chain:base:tenant"] as const)
    ])
      hasLegs(old, booked("o", [usdc(place, "float:available", 5n)]), place)
    for (const other of ["float:held", "account:a", "chain:ethereum:payouts"] as const)
      lacksLegs(old, booked("o", [usdc(other, "float:available", 5n)]), other)
    lacksLegs(old, booked("o", [usdc("custodian", "float:available", 6n)]))
    const fiat = { operation: [made("ADJUSTMENT")] }
    hasLegs(fiat, booked("o", [["bank", "float:available", 10_000n, "adjustment"]]))
    const gone = { operation: [made("ADJUSTMENT", { amount: of(5n, "GONE") })] }
    hasLegs(gone, booked("o", [["bank", "float:available", 5n, "adjustment", "GONE"]]), "a currency of the past")
    lacksLegs(fiat, booked("o", [["chain:base:payouts", "float:available", 10_000n, "adjustment"]]))
  })

  it("move from one place to another", () => {
    const details = { moved: { from: "bank", to: "custodian" } }
    operationHas(made("ADJUSTMENT", { details }), [["custodian", "bank", 10_000n, "adjustment"]])
  })

  it("book what came to a wallet for nobody, but for what the tenant moved there", () => {
    const came = (details: Operation["details"], units = 5n) =>
      adjustment({ wallet_arrival: {}, ...details } as Operation["details"], { amount: of(units, "USDC_BASE") }) // fields of one kind
    for (const [place, at] of [
      ["WALLET", "chain:base:payouts"],
      ["ACCOUNT", "chain:base:deposits"]
    ] as const) {
      operationHas(came({ place }), [usdc(at, "suspense", 5n)])
      const own = { place, own_units: "2" }
      operationHas(came(own), [usdc(at, "chain:base:tenant", 2n), usdc(at, "suspense", 3n)])
      const back = [usdc("chain:base:tenant", at, 2n), usdc("suspense", at, 3n)]
      operationHas(came(own, -5n), back, "it is not there any more")
    }
    const old = { operation: [came({})] }
    for (const at of ["chain:base:payouts", "chain:base:deposits"] as const)
      for (const from of ["suspense", "chain:base:tenant"] as const) hasLegs(old, booked("o", [usdc(at, from, 5n)]))
    lacksLegs(old, booked("o", [usdc("chain:base:payouts", "fees", 5n)]))
    const nowhere = adjustment({ wallet_arrival: {}, place: "WALLET" }, { network: null })
    operationHas(nowhere, [], "without a network")
  })

  it("book what stands on addresses of the service, for nobody or as taken over from the tenant", () => {
    operationHas(adjustment({ uncredited_deposit: "d" }), [usdc("chain:base:deposits", "suspense", 5n)])
    operationHas(adjustment({ taken_over: ["d"] }), [usdc("chain:base:deposits", "chain:base:tenant", 5n)])
    for (const details of [{ uncredited_deposit: "d" }, { taken_over: ["d"] }])
      operationHas(
        adjustment({ ...details, against: "custodian" }, { network: null }),
        [usdc("custodian", "float:available", 5n)],
        "without a network"
      )
  })

  it("book what came to the account of a customer there, and for nobody in another currency", () => {
    const account = ["EUR", "GBP"].map(
      (currency, at) => ({ id: `a${at}`, currency }) as FiatAccount // all of it that is looked at
    )
    const came = (accountId: string) => made("ADJUSTMENT", { details: { incoming: "i", account_id: accountId } })
    const found = (accountId: string, credited: Entry[1]) =>
      foundBy(operationLegs, {
        ...{ account, operation: [came(accountId)] },
        leg: booked("o", [["bank", credited, 10_000n, "principal"]])
      })
    assert.isUndefined(found("a0", "account:a0"))
    assert.isDefined(found("a0", "suspense"))
    assert.isDefined(found("a0", "account:a1"))
    assert.isUndefined(found("a1", "suspense"))
    assert.isDefined(found("a1", "account:a1"))
    assert.isUndefined(found("a2", "suspense"), "there is no such account")
  })
})
