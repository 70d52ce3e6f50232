import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { Deposit } from "@bursar/core/deposit/Deposit"
import { nothingUndecided } from "@bursar/core/deposit/undecided"
import { putRecord } from "@bursar/core/engine/Records"
import { confirmDeposits } from "@bursar/core/incoming/confirmDeposits"
import { recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import {
  confirmWalletTransfers,
  recordWalletTransfers,
  reorgWalletTransfers
} from "@bursar/core/incoming/walletTransfers"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { Operation } from "@bursar/core/operation/Operation"
import { tellShort } from "@bursar/core/operation/tellShort"
import { attachEvidence, recordEvidence } from "@bursar/core/payout/attachEvidence"
import { cancelPayout } from "@bursar/core/payout/cancelPayout"
import { givenBefore } from "@bursar/core/payout/givenBefore"
import { holdSignedBefore } from "@bursar/core/payout/holdSignedBefore"
import { settleHeld } from "@bursar/core/payout/settleHeld"
import { keptSignatures } from "@bursar/core/payout/keptSignatures"
import { purposes } from "@bursar/core/purposes"
import { Queries } from "@bursar/core/store/Queries"
import type { AddressOrigin, TenantId } from "@bursar/core/tenant/Tenant"
import { unconditional } from "@bursar/core/transaction/PurposeRule"
import { recordSigned } from "@bursar/core/transaction/recordSigned"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { adjust, looking, writing } from "@bursar/testkit/fixtures/commands"
import { type MinedTransfer, incomingTransferAt, newAddress } from "@bursar/testkit/fixtures/deposits"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import {
  accepted,
  ethereum,
  float,
  ledgerHolds,
  outside,
  payer,
  reserved,
  stateOf,
  store,
  submit,
  usdt
} from "../payout/world.ts"

const block = { number: 1, hash: "b1", time: 10 }

/** What came to a wallet in a block that is deep enough. */
const arrives = Effect.fnUntraced(function* (
  id: TenantId,
  wallet: { readonly id: string; readonly address: string },
  fromAddress: string | null,
  txHash: string
) {
  const one = {
    ...{ network: "ethereum", txHash, transferIndex: 0, walletId: wallet.id, address: wallet.address, memo: null },
    ...{ paidTo: wallet.address, currency: "ETH", units: 7n, fromAddress, block }
  }
  const recorded = yield* submit(id, recordWalletTransfers([one], presetNetworks))
  const found = recorded.map((incomingTransfer) => ({ incomingTransfer, block }))
  const [confirmed] = yield* submit(id, confirmWalletTransfers(found, presetNetworks, nothingUndecided))
  return confirmed ?? (yield* Effect.die(new Error("it was not confirmed")))
})

const inSuspense = (id: TenantId) =>
  submit(
    id,
    looking(
      [{ _tag: "Balance", account: "suspense", currency: "ETH" }],
      (view) => -view.balance("suspense", "ETH").units
    )
  )

/** An address of the tenant's of which the service holds the key. */
const addressOf = Effect.fnUntraced(function* (id: TenantId, origin: AddressOrigin) {
  const address: DepositAddress = { ...(yield* newAddress(id)), origin, seedId: "seed", derivationIndex: 0 }
  yield* submit(
    id,
    writing(() => [putRecord(DepositAddress, address)])
  )
  return address
})

const attempt = (hash: string, pays: ReadonlyArray<string>) =>
  writing(({ now }) => [
    putRecord(TransactionAttempt, {
      ...{ network: "ethereum", hash, transactionId: "ours", raw: new Uint8Array(), validUntil: null, replaces: null },
      ...{ pays, feeMax: 0n, signedAt: now, sentAt: null }
    })
  ])

describe("what the service moved itself and its database has lost", () => {
  it.effect(
    "is booked as from outside where its sender may be somebody else, and not where only the service has the key",
    () =>
      Effect.gen(function* () {
        const { id, wallet } = yield* payer()
        const issued = yield* addressOf(id, "ISSUED")
        const imported = yield* addressOf(id, "IMPORTED")
        const senders = [issued.address, wallet.address, imported.address, outside, null]
        const all = yield* Effect.forEach(senders, (sender, at) => arrives(id, wallet, sender, `t${at}`))
        assert.deepStrictEqual(
          all.map(({ bookedBy, status }) => [status, bookedBy !== null]),
          [false, false, true, true, true].map((isBooked) => ["CONFIRMED", isBooked])
        )
        assert.strictEqual(yield* inSuspense(id), 21n)
      }).pipe(Effect.provide(store))
  )

  it.effect("is no deposit where a wallet sent it, until a payout is known that did", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const issued = yield* addressOf(id, "ISSUED")
      const come = (more: Partial<MinedTransfer>) =>
        incomingTransferAt(issued, 7n, { fromAddress: wallet.address, ...more })
      const all = [
        come({ txHash: "paid" }),
        come({ txHash: "top-up" }),
        come({ txHash: "unknown" }),
        // no coin is for network fees, and others have their own
        come({ txHash: "token", currency: "USDT_ETH" }),
        come({ txHash: "others", fromAddress: outside })
      ]
      const reading = { network: "ethereum", requiredConfirmations: 1, incomingTransfers: all }
      const recorded = yield* submit(id, recordIncomingTransfers(reading, defaultCurrencies))
      assert.lengthOf(recorded, 5)
      const found = recorded.map((deposit) => ({ deposit, blockHash: deposit.block?.hash ?? "", confirmations: 1 }))
      const confirm = submit(id, confirmDeposits(found, defaultCurrencies, nothingUndecided))
      const stand = Effect.flatMap(Queries, (queries) =>
        Effect.forEach(all, (one) =>
          Effect.map(queries.record(id, Deposit, one), (known) => [
            known?.txHash,
            known?.status,
            known?.creditedBy !== null
          ])
        )
      )
      yield* confirm
      assert.deepStrictEqual(yield* stand, [
        ["paid", "DETECTED", false],
        ["top-up", "DETECTED", false],
        ["unknown", "DETECTED", false],
        ["token", "CONFIRMED", true],
        ["others", "CONFIRMED", true]
      ])
      // the signer tells
      yield* submit(id, attempt("paid", ["payout"]))
      yield* submit(id, attempt("top-up", []))
      yield* confirm
      yield* confirm
      assert.deepStrictEqual(yield* stand, [
        ["paid", "CONFIRMED", true],
        ["top-up", "REORGED", false],
        ["unknown", "DETECTED", false],
        ["token", "CONFIRMED", true],
        ["others", "CONFIRMED", true]
      ])
    }).pipe(Effect.provide(store))
  )
})

