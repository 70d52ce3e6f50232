import { importedCoins, sweepable, sweptDeposits } from "@bursar/core/checker/sweepInvariants"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import { of } from "@bursar/core/money/Amount"
import type { Operation } from "@bursar/core/operation/Operation"
import type { Sweep } from "@bursar/core/sweep/Sweep"
import type { SweepableDeposit } from "@bursar/core/sweep/SweepableDeposit"
import { sweepStates } from "@bursar/core/sweep/SweepMachine"
import { addressOrigins } from "@bursar/core/tenant/Tenant"
import type { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { assert, describe, it } from "@effect/vitest"
import { operationOf } from "../transfer/operationOf.ts"
import { foundBy, type Rows } from "./foundBy.ts"

const identity = (txHash: string) => ({ network: "base", txHash, transferIndex: 0 }) as const

/** 5 USDC that arrived on an address of the service, named by the transaction that brought them. */
const arrival = (txHash: string, more: Partial<SweepableDeposit> = {}): SweepableDeposit => ({
  ...{ ...identity(txHash), depositId: `d-${txHash}`, addressId: "i", address: "0xa", currency: "USDC_BASE" },
  ...{ contract: "0xc", units: 5n, key: { _tag: "Imported" }, gone: false, sweepId: null, bookedBy: null },
  ...{
    unbacked: more.key === undefined && more.sweepId == null && !more.gone && more.bookedBy == null ? 5n : 0n,
    ...more
  }
})

describe("a sweep", () => {
  const holds = (rows: Rows, why = "") => assert.strictEqual(foundBy(sweptDeposits, rows) ?? "nothing", "nothing", why)
  const breaks = (rows: Rows, what: RegExp, why = "") =>
    assert.match(foundBy(sweptDeposits, rows) ?? "nothing", what, why)

  const of_ = (...hashes: ReadonlyArray<string>) =>
    hashes.map((txHash) => ({ ...identity(txHash), depositId: `d-${txHash}` }))
  const sweep = (more: Partial<Sweep> = {}): Sweep => ({
    ...{ id: "s", network: "base", addressId: "i", address: "0xa", account: "0xa", key: { _tag: "Imported" } },
    ...{ currency: "USDC_BASE", contract: "0xc", units: 10n, state: "SWEEP_SIGNED", topUpTransactionId: null },
    ...{ sweepTransactionId: "t", deposits: of_("a", "b"), problem: null, createdAt: 0, endedAt: null, closedAt: null },
    ...more
  })
  const transaction = (more: Partial<OutboundTransaction> = {}): OutboundTransaction =>
    ({
      ...{ id: "t", network: "base", purpose: "SWEEP", phase: "SIGNED", outcome: null },
      ...{ guard: { _tag: "Expiry" }, freed: [] },
      payments: [{ operationId: null, to: "0xw", contract: "0xc", units: 10n, memo: null }],
      ...more
    }) as OutboundTransaction // all of it that is looked at
  const done = transaction({ phase: "FINAL", outcome: "done" })
  const swept = sweep({ state: "SWEPT", endedAt: 1, closedAt: 1 })
  const both = (sweepId: string | null, more: Partial<SweepableDeposit> = {}) => [
    arrival("a", { sweepId, ...more }),
    arrival("b", { sweepId, ...more })
  ]
  const rows = (one: Sweep, sweepables: ReadonlyArray<SweepableDeposit>, moves = transaction()): Rows => ({
    ...{ sweep: [one], sweepable: sweepables, transaction: [moves] }
  })

  it("has its deposits while it is open and once it is swept, and they say so", () => {
    for (const state of sweepStates) {
      const isOver = state === "SWEPT" || state === "ABANDONED"
      if (!isOver) {
        const early = sweep({ state, sweepTransactionId: null })
        holds(rows(early, both("s")), state)
        breaks(rows(early, both(null)), /names deposits that are not its own/u, state)
        for (const other of [null, "u"])
          breaks(rows(early, [arrival("a", { sweepId: "s" }), arrival("b", { sweepId: other })]), /not its own/u, state)
        breaks(rows(early, both("u")), /names deposits that are not its own/u, state)
        breaks(rows(early, [arrival("a", { sweepId: "s" })]), /names deposits that are not its own/u, state)
      }
    }
    holds(rows(swept, both("s"), done))
    breaks(rows(swept, both(null), done), /names deposits that are not its own/u)
    holds({ sweepable: both(null) }, "nothing sweeps them")
    breaks({ sweepable: both("s") }, /deposit d-a says that sweep s has it/u)
  })

  it("lets its deposits go where it was given up, and they may be in another then", () => {
    const over = { state: "ABANDONED", sweepTransactionId: null } as const
    const givenUp = sweep({ ...over, closedAt: 1 })
    holds(rows(givenUp, both(null)))
    breaks(rows(givenUp, both("s")), /sweep s was given up and keeps deposit d-a, which nobody has moved/u)
    holds({ ...rows(givenUp, both("u")), sweep: [givenUp, sweep({ id: "u", sweepTransactionId: null })] })
    const again = { ...givenUp, id: "v" }
    holds({ ...rows(givenUp, both(null)), sweep: [givenUp, again] }, "as often as it was tried")
    breaks(rows(givenUp, [arrival("a")]), /names deposits that are not its own/u, "it names one that is not there")
    for (const sweepId of ["s", null]) holds(rows(sweep(over), both(sweepId)), "it is about to let them go")
    const one = [arrival("a", { sweepId: "s" }), arrival("b")]
    holds(rows(sweep(over), one), "it has let one go")
    const next = sweep({ id: "u", deposits: of_("b"), units: 5n, sweepTransactionId: null })
    const handedOn = [arrival("a", { sweepId: "s" }), arrival("b", { sweepId: "u" })]
    holds({ ...rows(sweep(over), handedOn), sweep: [sweep(over), next] }, "another has that one")
  })

  it("keeps of its deposits those that somebody else has moved where it was given up, and no others", () => {
    const utxos = ["a", "b"].map((txHash) => ({ ...identity(txHash), vout: 0, units: 5n, address: "0xa" }))
    const freed = [{ txHash: "b", vout: 0 }]
    const replaced = { phase: "FINAL", outcome: "replaced", guard: { _tag: "Utxos", utxos }, freed } as const
    const givenUp = sweep({ state: "ABANDONED", closedAt: 1 })
    const kept = (a: string | null, b: string | null) => [arrival("a", { sweepId: a }), arrival("b", { sweepId: b })]
    holds(rows(givenUp, kept("s", null), transaction(replaced)))
    holds(rows(givenUp, kept(null, null), transaction(replaced)), "it was gone from the chain, too")
    breaks(rows(givenUp, kept("s", "s"), transaction(replaced)), /keeps deposit d-b, which nobody has moved/u)
    for (const outcome of ["released", "reverted", "expired"] as const)
      breaks(rows(givenUp, kept("s", null), transaction({ ...replaced, outcome })), /keeps deposit d-a/u, outcome)
    const next = sweep({ id: "u", deposits: of_("a"), units: 5n, sweepTransactionId: null })
    const both_ = { ...rows(givenUp, kept("s", null), transaction(replaced)), sweep: [givenUp, next] }
    breaks(both_, /deposit d-a is in the sweeps s and u/u)
  })

  it("may lose deposits while it only gives its address coin, and while what it moved is looked at", () => {
    const toppedUp = sweep({ state: "TOPUP_SIGNED", topUpTransactionId: "g", sweepTransactionId: null })
    for (const sweepId of ["s", null]) holds(rows(toppedUp, both(sweepId)), `in ${sweepId}`)
    holds(rows(toppedUp, [arrival("a", { sweepId: "s" }), arrival("b", { gone: true })]))
    breaks(rows({ ...toppedUp, topUpTransactionId: null }, both(null)), /not its own/u)
    breaks(rows({ ...toppedUp, sweepTransactionId: "t" }, both(null)), /not its own/u)
    const counted = sweep({ state: "SWEPT" })
    for (const sweepId of ["s", null]) holds(rows(counted, both(sweepId), done), "it is about to take them")
    const closed = { ...toppedUp, state: "ABANDONED", closedAt: 1 } as const
    breaks(rows(closed, both("s")), /was given up and keeps deposit d-a/u)
  })

  it("may lose deposits while it is open to an earlier one that was given up and has moved them after all", () => {
    const utxos = [{ ...identity("b"), vout: 0, units: 5n, address: "0xa" }]
    const payments = [{ operationId: null, to: "0xw", contract: "0xc", units: 5n, memo: null }]
    const open = transaction({ id: "v", guard: { _tag: "Utxos", utxos }, payments })
    const earlier = sweep({ ...swept, createdAt: 1, endedAt: 5, closedAt: 5 })
    const later = sweep({ id: "u", deposits: of_("b"), units: 5n, sweepTransactionId: "v", createdAt: 3 })
    const taken = both("s")
    const two = (one: Sweep, other: Sweep, moves = open, sweepables = taken): ReadonlyArray<Rows> =>
      [
        [one, other],
        [other, one]
      ].map((all) => ({ sweep: all, sweepable: sweepables, transaction: [done, moves] }))
    for (const each of two(earlier, later)) holds(each)
    const third = { ...later, id: "x" }
    for (const all of [
      [earlier, later, third],
      [later, earlier, third],
      [later, third, earlier]
    ])
      breaks({ sweep: all, sweepable: taken, transaction: [done, open] }, /deposit d-b is in the sweeps u and x/u)
    for (const more of [{ createdAt: 0 }, { createdAt: 6 }])
      for (const each of two(earlier, { ...later, ...more }))
        breaks(each, /deposit d-b is in the sweeps/u, JSON.stringify(more))
    for (const each of two(earlier, later, transaction({ id: "v", payments })))
      breaks(each, /sweep u names deposits that are not/u)
    const loses = [arrival("a", { sweepId: "s" }), arrival("b", { sweepId: "u" })]
    for (const each of two(earlier, later, open, loses)) breaks(each, /sweep s names deposits that are not its own/u)
    const nobodys = { sweep: [later], sweepable: [arrival("b", { sweepId: "x" })], transaction: [open] }
    breaks(nobodys, /deposit d-b says that sweep x has it/u)
    breaks({ ...nobodys, sweepable: [arrival("b")] }, /sweep u names deposits that are not its own/u)
  })

  it("has each deposit alone", () => {
    const other = sweep({ id: "u", deposits: of_("b"), units: 5n, sweepTransactionId: null })
    const taken = [arrival("a", { sweepId: "s" }), arrival("b", { sweepId: "s" })]
    breaks({ ...rows(sweep(), taken), sweep: [sweep(), other] }, /deposit d-b is in the sweeps s and u/u)
    const free = { ...other, deposits: of_("c") }
    const three = [...taken, arrival("c", { sweepId: "u" })]
    holds({ ...rows(sweep(), three), sweep: [sweep(), free] })
  })

  it("is of what its deposits come to, in their currency", () => {
    for (const units of [9n, 11n]) breaks(rows(sweep({ units }), both("s")), /its deposits come to 10/u)
    breaks(rows(sweep({ currency: "USDT_BASE" }), both("s")), /its deposits come to 10/u)
    const mixed = [arrival("a", { sweepId: "s" }), arrival("b", { sweepId: "s", currency: "USDT_BASE" })]
    breaks(rows(sweep(), mixed), /its deposits come to 10/u)
    const givenUp = sweep({ units: 9n, state: "ABANDONED", sweepTransactionId: null, closedAt: 1 })
    holds(rows(givenUp, both(null)), "it moves nothing")
  })

  it("moves from where its deposits are", () => {
    for (const more of [{ address: "0xb" }, { addressId: "j" }, { contract: null }, { contract: "0xd" }]) {
      const why = JSON.stringify(more)
      breaks(rows(sweep(more), both("s")), /its deposits are not there/u, why)
      const one = [arrival("a", { sweepId: "s" }), arrival("b", { sweepId: "s", ...more })]
      breaks(rows(sweep(), one), /its deposits are not there/u, why)
      const givenUp = sweep({ ...more, state: "ABANDONED", sweepTransactionId: null, closedAt: 1 })
      breaks(rows(givenUp, both(null)), /its deposits are not there/u, `${why}, given up`)
    }
    breaks(rows(sweep({ network: "ethereum" }), both("s")), /its deposits are not there/u)
  })

  it("stands where its transaction does", () => {
    breaks(rows(sweep(), both("s"), done), /is SWEEP_SIGNED, its transaction has come to done/u)
    breaks(rows(swept, both("s")), /is SWEPT, its transaction has come to nothing/u)
    breaks({ sweep: [swept], sweepable: both("s") }, /is SWEPT, its transaction has come to nothing/u)
    const lone = { ...swept, sweepTransactionId: null }
    breaks(rows(lone, both("s"), done), /is SWEPT, its transaction has come to nothing/u)
    for (const outcome of ["reverted", "replaced", "expired", "released"] as const) {
      const ended = transaction({ phase: "FINAL", outcome })
      breaks(rows(swept, both("s"), ended), /is SWEPT/u, outcome)
      breaks(rows(sweep(), both("s"), ended), /is SWEEP_SIGNED, its transaction is over/u, outcome)
      holds(rows(sweep({ state: "ABANDONED", closedAt: 1 }), both(null), ended), outcome)
    }
    const idle = transaction({ phase: "FINAL", outcome: "done", payments: [] })
    holds(rows(sweep({ state: "ABANDONED", closedAt: 1 }), both(null), idle), "it moved nothing")
    breaks(rows(swept, both("s"), idle), /is SWEPT/u)
    for (const purpose of ["PAYOUT", "TOP_UP"] as const)
      breaks(rows(swept, both("s"), { ...done, purpose }), /is SWEPT/u, "that is no transaction of a sweep")
    const givenUp = sweep({ state: "ABANDONED", closedAt: 1 })
    breaks(rows(givenUp, both(null), done), /is ABANDONED, its transaction has come to done/u)
  })

  it("moves no more than its deposits, all sweeps of one transaction together", () => {
    const pays = (...units: ReadonlyArray<bigint>) =>
      transaction({
        payments: units.map((one) => ({ operationId: null, to: "0xw", contract: "0xc", units: one, memo: null }))
      })
    for (const units of [[10n], [4n, 6n], [3n], []]) holds(rows(sweep(), both("s"), pays(...units)), units.join())
    for (const units of [[11n], [4n, 7n]])
      breaks(rows(sweep(), both("s"), pays(...units)), /transaction t moves 11/u, units.join())
    const other = sweep({ id: "u", deposits: of_("c"), units: 5n })
    const together = {
      ...rows(sweep(), [...both("s"), arrival("c", { sweepId: "u" })], pays(15n)),
      sweep: [sweep(), other]
    }
    holds(together)
    breaks({ ...together, transaction: [pays(16n)] }, /moves 16, the deposits of its sweeps come to 15/u)
    holds({ sweep: [sweep()], sweepable: both("s") }, "a transaction that is not there is another rule")
  })
})

describe("what can be swept", () => {
  /** What is found in rows, with the deposits that can be swept where they name none. */
  const found = (rows: Rows): string => {
    const deposit = (rows.sweepable ?? []).map(
      ({ depositId, ...one }) => ({ ...one, id: depositId, creditedBy: "o" }) as unknown as Deposit // all of it that is looked at
    )
    return foundBy(sweepable, { deposit, ...rows }) ?? "nothing"
  }
  const holds = (rows: Rows, why = "") => assert.strictEqual(found(rows), "nothing", why)
  const breaks = (rows: Rows, what: RegExp, why = "") => assert.match(found(rows), what, why)

  const operation = (kind: Operation["kind"], details: Operation["details"], more: Partial<Operation> = {}) =>
    operationOf("BANK_TRANSFER", {
      ...{ id: "o", kind, status: "SETTLED", network: "base", amount: of(5n, "USDC_BASE"), details },
      ...more
    })
  const credited = operation("DEPOSIT", { origin: "ISSUED" })

  it("is what was credited on addresses of the service, and was not taken back", () => {
    holds({ operation: [credited], sweepable: [arrival("a")] })
    breaks({ operation: [credited] }, /was credited 5, the deposits that can be swept come to 0/u)
    breaks({ sweepable: [arrival("a")] }, /was credited 0, the deposits that can be swept come to 5/u)
    for (const units of [4n, 6n])
      breaks({ operation: [credited], sweepable: [arrival("a", { units })] }, new RegExp(`come to ${units}`, "u"))
    const two = { operation: [credited, { ...credited, id: "p" }] }
    holds({ ...two, sweepable: [arrival("a"), arrival("b")] })
    holds({ ...two, sweepable: [arrival("a"), arrival("b", { sweepId: "s" })] }, "one is being swept, or was")
    const reversal = operation("REVERSAL", { origin: "ISSUED", reverses: "o" })
    holds({ operation: [credited, reversal], sweepable: [arrival("a", { gone: true })] })
    breaks({ operation: [credited, reversal], sweepable: [arrival("a")] }, /was credited 0/u)
    const booked = arrival("b", { bookedBy: "x" })
    holds({ operation: [credited], sweepable: [arrival("a"), booked] }, "it was booked, and credited to nobody")
  })

  it("is told apart by network and currency", () => {
    breaks({ operation: [credited], sweepable: [arrival("a", { currency: "USDT_BASE" })] }, /was credited/u)
    breaks({ operation: [credited], sweepable: [arrival("a", { network: "ethereum" })] }, /was credited/u)
  })

  it("is nothing on addresses whose keys the tenant holds, nor where older records do not tell", () => {
    for (const origin of addressOrigins) {
      const isOwn = origin === "REGISTERED" || origin === "DERIVED"
      const rows = { operation: [operation("DEPOSIT", { origin })] }
      if (isOwn) holds(rows, origin)
      else holds({ ...rows, sweepable: [arrival("a")] }, origin)
    }
    holds({ operation: [operation("DEPOSIT", {})] })
    holds({ operation: [operation("DEPOSIT", { origin: "ISSUED" }, { network: null })] })
  })

  it("is also what the tenant moved there, and what was taken over from it", () => {
    const own = { own_transfer: true, own_units: "5", origin: "ISSUED" } as const
    holds({ operation: [operation("ADJUSTMENT", own)], sweepable: [arrival("a")] })
    breaks({ operation: [operation("ADJUSTMENT", own)] }, /was credited 5/u)
    const both = operation("DEPOSIT", { origin: "ISSUED", own_units: "2" })
    holds({ operation: [both], sweepable: [arrival("a", { units: 7n })] })
    const takenOver = operation("ADJUSTMENT", { taken_over: ["d-a"] })
    holds({ operation: [takenOver], sweepable: [arrival("a")] })
    breaks({ operation: [takenOver] }, /was credited 5/u)
    for (const details of [
      { uncredited_deposit: "d" },
      { against: "bank" },
      { wallet_arrival: {}, place: "ACCOUNT" }
    ] as const)
      holds({ operation: [operation("ADJUSTMENT", details)] }, `${Object.keys(details).join()} brings nothing to sweep`)
  })

  it("is a deposit that is in the books, and lies where that came", () => {
    const deposit = (more: Partial<Deposit> = {}): Deposit =>
      ({ ...identity("a"), id: "d-a", address: "0xa", addressId: "i", creditedBy: "o", ...more }) as Deposit // all of it that is looked at
    const rows = (more: Partial<Deposit> = {}, one: Partial<SweepableDeposit> = {}): Rows => ({
      ...{ operation: [credited], deposit: [deposit(more)], sweepable: [arrival("a", one)] }
    })
    holds(rows())
    breaks({ ...rows(), deposit: [deposit({ id: "another" })] }, /deposit d-a, which can be swept, does not exist/u)
    breaks(rows({ creditedBy: null }), /deposit d-a waits to be swept and is in the books of nobody/u)
    const uncredited = { ...rows({ creditedBy: null }), operation: [] }
    holds({ ...uncredited, sweepable: [arrival("a", { bookedBy: "x" })] }, "an adjustment has booked it")
    holds({ ...uncredited, sweepable: [arrival("a", { gone: true })] }, "it is gone")
    for (const more of [{ txHash: "b" }, { transferIndex: 1 }, { address: "0xb" }, { addressId: "j" }])
      breaks(rows(more), /what is swept of it is on/u, JSON.stringify(more))
    const gone = { ...rows({ address: "0xb", addressId: "j", creditedBy: null }), operation: [] }
    holds({ ...gone, sweepable: [arrival("a", { gone: true })] }, "the address of what is gone may be another's by now")
    const other = { ...gone, deposit: [deposit({ txHash: "b" })], sweepable: [arrival("a", { gone: true })] }
    breaks(other, /what is swept of it is on/u)
  })
})

describe("coins on addresses of imported keys", () => {
  const found = (all: ReadonlyArray<SweepableDeposit>, counts: ReadonlyArray<readonly [string, bigint]>) =>
    foundBy(importedCoins, {
      sweepable: all,
      unsweptImports: counts.map(([currency, units]) => ({ currency, units }))
    })

  it("back nothing before they are swept, and are counted to the last one", () => {
    const all = [arrival("a"), arrival("b"), arrival("c", { sweepId: "s", unbacked: 2n })]
    assert.isUndefined(found(all, [["USDC_BASE", 12n]]))
    for (const count of [11n, 13n, 0n])
      assert.match(found(all, [["USDC_BASE", count]]) ?? "", /the deposits come to 12/u)
    assert.match(found(all, []) ?? "", /0 USDC_BASE are counted as unswept, the deposits come to 12/u)
    assert.match(found([], [["ETH", 1n]]) ?? "", /1 ETH are counted as unswept, the deposits come to 0/u)
  })

  it("back nothing whole while they are free, and no more than they are under a sweep; all others back all", () => {
    for (const more of [
      { unbacked: 4n },
      { unbacked: 6n, sweepId: "s" },
      { unbacked: -1n, sweepId: "s" },
      { unbacked: 5n, gone: true },
      { unbacked: 5n, bookedBy: "b" },
      { unbacked: 5n, key: { _tag: "Issued", seedId: "seed", index: 0 } },
      { unbacked: 1n, sweepId: "s", key: { _tag: "Issued", seedId: "seed", index: 0 } }
    ] as const)
      assert.match(found([arrival("a", more)], [["USDC_BASE", more.unbacked]]) ?? "", /deposit d-a backs all but/u)
    assert.isUndefined(found([arrival("a", { unbacked: 5n, sweepId: "s", gone: true })], [["USDC_BASE", 5n]]))
  })
})
