import { credit, creditReads, reverse } from "@bursar/core/deposit/creditDeposit"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import { legacyKey } from "@bursar/core/deposit/Deposit"
import { depositEventData } from "@bursar/core/deposit/depositEvent"
import { distinct } from "@bursar/core/deposit/distinct"
import { moveDeposit } from "@bursar/core/deposit/moveDeposit"
import { holderOf, isOwnAddress } from "@bursar/core/deposit/ownTransfer"
import type { Command } from "@bursar/core/engine/Command"
import type { Leg } from "@bursar/core/ledger/Leg"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import type { OperationKind } from "@bursar/core/operation/OperationKind"
import { Queries } from "@bursar/core/store/Queries"
import { addressOrigins, TenantId } from "@bursar/core/tenant/Tenant"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { balanceOf, store, submit } from "../transfer/world.ts"

const deposit = (more: Partial<Deposit> = {}): Deposit => ({
  id: "d",
  tenantId: TenantId("00000000-0000-4000-8000-000000000000"),
  network: "ethereum",
  txHash: "0xaa",
  transferIndex: 3,
  addressId: "a",
  address: "0x1",
  reference: "customer",
  currency: "USDT_ETH",
  units: 1_500_000n,
  fromAddress: null,
  block: { number: 77, hash: "b", time: 5 },
  confirmations: 12,
  requiredConfirmations: 10,
  status: "CONFIRMED",
  historical: true,
  detectedAt: 1,
  confirmedAt: 2,
  reorgedAt: null,
  changeSeq: 9,
  creditedBy: null,
  ownUnits: 0n,
  ...more
})

type Booking = ReturnType<typeof credit>

/** Books a deposit, or the mirror image of it. */
const booking = (one: Deposit, book: (view: Parameters<typeof credit>[0]) => Booking): Command<Booking> => ({
  name: "Booking",
  reads: creditReads(one),
  decide: (view) => {
    const booked = book(view)
    return Result.succeed({ changes: booked.changes, reply: booked })
  }
})

const legsIn = ({ changes }: Booking): ReadonlyArray<Leg> =>
  changes.flatMap((change) => (change._tag === "Posted" ? change.legs : []))

const mirrored = (legs: ReadonlyArray<Leg>) =>
  legs
    .map(({ account, direction, units }) => `${account} ${direction === "DEBIT" ? "CREDIT" : "DEBIT"} ${units}`)
    .toSorted()

const plain = (legs: ReadonlyArray<Leg>) =>
  legs.map(({ account, direction, units }) => `${account} ${direction} ${units}`).toSorted()

describe("a confirmed deposit", () => {
  it("is held by the tenant where it has the keys, and by the service where it has them", () => {
    const holders = addressOrigins.map((origin) => [origin, holderOf("base", origin), isOwnAddress("base", origin)])
    assert.deepStrictEqual(holders, [
      ["REGISTERED", "chain:base:tenant", true],
      ["DERIVED", "chain:base:tenant", true],
      ["ISSUED", "chain:base:deposits", false],
      ["IMPORTED", "chain:base:deposits", false]
    ])
  })

  for (const origin of addressOrigins) {
    const holder = holderOf("ethereum", origin)
    it.effect(`on an address that is ${origin} is booked against its holder, and told`, () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const one = deposit()
        const booked = yield* submit(
          id,
          booking(one, (view) => credit(view, currencies, one, origin))
        )
        assert.deepInclude(booked.operation, {
          kind: "DEPOSIT",
          status: "SETTLED",
          amount: of(1_500_000n, "USDT_ETH"),
          network: "ethereum",
          partnerReference: "customer",
          txHash: "0xaa"
        })
        assert.deepStrictEqual(booked.operation.details, { deposit_id: "d", origin })
        assert.strictEqual(yield* balanceOf(id, "float:available", "USDT_ETH"), 1_500_000n)
        assert.strictEqual(yield* balanceOf(id, holder, "USDT_ETH"), 1_500_000n)
        const [event] = yield* (yield* Queries).events(id, 0, 9)
        assert.deepInclude(event, { kind: "deposit.settled", resourceId: booked.operation.id })
        assert.deepInclude(event?.data, { amount: "1.5", amount_units: "1500000" })
      }).pipe(Effect.provide(store))
    )
  }

  it.effect.each<readonly [bigint, bigint, OperationKind, OperationKind]>([
    [0n, 1_500_000n, "DEPOSIT", "REVERSAL"],
    [400_000n, 1_100_000n, "DEPOSIT", "REVERSAL"],
    [1_499_999n, 1n, "DEPOSIT", "REVERSAL"],
    [1_500_000n, 0n, "ADJUSTMENT", "ADJUSTMENT"]
  ])(
    "of which the float has %s already credits %s, and its reversal is the mirror image",
    ([ownUnits, credited, kind, back]) =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const first = deposit({ units: ownUnits === 0n ? 1n : ownUnits })
        yield* submit(
          id,
          booking(first, (view) => credit(view, currencies, first, "REGISTERED"))
        )
        const before = yield* balanceOf(id, "float:available", "USDT_ETH")
        const one = deposit({ ownUnits })
        const booked = yield* submit(
          id,
          booking(one, (view) => credit(view, currencies, one, "ISSUED"))
        )
        assert.strictEqual((yield* balanceOf(id, "float:available", "USDT_ETH")) - before, credited)
        assert.strictEqual(yield* balanceOf(id, "chain:ethereum:deposits", "USDT_ETH"), 1_500_000n)
        assert.strictEqual(booked.operation.kind, kind)
        assert.strictEqual(booked.operation.details.own_units, ownUnits === 0n ? undefined : String(ownUnits))
        assert.strictEqual(booked.operation.amount.units, credited === 0n ? ownUnits : credited)
        // what credits nothing is no deposit to the float, and nobody is told of one
        const kinds = (yield* (yield* Queries).events(id, 0, 9)).map((event) => event.kind)
        assert.lengthOf(kinds, kind === "DEPOSIT" ? 2 : 1)
        const gone = { ...one, creditedBy: booked.operation.id }
        const reversed = yield* submit(
          id,
          booking(gone, (view) => reverse(view, gone, "ISSUED"))
        )
        assert.deepStrictEqual(plain(legsIn(reversed)), mirrored(legsIn(booked)))
        assert.deepInclude(reversed.operation, { kind: back, status: "SETTLED" })
        assert.strictEqual(reversed.operation.details.reverses, booked.operation.id)
        assert.strictEqual(reversed.operation.details.own_transfer, kind === "ADJUSTMENT" ? true : undefined)
        // a move back is a move of less than nothing; a reversal is told by what it takes
        const told = credited === 0n ? -ownUnits : credited
        assert.strictEqual(reversed.operation.amount.units, told)
        assert.strictEqual(yield* balanceOf(id, "float:available", "USDT_ETH"), before)
        assert.strictEqual(yield* balanceOf(id, "chain:ethereum:deposits", "USDT_ETH"), 0n)
      }).pipe(Effect.provide(store))
  )

  it.effect("that was spent before it was reorged leaves the float below zero: the coins were never there", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      const gone = deposit({ creditedBy: "x" })
      yield* submit(
        id,
        booking(gone, (view) => reverse(view, gone, "ISSUED"))
      )
      assert.strictEqual(yield* balanceOf(id, "float:available", "USDT_ETH"), -1_500_000n)
    }).pipe(Effect.provide(store))
  )
})