const proven = { verdict: "PROVEN", detail: "it paid" } as const

describe("coin that the tenant's wallet has sent to an address of the tenant's", () => {
  /** Records what came. What is given confirms it, and tells what has become of it. */
  const recording = Effect.fnUntraced(function* (id: TenantId, all: ReadonlyArray<MinedTransfer>) {
    const reading = { network: "ethereum", requiredConfirmations: 1, incomingTransfers: all }
    const recorded = yield* submit(id, recordIncomingTransfers(reading, defaultCurrencies))
    const found = recorded.map((deposit) => ({ deposit, blockHash: deposit.block?.hash ?? "", confirmations: 1 }))
    const queries = yield* Queries
    return Effect.gen(function* () {
      yield* submit(id, confirmDeposits(found, defaultCurrencies, nothingUndecided))
      const known = yield* Effect.forEach(all, (one) => queries.record(id, Deposit, one))
      return known.map((deposit) => [deposit?.txHash, deposit?.status, deposit?.creditedBy != null])
    })
  })

  it.effect("is credited where evidence has settled the payout that brought it", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      // nobody of ours had it when the payout was asked for
      const to = "0x00000000000000000000000000000000000000A1"
      const { id: operationId } = yield* accepted(id, {
        order: usdt({ currency: "ETH", contract: null, units: 10n ** 18n, to })
      })
      const imported: DepositAddress = { ...(yield* newAddress(id)), address: to, origin: "IMPORTED" }
      yield* submit(
        id,
        writing(() => [putRecord(DepositAddress, imported)])
      )
      const sent = ["0xlost", "0xother"].map((txHash) =>
        incomingTransferAt(imported, 10n ** 18n, { fromAddress: wallet.address, txHash })
      )
      const confirm = yield* recording(id, sent)
      const unknown = ["0xother", "DETECTED", false] as const
      assert.deepStrictEqual(yield* confirm, [["0xlost", "DETECTED", false], [...unknown]])
      const payout = Effect.map(stateOf(id, operationId), (state) => state.payout)
      yield* submit(id, holdSignedBefore({ payout: yield* payout, hashes: ["0xlost"], currencies: defaultCurrencies }))
      const asked = { payout: yield* payout, txHash: "0xlost" }
      const before = yield* givenBefore(yield* Queries, id, { ...asked, network: "ethereum" })
      const given = yield* submit(id, attachEvidence({ ...asked, note: "seen", by: "ann", before }))
      yield* submit(id, recordEvidence(given, { verdict: "PROVEN", detail: "it paid", fee: 7n }, ethereum))
      yield* submit(
        id,
        settleHeld({ payout: yield* payout, asked: ["0xlost"], nextAt: 1, currencies: defaultCurrencies })
      )
      assert.deepStrictEqual(yield* confirm, [["0xlost", "CONFIRMED", true], [...unknown]])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("is not credited where the import of its key is lost either: nobody pays an address of one's own", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const before = (yield* float(id, "ETH")).available
      for (const origin of ["REGISTERED", "DERIVED"] as const) {
        const address = yield* addressOf(id, origin)
        const confirm = yield* recording(id, [
          incomingTransferAt(address, 7n, { fromAddress: wallet.address, txHash: origin })
        ])
        assert.deepStrictEqual(yield* confirm, [[origin, "DETECTED", false]])
        yield* submit(id, attempt(origin, []))
        assert.deepStrictEqual(yield* confirm, [[origin, "REORGED", false]], "the signer tells")
      }
      assert.strictEqual((yield* float(id, "ETH")).available, before)
    }).pipe(Effect.provide(store))
  )
})

