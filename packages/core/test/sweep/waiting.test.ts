import type { DepositAddress } from "@bursar/core/address/DepositAddress"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { type Amount, of } from "@bursar/core/money/Amount"
import { importDepositKey } from "@bursar/core/incoming/importDepositKey"
import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { Queries } from "@bursar/core/store/Queries"
import { isSwept } from "@bursar/core/sweep/isSwept"
import { endRequests, postponeRequests, postponeSweep } from "@bursar/core/sweep/postponeSweeps"
import { sweepKeyOf } from "@bursar/core/sweep/SweepableDeposit"
import { holdByOperator, releaseByOperator, setSweepHold } from "@bursar/core/sweep/sweepHold"
import { openSweepQueue, sweepQueue } from "@bursar/core/sweep/sweepQueues"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { addressItem, keyed, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { finalOf, ledgerHolds, store, submit, withStatus } from "../payout/world.ts"
import { arrived, custody, dueAt, lost, planOf, requestOf, reserved, signed, sweepableOf } from "./world.ts"

/** What stands where of ETH, without what is nothing. */
const standing = (tenantId: TenantId) =>
  Effect.flatMap(LedgerSnapshot, ({ snapshot }) =>
    snapshot(tenantId, ({ balances }) =>
      Effect.succeed(
        Object.fromEntries(
          balances
            .filter(({ currency, units }) => currency === "ETH" && units !== 0n)
            .map(({ account, units }) => [account, units])
        )
      )
    )
  )

const operationOf = Effect.fnUntraced(function* (tenantId: TenantId, id: string | null) {
  const found = yield* (yield* Queries).operation(tenantId, id ?? "")
  return found ?? (yield* Effect.die(new Error("there is no such operation")))
})

/** Something that came to an address before it was watched: it is credited to nobody. */
const before = Effect.fnUntraced(function* (tenantId: TenantId, address: DepositAddress, units: bigint) {
  const deposit = yield* arrived(tenantId, { ...address, createdAt: address.createdAt - 3_600_000 }, units)
  assert.strictEqual(deposit.creditedBy, null)
  return deposit
})

/** A tenant that was there for an hour before its address. */
const late = Effect.gen(function* () {
  yield* TestClock.setTime(10_000_000)
  return yield* custody()
})

describe("a deposit that was credited to nobody", () => {
  it.effect("is booked against suspense, because it is there, and waits to be swept with the others", () =>
    Effect.gen(function* () {
      const { address, id, wallet } = yield* late
      const deposit = yield* before(id, address, 70n)
      const sweepable = yield* sweepableOf(id, deposit)
      const booking = yield* operationOf(id, sweepable.bookedBy)
      assert.deepInclude(booking, {
        kind: "ADJUSTMENT",
        status: "SETTLED",
        amount: { units: 70n, currency: "ETH" },
        network: "ethereum",
        txHash: deposit.txHash,
        settledAt: 10_000_000
      })
      assert.deepInclude(booking.details, { uncredited_deposit: deposit.id })
      assert.notProperty(booking.details, "reverses")
      assert.deepStrictEqual(yield* standing(id), { "chain:ethereum:deposits": 70n, suspense: -70n })
      assert.strictEqual(yield* dueAt(sweepQueue("ethereum"), address.id), 10_000_000)
      const moving = yield* reserved(id, planOf(wallet, [yield* requestOf(id, address, [deposit])]))
      yield* withStatus(id, yield* signed(id, moving.transaction, "0x1"), finalOf("0x1"))
      assert.deepInclude(yield* standing(id), { "chain:ethereum:payouts": 70n, suspense: -70n })
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("is taken back where its block is gone, once", () =>
    Effect.gen(function* () {
      const { address, id } = yield* late
      const deposit = yield* before(id, address, 70n)
      const { bookedBy } = yield* sweepableOf(id, deposit)
      yield* lost(id, deposit)
      assert.deepStrictEqual(yield* standing(id), {})
      assert.deepInclude(yield* sweepableOf(id, deposit), { gone: true, bookedBy: null })
      const lines = yield* (yield* Queries).accountLines(id, { account: "suspense", currency: "ETH", limit: 9 })
      assert.sameDeepMembers(
        lines.map(({ operation }) => [operation?.amount.units, operation?.details.reverses ?? null]),
        [
          [70n, null],
          [-70n, bookedBy]
        ]
      )
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  for (const [what, isLate] of [
    ["before its address was watched", true],
    ["since", false]
  ] as const)
    it.effect(`is given once where it was assigned, and is there again in another block, ${what}`, () =>
      Effect.gen(function* () {
        const { address, id } = yield* late
        const other = yield* before(id, address, 100n)
        const deposit = yield* before(id, address, 70n)
        const { bookedBy } = yield* sweepableOf(id, deposit)
        const assigning = (assigns: string | null, units: bigint) =>
          submit(id, adjustFloat({ amount: of(units, "ETH"), against: "suspense", assigns, reason: "theirs" }))
        const { id: by } = yield* assigning(bookedBy, 70n)
        yield* lost(id, deposit)
        assert.deepStrictEqual(yield* standing(id), {
          "chain:ethereum:deposits": 100n,
          "float:available": 70n,
          suspense: -30n
        })
        const at = { ...address, createdAt: address.createdAt - (isLate ? 3_600_000 : 0) }
        const again = yield* arrived(id, at, 70n, "ETH", deposit.txHash)
        assert.deepInclude(again, { id: deposit.id, creditedBy: null })
        const booking = yield* operationOf(id, (yield* sweepableOf(id, again)).bookedBy)
        assert.deepInclude(booking.details, {
          assigned: { adjustment_id: null, operation_id: by },
          succeeds: bookedBy ?? ""
        })
        assert.strictEqual((yield* Effect.flip(assigning(booking.id, 70n)))._tag, "Refusal")
        yield* assigning((yield* sweepableOf(id, other)).bookedBy, 100n)
        assert.deepStrictEqual(yield* standing(id), { "chain:ethereum:deposits": 170n, "float:available": 170n })
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(store))
    )

  for (const [what, units, currency] of [
    ["more", 7_000n, "ETH"],
    ["less", 69n, "ETH"],
    ["another currency", 5_000n, "USDT_ETH"]
  ] as const)
    it.effect(`is for nobody yet where it was assigned, and its transaction is mined again and brings ${what}`, () =>
      Effect.gen(function* () {
        const { address, id } = yield* late
        const deposit = yield* before(id, address, 70n)
        const adjusting = (amount: Amount, assigns: string | null = null) =>
          submit(id, adjustFloat({ amount, against: "suspense", assigns, reason: "theirs" }))
        yield* adjusting(of(70n, "ETH"), (yield* sweepableOf(id, deposit)).bookedBy)
        yield* lost(id, deposit)
        const again = yield* arrived(id, address, units, currency, deposit.txHash)
        // the float has what is gone, and would have both
        assert.deepInclude(again, { id: deposit.id, status: "CONFIRMED", creditedBy: null, historical: false })
        const booking = yield* operationOf(id, (yield* sweepableOf(id, again)).bookedBy)
        assert.notProperty(booking.details, "assigned")
        assert.notProperty(booking.details, "succeeds")
        yield* ledgerHolds(id)
        const isShort = currency === "ETH"
        if (isShort) {
          assert.strictEqual((yield* Effect.flip(adjusting(of(units, "ETH"), booking.id)))._tag, "Refusal")
          yield* adjusting(of(-70n, "ETH"))
        }
        yield* adjusting(of(units, currency), booking.id)
        if (isShort)
          assert.deepStrictEqual(yield* standing(id), { "chain:ethereum:deposits": units, "float:available": units })
        // and what it brings now is given once, too
        yield* lost(id, again)
        const third = yield* arrived(id, address, units, currency, deposit.txHash)
        const succeeding = yield* operationOf(id, (yield* sweepableOf(id, third)).bookedBy)
        assert.strictEqual(succeeding.details.succeeds, booking.id)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(store))
    )

  it.effect("is booked as well where the key of its address is handed over later", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(10_000_000)
      const { id } = yield* newTenant()
      const text = newEvmAddress()
      const [registered] = yield* submit(id, registerAddresses([addressItem(text)]))
      if (registered?.status !== "registered") return assert.fail("it was not registered")
      const old = yield* before(id, registered.address, 70n)
      const credited = yield* arrived(id, registered.address, 30n)
      assert.deepStrictEqual(yield* standing(id), { "chain:ethereum:tenant": 30n, "float:available": 30n })
      const key = { keyId: crypto.randomUUID(), sealed: "s", publicKey: "02", algorithm: "RSA-OAEP-SHA256" }
      const source = { sourceSystem: null, sourceReference: null }
      yield* submit(id, importDepositKey({ network: "ethereum", ...keyed(text), ...key, ...source }, defaultCurrencies))
      assert.deepStrictEqual(yield* standing(id), {
        "chain:ethereum:deposits": 100n,
        "float:available": 30n,
        suspense: -70n
      })
      assert.isNotNull((yield* sweepableOf(id, old)).bookedBy)
      assert.isNull((yield* sweepableOf(id, credited)).bookedBy)
      yield* ledgerHolds(id)
      return undefined
    }).pipe(Effect.provide(store))
  )
})

describe("a deposit that was credited", () => {
  it.effect("waits to be swept, and nothing else is booked of it", () =>
    Effect.gen(function* () {
      const { address, id } = yield* custody()
      const deposit = yield* arrived(id, address, 70n)
      const sweepable = yield* sweepableOf(id, deposit)
      assert.deepStrictEqual(sweepable, {
        depositId: deposit.id,
        network: "ethereum",
        txHash: deposit.txHash,
        transferIndex: 3,
        addressId: address.id,
        address: address.address,
        currency: "ETH",
        contract: null,
        units: 70n,
        key: { _tag: "Issued", seedId: address.seedId ?? "", index: 0 },
        gone: false,
        sweepId: null,
        bookedBy: null,
        unbacked: 0n
      })
      assert.deepStrictEqual(yield* standing(id), { "chain:ethereum:deposits": 70n, "float:available": 70n })
      yield* lost(id, deposit)
      assert.deepStrictEqual(yield* standing(id), {})
      assert.isTrue((yield* sweepableOf(id, deposit)).gone)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("is looked at when its address is released, where that is held", () =>
    Effect.gen(function* () {
      const { address, id } = yield* custody("ethereum", 1, { holdOnIssuance: true })
      yield* arrived(id, address, 70n)
      assert.isUndefined(yield* dueAt(sweepQueue("ethereum"), address.id))
      yield* TestClock.setTime(4_000)
      yield* submit(id, releaseByOperator(address.id))
      assert.strictEqual(yield* dueAt(sweepQueue("ethereum"), address.id), 4_000)
    }).pipe(Effect.provide(store))
  )

  it.effect("is looked at later, or not at all, as whoever looked at it says", () =>
    Effect.gen(function* () {
      const { addresses, id } = yield* custody("ethereum", 2)
      const ids = addresses.map((one) => one.id)
      const dues = Effect.forEach(ids, (one) => dueAt(sweepQueue("ethereum"), one))
      yield* submit(id, postponeRequests("ethereum", [...ids, ...ids], 9_000))
      assert.deepStrictEqual(yield* dues, [9_000, 9_000])
      yield* submit(id, endRequests("ethereum", [...ids.slice(0, 1), ...ids.slice(0, 1)], presetNetworks))
      assert.deepStrictEqual(yield* dues, [undefined, 9_000])
      yield* submit(id, postponeSweep("ethereum", "sweep-1", 8_000))
      assert.strictEqual(yield* dueAt(openSweepQueue("ethereum"), "sweep-1"), 8_000)
    }).pipe(Effect.provide(store))
  )
})

describe("an address on which nothing waited when it was looked at", () => {
  const end = (id: TenantId, address: DepositAddress) =>
    Effect.andThen(
      submit(id, endRequests("ethereum", [address.id], presetNetworks)),
      dueAt(sweepQueue("ethereum"), address.id)
    )

  it.effect("stays in its queue where a deposit was confirmed on it since", () =>
    Effect.gen(function* () {
      const { address, id } = yield* custody("ethereum", 1)
      yield* TestClock.setTime(4_000)
      const deposit = yield* arrived(id, address, 70n)
      assert.strictEqual(yield* end(id, address), 4_000)
      yield* lost(id, deposit)
      assert.isUndefined(yield* end(id, address))
    }).pipe(Effect.provide(store))
  )

  it.effect("is taken out of it where it is held: its release puts it back", () =>
    Effect.gen(function* () {
      const { address, id } = yield* custody("ethereum", 1)
      yield* arrived(id, address, 70n)
      yield* submit(id, holdByOperator(address.id, "ours"))
      assert.isUndefined(yield* end(id, address))
      yield* TestClock.setTime(5_000)
      yield* submit(id, releaseByOperator(address.id))
      assert.strictEqual(yield* dueAt(sweepQueue("ethereum"), address.id), 5_000)
    }).pipe(Effect.provide(store))
  )
})

describe("an address", () => {
  const hold = { kind: "OWNER", reason: "mine", heldAt: 1 } as const

  it("is swept where the service has its key, nothing holds it and its network is there", () => {
    const swept = (
      origin: DepositAddress["origin"],
      more: Partial<Pick<DepositAddress, "network" | "sweepHold">> = {}
    ) => isSwept({ network: "ethereum", sweepHold: null, origin, ...more }, presetNetworks)
    assert.deepStrictEqual(
      (["ISSUED", "IMPORTED", "REGISTERED", "DERIVED"] as const).map((origin) => swept(origin)),
      [true, true, null, null]
    )
    assert.isFalse(swept("ISSUED", { sweepHold: hold }))
    assert.isFalse(swept("ISSUED", { network: "gone" }))
    // what an imported account has to keep is its owner's to say
    assert.isTrue(swept("ISSUED", { network: "stellar" }))
    assert.isFalse(swept("IMPORTED", { network: "stellar" }))
    assert.isFalse(swept("ISSUED", { network: "stellar", sweepHold: hold }))
  })

  it("is swept with the key of the seed that it was issued from, or with its own", () => {
    const key = (origin: DepositAddress["origin"], seedId: string | null = "s", derivationIndex: number | null = 7) =>
      sweepKeyOf({ origin, seedId, derivationIndex })
    assert.deepStrictEqual(key("ISSUED"), { _tag: "Issued", seedId: "s", index: 7 })
    assert.deepStrictEqual(key("ISSUED", "s", 0), { _tag: "Issued", seedId: "s", index: 0 })
    assert.deepStrictEqual(key("IMPORTED"), { _tag: "Imported" })
    for (const none of [key("ISSUED", null), key("ISSUED", "s", null), key("REGISTERED"), key("DERIVED")])
      assert.isUndefined(none)
  })
})

describe("the hold on an address", () => {
  const set = (addressId: string, held: boolean, reason: string, seenThrough: number | null = null) =>
    setSweepHold({ addressId, held, reason, seenThrough })

  it.effect("of its tenant keeps since when it holds, whatever reason is given later", () =>
    Effect.gen(function* () {
      const { address, id } = yield* custody("ethereum", 1, { holdOnIssuance: true })
      yield* TestClock.setTime(1_000)
      const first = yield* submit(id, set(address.id, true, "mine"))
      assert.deepStrictEqual(first.sweepHold, { kind: "OWNER", reason: "mine", heldAt: 1_000 })
      yield* TestClock.setTime(2_000)
      assert.deepStrictEqual((yield* submit(id, set(address.id, true, "mine"))).sweepHold, first.sweepHold)
      assert.deepStrictEqual((yield* submit(id, set(address.id, true, "other"))).sweepHold, {
        kind: "OWNER",
        reason: "other",
        heldAt: 1_000
      })
    }).pipe(Effect.provide(store))
  )

  it.effect("of an operator lies over the tenant's, which comes back as it is by then", () =>
    Effect.gen(function* () {
      const { address, id } = yield* custody()
      yield* TestClock.setTime(1_000)
      const bare = yield* submit(id, holdByOperator(address.id, "ours"))
      assert.deepStrictEqual(bare.sweepHold, { kind: "OPERATOR", reason: "ours", heldAt: 1_000 })
      yield* TestClock.setTime(2_000)
      const under = yield* submit(id, set(address.id, true, "mine"))
      const own = { kind: "OWNER", reason: "mine", heldAt: 2_000 } as const
      assert.deepStrictEqual(under.sweepHold, { kind: "OPERATOR", reason: "ours", heldAt: 1_000, over: own })
      assert.deepStrictEqual(yield* submit(id, set(address.id, true, "mine")), under, "a repeat changes nothing")
      yield* TestClock.setTime(3_000)
      const renamed = yield* submit(id, holdByOperator(address.id, "ours still"))
      assert.deepStrictEqual(renamed.sweepHold, {
        kind: "OPERATOR",
        reason: "ours still",
        heldAt: 3_000,
        over: own
      })
      assert.deepStrictEqual(yield* submit(id, holdByOperator(address.id, "ours still")), renamed)
      assert.deepStrictEqual((yield* submit(id, releaseByOperator(address.id))).sweepHold, own)
      const over = yield* submit(id, holdByOperator(address.id, "again"))
      assert.deepStrictEqual(over.sweepHold, { kind: "OPERATOR", reason: "again", heldAt: 3_000, over: own })
    }).pipe(Effect.provide(store))
  )

  it.effect("is released by whoever has read the newest arrival, which the refusal names", () =>
    Effect.gen(function* () {
      const { address, id } = yield* custody()
      yield* submit(id, set(address.id, true, "mine"))
      const deposit: Deposit = yield* arrived(id, address, 5n)
      const refusal = yield* Effect.flip(submit(id, set(address.id, false, "", 0)))
      assert.deepInclude(refusal, {
        code: "sweep_newer_arrival",
        detail: { newest_change_seq: deposit.changeSeq }
      })
      yield* TestClock.setTime(7_000)
      assert.isNull((yield* submit(id, set(address.id, false, "", deposit.changeSeq))).sweepHold)
      assert.strictEqual(yield* dueAt(sweepQueue("ethereum"), address.id), 7_000)
      yield* TestClock.setTime(8_000)
      yield* submit(id, set(address.id, false, "", deposit.changeSeq))
      assert.strictEqual(yield* dueAt(sweepQueue("ethereum"), address.id), 7_000, "a repeat changes nothing")
    }).pipe(Effect.provide(store))
  )
})