describe("what is told of a deposit", () => {
  it("is all that it is, in text where it is money", () => {
    assert.deepStrictEqual(depositEventData(deposit(), currencies), {
      deposit_id: "d",
      network: "ethereum",
      address: "0x1",
      reference: "customer",
      currency: "USDT_ETH",
      amount: "1.5",
      amount_units: "1500000",
      tx_hash: "0xaa",
      transfer_index: 3,
      block_number: 77,
      confirmations: 12,
      required_confirmations: 10,
      status: "CONFIRMED",
      historical: true,
      change_seq: 9
    })
    assert.isNull(depositEventData(deposit({ block: null }), currencies)["block_number"])
    assert.throws(() => depositEventData(deposit({ currency: "XXX" }), currencies), /XXX/u)
    assert.strictEqual(legacyKey(deposit()), "ethereum:0xaa:3")
  })

  const moving = (one: Deposit, from: Deposit["status"] | null, trigger: Parameters<typeof moveDeposit>[3]) => ({
    name: "Moving",
    reads: [],
    decide: (view: Parameters<typeof moveDeposit>[0]) => {
      const moved = moveDeposit(view, currencies, from, trigger, { ...one, tenantId: view.tenant.id })
      return Result.succeed({ changes: moved?.changes ?? [], reply: moved })
    }
  })

  it.effect("is each change of its status, with the next number, and no other", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      const one = deposit({ status: "DETECTED", changeSeq: 0 })
      for (const [from, trigger, status, seq, effects] of [
        [null, "arrived", "DETECTED", 1, []],
        ["DETECTED", "mined", "DETECTED", 0, []],
        ["DETECTED", "confirmed", "CONFIRMED", 2, ["credit"]],
        ["CONFIRMED", "reorged", "REORGED", 3, ["reverse"]]
      ] as const) {
        const moved = yield* submit(id, moving(one, from, trigger))
        assert.deepInclude(moved?.deposit, { status, changeSeq: seq })
        assert.deepStrictEqual(moved?.effects, effects)
      }
      const events = yield* (yield* Queries).events(id, 0, 9)
      assert.deepStrictEqual(
        events.map(({ data, kind }) => [kind, data["status"], data["change_seq"]]),
        [
          ["deposit.detected", "DETECTED", 1],
          ["deposit.confirmed", "CONFIRMED", 2],
          ["deposit.reorged", "REORGED", 3]
        ]
      )
      assert.isUndefined(yield* submit(id, moving(one, "CONFIRMED", "confirmed")))
    }).pipe(Effect.provide(store))
  )

  it("is one thing, however often it is named", () => {
    const one = deposit()
    const others = [deposit({ transferIndex: 4 }), deposit({ txHash: "0xbb" }), deposit({ network: "base" })]
    const all = [one, deposit({ units: 2n }), ...others]
    assert.deepStrictEqual(
      distinct([...all, ...all], (each) => each),
      [one, ...others]
    )
  })
})