describe("the change of a payout that evidence is proven to have paid", () => {
  /** Two payouts that one transaction has paid, which only the signer remembers; `ask` records what the chain says of it for one. */
  const world = Effect.gen(function* () {
    const { id, wallet } = yield* payer()
    const receivers = ["0x00000000000000000000000000000000000000A1", "0x00000000000000000000000000000000000000A2"]
    const made = yield* Effect.forEach(receivers, (to) => accepted(id, { order: usdt({ to }) }))
    const queries = yield* Queries
    const give = Effect.fnUntraced(function* (operationId: string) {
      const { payout } = yield* stateOf(id, operationId)
      const before = yield* givenBefore(queries, id, { network: payout.network, payout, txHash: "0xlost" })
      return yield* submit(id, attachEvidence({ payout, txHash: "0xlost", note: "seen", by: "ann", before }))
    })
    const ask = Effect.fnUntraced(function* (operationId: string) {
      return yield* submit(id, recordEvidence(yield* give(operationId), { ...proven, fee: 7n }, ethereum))
    })
    const settle = Effect.fnUntraced(function* (operationId: string) {
      const { payout } = yield* stateOf(id, operationId)
      yield* submit(id, settleHeld({ payout, asked: ["0xlost"], nextAt: 1, currencies: defaultCurrencies }))
      return (yield* stateOf(id, operationId)).operation.status
    })
    for (const { id: operationId } of made) {
      const { payout } = yield* stateOf(id, operationId)
      yield* submit(id, holdSignedBefore({ payout, hashes: ["0xlost"], currencies: defaultCurrencies }))
    }
    return { id, wallet, made, give, ask, settle }
  })

  it.effect("leaves suspense once, when the first is settled", () =>
    Effect.gen(function* () {
      const { ask, id, made, settle, wallet } = yield* world
      yield* arrives(id, wallet, null, "0xlost")
      yield* arrives(id, wallet, null, "0xother")
      assert.strictEqual(yield* inSuspense(id), 14n)
      for (const one of made) yield* ask(one.id)
      for (const one of made) {
        assert.strictEqual(yield* settle(one.id), "SETTLED")
        assert.strictEqual(yield* inSuspense(id), 7n)
      }
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "is not booked as from outside where it is found once that has settled one, and what somebody else sent is",
    () =>
      Effect.gen(function* () {
        const { ask, id, made, settle, wallet } = yield* world
        const first = made[0]?.id ?? ""
        yield* ask(first)
        assert.strictEqual(yield* settle(first), "SETTLED")
        assert.isNull((yield* arrives(id, wallet, null, "0xlost")).bookedBy)
        assert.isNotNull((yield* arrives(id, wallet, null, "0xother")).bookedBy)
      }).pipe(Effect.provide(store))
  )

  for (const [what, said] of [
    [
      "is of another payout, and denied",
      [
        { verdict: "NOT_PROVEN", reason: "no" },
        { ...proven, fee: 7n }
      ]
    ],
    ["does not say what it cost", [{ ...proven, fee: null }]]
  ] as const)
    it.effect(`is not booked as from outside once that has settled one, where the first evidence ${what}`, () =>
      Effect.gen(function* () {
        const { give, id, made, settle, wallet } = yield* world
        const given = yield* Effect.forEach(made.slice(0, said.length), (one) => give(one.id))
        for (const [at, one] of given.entries())
          yield* submit(id, recordEvidence(one, said[at] ?? { ...proven, fee: 7n }, ethereum))
        const arrival = yield* arrives(id, wallet, null, "0xlost")
        assert.strictEqual(yield* settle(given.at(-1)?.operationId ?? ""), "SETTLED")
        assert.strictEqual(yield* inSuspense(id), 0n)
        yield* submit(id, reorgWalletTransfers([{ incomingTransfer: arrival, block }], presetNetworks))
        assert.isNull((yield* arrives(id, wallet, null, "0xlost")).bookedBy, "it is in a block again")
        assert.strictEqual(yield* inSuspense(id), 0n)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(store))
    )
})

/** A payout that the database has not as signed, and what came by its hash. */
const lost = Effect.gen(function* () {
  const { id, wallet } = yield* payer()
  const operation = yield* accepted(id)
  const transaction = yield* reserved(id, wallet, [operation])
  const arrival = yield* arrives(id, wallet, null, "0xlost")
  const queries = yield* Queries
  const booked = queries.records(id, Operation, "0xlost")
  const store = (read: ReadonlyArray<Operation>) =>
    submit(
      id,
      recordSigned({
        ...{
          transaction,
          hash: "0xlost",
          raw: new Uint8Array([1]),
          validUntil: null,
          feeMax: 9n,
          pays: [operation.id]
        },
        ...{ replaces: null, isLost: true, booked: read, conditions: unconditional("PAYOUT"), purposes }
      })
    )
  return { id, arrival, booked, operationId: operation.id, store, wallet }
})

describe("a signature that is recorded after what it brought was booked as from outside", () => {
  it.effect("takes that back, once, whatever becomes of its block", () =>
    Effect.gen(function* () {
      const { arrival, booked, id, store: signed } = yield* lost
      assert.strictEqual(yield* inSuspense(id), 7n)
      yield* signed(yield* booked)
      assert.strictEqual(yield* inSuspense(id), 0n)
      const [first, back] = yield* booked
      assert.deepStrictEqual([first?.id, first?.details.reversed_by], [arrival.bookedBy, back?.id])
      yield* ledgerHolds(id)
      yield* signed(yield* booked)
      yield* submit(id, reorgWalletTransfers([{ incomingTransfer: arrival, block }], presetNetworks))
      assert.strictEqual(yield* inSuspense(id), 0n)
      assert.lengthOf(yield* booked, 2)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("leaves what operators have assigned of it: somebody has it", () =>
    Effect.gen(function* () {
      const { arrival, booked, id, store: signed } = yield* lost
      const before = (yield* float(id, "ETH")).available
      yield* submit(id, adjust(7n, "ETH", { against: "suspense", assigns: arrival.bookedBy }))
      yield* signed(yield* booked)
      assert.deepStrictEqual([yield* inSuspense(id), (yield* float(id, "ETH")).available - before], [0n, 7n])
      const [stays, ...others] = yield* booked
      assert.deepStrictEqual(others, [])
      // it is stored with the signature, so that no crash keeps it from operators
      const given = stays?.details.assigned?.operation_id
      assert.include(stays?.details.contradiction?.said, `operation ${given} has given it to the float`)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "notes that suspense is short of it where operators have credited it without naming it, and nothing where it stood there",
    () =>
      Effect.gen(function* () {
        for (const [units, isShort] of [
          [7n, true],
          [1n, true],
          [0n, false]
        ] as const) {
          const { booked, id, store: signed } = yield* lost
          if (units > 0n) yield* submit(id, adjust(units, "ETH", { against: "suspense" }))
          yield* signed(yield* booked)
          assert.strictEqual(yield* inSuspense(id), -units)
          const [taken] = yield* booked
          assert.isDefined(taken?.details.reversed_by)
          const noted = taken?.details.contradiction?.said
          if (isShort) assert.include(noted, "suspense is short of it")
          else assert.isUndefined(noted)
          yield* ledgerHolds(id)
        }
      }).pipe(Effect.provide(store))
  )

  it.effect("notes that it may have been credited without being named, though other money stands in suspense", () =>
    Effect.gen(function* () {
      for (const [credited, put] of [
        [7n, 0n],
        // what was put back does not say whose it was
        [7n, -7n],
        [0n, 0n]
      ] as const) {
        const { booked, id, store: signed, wallet } = yield* lost
        const other = yield* arrives(id, wallet, null, "0xother")
        for (const units of [credited, put])
          if (units !== 0n) yield* submit(id, adjust(units, "ETH", { against: "suspense" }))
        yield* signed(yield* booked)
        assert.strictEqual(yield* inSuspense(id), 7n - credited - put)
        const noted = (yield* booked)[0]?.details.contradiction?.said
        if (credited === 0n) assert.isUndefined(noted)
        else assert.include(noted, "have taken 7 base units of ETH out of suspense")
        if (credited + put === 0n)
          yield* submit(id, adjust(7n, "ETH", { against: "suspense", assigns: other.bookedBy }))
        yield* ledgerHolds(id)
      }
    }).pipe(Effect.provide(store))
  )

  it.effect("says what operators have assigned of it where its payout is cancelled", () =>
    Effect.gen(function* () {
      const { arrival, booked, id, operationId } = yield* lost
      yield* submit(id, adjust(7n, "ETH", { against: "suspense", assigns: arrival.bookedBy }))
      const { payout, transaction } = yield* stateOf(id, operationId)
      const kept = keptSignatures([
        { hash: "0xlost", raw: new Uint8Array([1]), validUntil: null, feeMax: 9n, shares: "same" }
      ])
      const read = { payout, transaction, kept, booked: yield* booked }
      const { assigned, state } = yield* submit(id, cancelPayout({ ...read, by: "ann", currencies: defaultCurrencies }))
      assert.deepStrictEqual([state, assigned.map((one) => one.id)], ["trying", [arrival.bookedBy]])
      assert.isDefined((yield* booked)[0]?.details.contradiction)
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "is told of where its payout is cancelled and suspense is short of it, and is not told of where it stood there",
    () =>
      Effect.gen(function* () {
        const lines: Array<string> = []
        const logged = Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))])
        for (const units of [0n, 7n]) {
          const { booked, id, operationId } = yield* lost
          if (units > 0n) yield* submit(id, adjust(units, "ETH", { against: "suspense" }))
          const { payout, transaction } = yield* stateOf(id, operationId)
          const kept = keptSignatures([
            { hash: "0xlost", raw: new Uint8Array([1]), validUntil: null, feeMax: 9n, shares: "same" }
          ])
          const read = { payout, transaction, kept, booked: yield* booked }
          const { takenBack } = yield* submit(id, cancelPayout({ ...read, by: "ann", currencies: defaultCurrencies }))
          const reversed = (yield* booked).filter(({ details }) => details.reversed_by !== undefined)
          assert.deepStrictEqual(takenBack, reversed)
          yield* Effect.provide(tellShort(takenBack), logged)
          assert.lengthOf(lines, units === 0n ? 0 : 1)
        }
        assert.include(lines[0], "operation.contradicted")
        assert.include(lines[0], "suspense is short of it")
      }).pipe(Effect.provide(store))
  )

  it.effect("is made from what is no longer so where that was booked since it was looked up", () =>
    Effect.gen(function* () {
      const { id, store: signed } = yield* lost
      const error = yield* Effect.flip(signed([]))
      assert.deepInclude(error, { _tag: "Refusal", code: "stale" })
      assert.strictEqual(yield* inSuspense(id), 7n)
    }).pipe(Effect.provide(store))
  )
})
