import type { DepositAddress } from "@bursar/core/address/DepositAddress"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { Queries } from "@bursar/core/store/Queries"
import { purposes } from "@bursar/core/purposes"
import { IntakeCost } from "@bursar/core/sweep/IntakeCost"
import { closeSweep } from "@bursar/core/sweep/closeSweep"
import { loseSweeps } from "@bursar/core/sweep/loseSweeps"
import { SweepAccount, sweepAccountKey } from "@bursar/core/sweep/SweepAccount"
import { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { unconditional } from "@bursar/core/transaction/PurposeRule"
import { recordStatus } from "@bursar/core/transaction/recordStatus"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { recordSigned } from "@bursar/core/transaction/recordSigned"
import { ChainError } from "@bursar/core/port/Chain"
import { emptyState } from "@bursar/memory"
import { makeFakeChain } from "@bursar/testkit/fixtures/FakeChain"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { newTxHash } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { mayBeThere } from "../../src/reconcile/mayBeThere.ts"
import { orderOf } from "../../src/transactions/orderOf.ts"
import { fakeNetwork } from "../fakeNetwork.ts"
import { ledgerHolds, mineUntil, processOver, submit, tick } from "../transactions/world.ts"
import {
  arrive,
  booked,
  confirmed,
  custody,
  isBack,
  ledgerAgrees,
  lost,
  openSweepables,
  sweeping,
  sweepsOf
} from "./world.ts"

const statesOf = (tenantId: TenantId) =>
  Effect.map(sweepsOf(tenantId), (sweeps) =>
    sweeps
      .toSorted((one, other) => (one.id < other.id ? -1 : 1))
      .map(({ closedAt, state }) => `${state}${closedAt === null ? " open" : ""}`)
  )

/** Lets seconds pass without a block until something is true. */
const waitUntil = <E, R>(what: string, isTrue: Effect.Effect<boolean, E, R>) =>
  Effect.gen(function* () {
    for (let left = 200; left > 0; left--) {
      if (yield* isTrue) return
      yield* tick
    }
    assert.fail(`it never came true that ${what}`)
  })

const seconds = (fake: FakeSender, count: number) =>
  Effect.forEach(
    Array.from({ length: count }),
    () =>
      Effect.gen(function* () {
        fake.mine(yield* Clock.currentTimeMillis)
        yield* tick
      }),
    { discard: true }
  )

const reach = (tenantId: TenantId, ...wanted: ReadonlyArray<string>) =>
  Effect.map(statesOf(tenantId), (states) => states.join() === wanted.join())

const openTransactions = Effect.fnUntraced(function* (tenantId: TenantId) {
  const all = yield* (yield* Queries).records(tenantId, OutboundTransaction)
  return all.filter(({ phase }) => phase !== "FINAL")
})

/** A deposit whose sweep was signed and is in no block. */
const sweptInVain = Effect.fnUntraced(function* (
  fake: FakeSender,
  id: TenantId,
  address: DepositAddress,
  currency: string
) {
  const deposit = yield* confirmed(id, yield* arrive(id, fake, address, currency, 10_000n))
  yield* waitUntil("its sweep is signed", reach(id, "SWEEP_SIGNED open"))
  yield* tick
  return deposit
})

describe("a sweep whose deposit is lost after it was signed", () => {
  it.effect("is given up, and what arrives later is swept under the next number", () => {
    const fake = fakeNetwork({ network: "ethereum", charges: true })
    return Effect.gen(function* () {
      const { addresses, id } = yield* custody("ethereum", fake, 1)
      const [address] = addresses
      if (address === undefined) return assert.fail("no address")
      yield* Effect.forkScoped(sweeping(fake))
      const deposit = yield* sweptInVain(fake, id, address, "ETH")
      yield* lost(id, fake, deposit)
      yield* mineUntil(fake, "it is given up", reach(id, "ABANDONED"))
      yield* ledgerHolds(id)
      yield* ledgerAgrees("ethereum", fake, id, addresses)
      yield* confirmed(id, yield* arrive(id, fake, address, "ETH", 5_000n))
      yield* mineUntil(fake, "the next is swept", reach(id, "ABANDONED", "SWEPT"))
      yield* seconds(fake, 5)
      assert.deepStrictEqual(yield* openTransactions(id), [])
      // the first number was used up by a transaction that moved nothing
      const own = fake.chain().filter(({ from }) => from === address.address)
      assert.deepStrictEqual(
        own.map(({ payments }) => payments.length),
        [0, 1]
      )
      yield* ledgerAgrees("ethereum", fake, id, addresses)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("is not taken for what may be on the chain while it waits; where the node does not say, it is", () => {
    const fake = fakeNetwork({ network: "ethereum", charges: true })
    return Effect.gen(function* () {
      const { addresses, id } = yield* custody("ethereum", fake, 1)
      const [address] = addresses
      if (address === undefined) return assert.fail("no address")
      const worker = yield* Effect.forkScoped(sweeping(fake))
      const deposit = yield* sweptInVain(fake, id, address, "ETH")
      yield* lost(id, fake, deposit)
      yield* mineUntil(fake, "it is given up", reach(id, "ABANDONED"))
      yield* Fiber.interrupt(worker)
      const all = yield* (yield* Queries).records(id, OutboundTransaction)
      const [waiting, ...others] = all.filter(({ givenUpAfter }) => givenUpAfter !== null)
      if (waiting === undefined || others.length > 0) return assert.fail("one was given up")
      const chain = makeFakeChain({ network: "ethereum" })
      chain.mineMany(5)
      const adapter = { reader: chain.reader, sender: fake.sender }
      const thereOf = (transaction: OutboundTransaction) =>
        Effect.map(mayBeThere(adapter, chain.latest(), [{ tenantId: id, transaction }]), (there) => there.length)
      assert.strictEqual(yield* thereOf(waiting), 0)
      // one that nobody gave up is about to be there
      assert.strictEqual(yield* thereOf({ ...waiting, givenUpAfter: null }), 1)
      // a node that has not come as far as that of which the balances are, or is of another branch, does not know that it is not there
      const read = chain.latest()
      chain.setNodeLag(1)
      assert.strictEqual(yield* thereOf(waiting), 1)
      chain.setNodeLag(0)
      const elsewhere = mayBeThere(adapter, { ...read, hash: `${read.hash}0` }, [
        { tenantId: id, transaction: waiting }
      ])
      assert.lengthOf(yield* elsewhere, 1)
      assert.strictEqual(yield* thereOf(waiting), 0)
      fake.fail(100)
      assert.strictEqual(yield* thereOf(waiting), 1)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("is not taken for what may be on the chain where its coin is gone, whatever the node says", () => {
    const fake = fakeNetwork({ network: "bitcoin", charges: true })
    return Effect.gen(function* () {
      const { addresses, id } = yield* custody("bitcoin", fake, 1)
      const [address] = addresses
      if (address === undefined) return assert.fail("no address")
      const worker = yield* Effect.forkScoped(sweeping(fake))
      const deposit = yield* sweptInVain(fake, id, address, "BTC")
      yield* lost(id, fake, deposit)
      yield* mineUntil(fake, "it is given up", reach(id, "ABANDONED"))
      yield* Fiber.interrupt(worker)
      const [transaction] = yield* openTransactions(id)
      if (transaction === undefined) return assert.fail("no transaction")
      // a node finds a coin that was never there neither unspent nor spent, and fails
      fake.fail(100)
      const chain = makeFakeChain({ network: "bitcoin" })
      chain.mineMany(5)
      const there = mayBeThere({ reader: chain.reader, sender: fake.sender }, chain.latest(), [
        { tenantId: id, transaction }
      ])
      assert.deepStrictEqual(yield* there, [])
      yield* isBack(id, fake, deposit)
      assert.strictEqual((yield* there).length, 1)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("is given up where it had been in a block with it, and the node says nothing of it now", () => {
    const fake = fakeNetwork({ network: "bitcoin", charges: true })
    return Effect.gen(function* () {
      const { addresses, id } = yield* custody("bitcoin", fake, 1)
      const [address] = addresses
      if (address === undefined) return assert.fail("no address")
      yield* Effect.forkScoped(sweeping(fake))
      const deposit = yield* sweptInVain(fake, id, address, "BTC")
      fake.mine(yield* Clock.currentTimeMillis)
      const isIncluded = Effect.map(openTransactions(id), ([one]) => one?.phase === "INCLUDED")
      yield* waitUntil("it is in a block", isIncluded)
      fake.reorg(1, true)
      fake.fail(100_000)
      yield* lost(id, fake, deposit)
      yield* waitUntil("it is given up", reach(id, "ABANDONED"))
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("is given up before it is signed, where its deposit is lost and the node does not find it", () => {
    const fake = fakeNetwork({ network: "bitcoin", charges: true })
    return Effect.gen(function* () {
      const { addresses, id } = yield* custody("bitcoin", fake, 1)
      const [address] = addresses
      if (address === undefined) return assert.fail("no address")
      const unread = new ChainError({ network: "bitcoin", reason: "absent", doing: "build", detail: "it is not there" })
      const sender = { ...fake.sender, build: () => Effect.fail(unread) }
      yield* Effect.forkScoped(sweeping({ ...fake, sender }))
      const deposit = yield* confirmed(id, yield* arrive(id, fake, address, "BTC", 10_000n))
      yield* waitUntil("it is reserved", reach(id, "ELIGIBLE open"))
      for (let passed = 0; passed < 10; passed++) yield* tick
      assert.deepStrictEqual(yield* statesOf(id), ["ELIGIBLE open"])
      yield* lost(id, fake, deposit)
      yield* waitUntil("it is given up", reach(id, "ABANDONED"))
      assert.deepStrictEqual(yield* openTransactions(id), [])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("is not given up where the deposit only moves to another block", () => {
    const fake = fakeNetwork({ network: "ethereum", charges: true })
    return Effect.gen(function* () {
      const { addresses, id } = yield* custody("ethereum", fake, 1)
      const [moved] = addresses
      if (moved === undefined) return assert.fail("no address")
      yield* Effect.forkScoped(sweeping(fake))
      const deposit = yield* sweptInVain(fake, id, moved, "ETH")
      yield* lost(id, fake, deposit)
      const again = yield* isBack(id, fake, deposit)
      // longer than a deposit may be gone
      for (let passed = 0; passed < 10; passed++) yield* tick
      assert.deepStrictEqual(yield* statesOf(id), ["SWEEP_SIGNED open"])
      yield* mineUntil(fake, "it is swept", reach(id, "SWEPT"))
      assert.strictEqual(fake.chain().filter(({ from }) => from === moved.address).length, 1)
      yield* confirmed(id, again)
      yield* seconds(fake, 20)
      assert.deepStrictEqual(yield* statesOf(id), ["SWEPT"])
      yield* ledgerAgrees("ethereum", fake, id, addresses)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("is swept after all where the deposit comes again and what was signed takes effect", () => {
    const fake = fakeNetwork({ network: "ethereum", charges: true })
    return Effect.gen(function* () {
      const { addresses, id } = yield* custody("ethereum", fake, 1)
      const [address] = addresses
      if (address === undefined) return assert.fail("no address")
      yield* Effect.forkScoped(sweeping(fake))
      const deposit = yield* sweptInVain(fake, id, address, "ETH")
      yield* lost(id, fake, deposit)
      yield* mineUntil(fake, "it is given up", reach(id, "ABANDONED"))
      // the node takes nothing else than it has
      fake.answers(Array.from({ length: 100 }, () => "refuses" as const))
      const again = yield* isBack(id, fake, deposit)
      yield* mineUntil(fake, "it is swept", reach(id, "SWEPT"))
      yield* confirmed(id, again)
      yield* seconds(fake, 20)
      assert.deepStrictEqual(yield* statesOf(id), ["SWEPT"])
      assert.deepStrictEqual(yield* openTransactions(id), [])
      assert.deepInclude(yield* (yield* Queries).record(id, IntakeCost, "ETH"), { count: 1, feeUnits: 10n })
      yield* ledgerAgrees("ethereum", fake, id, addresses)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("lets go of its other deposits, which another sweep moves", () => {
    const fake = fakeNetwork({ network: "ethereum", charges: true })
    return Effect.gen(function* () {
      const { addresses, id } = yield* custody("ethereum", fake, 1)
      const [address] = addresses
      if (address === undefined) return assert.fail("no address")
      const one = yield* confirmed(id, yield* arrive(id, fake, address, "ETH", 4_000n))
      yield* confirmed(id, yield* arrive(id, fake, address, "ETH", 6_000n))
      yield* Effect.forkScoped(sweeping(fake))
      yield* waitUntil("its sweep is signed", reach(id, "SWEEP_SIGNED open"))
      yield* tick
      yield* lost(id, fake, one)
      yield* mineUntil(fake, "the rest is swept", reach(id, "ABANDONED", "SWEPT"))
      yield* seconds(fake, 5)
      // what was left after the number was used up, less three times the fee
      assert.strictEqual((yield* booked(id, "chain:ethereum:payouts")).get("ETH"), 1_000_000n + 5_960n)
      yield* ledgerAgrees("ethereum", fake, id, addresses)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("does not keep an address from its top-up that has no coin left to use its number up", () => {
    const fake = fakeNetwork({ network: "ethereum", charges: true })
    return Effect.gen(function* () {
      const { addresses, id } = yield* custody("ethereum", fake, 1)
      const [address] = addresses
      if (address === undefined) return assert.fail("no address")
      yield* Effect.forkScoped(sweeping(fake))
      const deposit = yield* sweptInVain(fake, id, address, "ETH")
      yield* lost(id, fake, deposit)
      yield* mineUntil(fake, "it is given up", reach(id, "ABANDONED"))
      yield* confirmed(id, yield* arrive(id, fake, address, "USDT_ETH", 5_000n))
      yield* mineUntil(fake, "the tokens are swept", reach(id, "ABANDONED", "SWEPT"))
      yield* seconds(fake, 5)
      assert.deepStrictEqual(yield* openTransactions(id), [])
      yield* ledgerAgrees("ethereum", fake, id, addresses)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("is swept after all, and what was begun anew for its deposit meanwhile ends", () => {
    const fake = fakeNetwork({ network: "ethereum", charges: true })
    return Effect.gen(function* () {
      const { addresses, id } = yield* custody("ethereum", fake, 1)
      const [address] = addresses
      if (address === undefined) return assert.fail("no address")
      yield* Effect.forkScoped(sweeping(fake))
      // coin that is not confirmed pays for the sweep of the tokens
      const coin = yield* arrive(id, fake, address, "ETH", 30n)
      const deposit = yield* sweptInVain(fake, id, address, "USDT_ETH")
      yield* lost(id, fake, coin)
      yield* lost(id, fake, deposit)
      yield* mineUntil(fake, "it is given up", reach(id, "ABANDONED"))
      yield* confirmed(id, yield* isBack(id, fake, deposit))
      yield* waitUntil("a top-up is signed", reach(id, "ABANDONED", "TOPUP_SIGNED open"))
      yield* tick
      // the node takes nothing else than it has, and there is more to sweep and to pay for it with
      fake.answers(Array.from({ length: 30 }, () => "refuses" as const))
      yield* confirmed(id, yield* isBack(id, fake, coin))
      yield* confirmed(id, yield* arrive(id, fake, address, "USDT_ETH", 8_000n))
      yield* mineUntil(
        fake,
        "the first has moved it",
        Effect.map(sweepsOf(id), (sweeps) => sweeps.some(({ state }) => state === "SWEPT"))
      )
      for (let passed = 0; passed < 60; passed++) {
        yield* seconds(fake, 1)
        yield* ledgerHolds(id)
      }
      assert.deepStrictEqual(yield* statesOf(id), ["SWEPT", "ABANDONED", "SWEPT"])
      assert.deepStrictEqual(yield* openTransactions(id), [])
      yield* ledgerAgrees("ethereum", fake, id, addresses)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("keeps others from its deposits, where it is swept after all, until it is closed again", () => {
    const fake = fakeNetwork({ network: "ethereum", charges: true })
    return Effect.gen(function* () {
      const { addresses, id } = yield* custody("ethereum", fake, 1)
      const [address] = addresses
      if (address === undefined) return assert.fail("no address")
      const process = yield* Effect.forkScoped(sweeping(fake))
      const deposit = yield* sweptInVain(fake, id, address, "ETH")
      const [open] = yield* openTransactions(id)
      yield* lost(id, fake, deposit)
      yield* waitUntil("it is given up", reach(id, "ABANDONED"))
      yield* Fiber.interrupt(process)
      const [transaction] = yield* openTransactions(id)
      const [hash] = open?.hashes ?? []
      if (transaction === undefined || hash === undefined) return assert.fail("no transaction")
      const now = yield* Clock.currentTimeMillis
      const status = { _tag: "Final", hash, effect: "done", fee: 10n, blockNumber: 1, blockTime: now } as const
      const final = { transaction, asked: transaction.hashes, status, nextAt: now, unresolvedAfterMs: 1 }
      yield* submit(id, recordStatus({ ...final, currencies: defaultCurrencies, purposes }))
      const [sweep] = yield* sweepsOf(id)
      if (sweep === undefined) return assert.fail("no sweep")
      assert.deepInclude(sweep, { state: "SWEPT", closedAt: null })
      const account = yield* (yield* Queries).record(id, SweepAccount, sweepAccountKey("ethereum", address.address))
      assert.deepInclude(account, { transactionId: null, sweepIds: [sweep.id] })
      const closing = { sweep, nativeUsd: null, retryAt: now, waiting: [], currencies: defaultCurrencies }
      assert.isNotNull(yield* submit(id, closeSweep(closing)))
      assert.deepStrictEqual(
        (yield* openSweepables(id)).map(({ sweepId }) => sweepId),
        [sweep.id]
      )
      const free = yield* (yield* Queries).record(id, SweepAccount, sweepAccountKey("ethereum", address.address))
      assert.deepInclude(free, { transactionId: null, sweepIds: [] })
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect(
    "is not taken for one that moved nothing, where a replacement of it that was not stored is on the chain",
    () => {
      const fake = fakeNetwork({ network: "ethereum", charges: true })
      return Effect.gen(function* () {
        const { addresses, id } = yield* custody("ethereum", fake, 1)
        const [address] = addresses
        if (address === undefined) return assert.fail("no address")
        const process = yield* Effect.forkScoped(sweeping(fake))
        const deposit = yield* sweptInVain(fake, id, address, "ETH")
        yield* Fiber.interrupt(process)
        const [transaction] = yield* openTransactions(id)
        const [attempt] = yield* (yield* Queries).records(id, TransactionAttempt)
        if (transaction === undefined || attempt === undefined) return assert.fail("no transaction")
        // the signer signs a higher fee for the same payment as the sweep is given up
        const order = orderOf(fake.sender, transaction, yield* Clock.currentTimeMillis, attempt.raw)
        const { bytes: unsigned } = yield* fake.sender.build(order)
        const asked = { tenantId: id, network: "ethereum", unsigned, signers: [], own: [], requests: [] }
        const signed = yield* (yield* TransactionSigner).sign(asked)
        yield* lost(id, fake, deposit)
        const goneBefore = yield* Clock.currentTimeMillis
        assert.isTrue(
          yield* submit(
            id,
            loseSweeps({ transaction, sweeps: yield* sweepsOf(id), loss: { _tag: "Deposit", goneBefore } })
          )
        )
        // the deposit comes again, and somebody has sent what was signed last
        yield* confirmed(id, yield* isBack(id, fake, deposit))
        yield* fake.sender.broadcast(signed.raw)
        yield* Effect.forEach([1, 2, 3, 4], () => Effect.map(Clock.currentTimeMillis, fake.mine))
        yield* Effect.forkScoped(sweeping(fake))
        yield* seconds(fake, 30)
        const [left] = yield* openTransactions(id)
        assert.include(left?.problem, signed.hash)
        assert.deepStrictEqual(left?.hashes, [attempt.hash])
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    }
  )

  it.effect("is waited for where it expires", () => {
    const fake = fakeNetwork({ network: "tron", charges: true })
    return Effect.gen(function* () {
      const { addresses, id } = yield* custody("tron", fake, 1)
      const [address] = addresses
      if (address === undefined) return assert.fail("no address")
      yield* Effect.forkScoped(sweeping(fake))
      yield* lost(id, fake, yield* sweptInVain(fake, id, address, "TRX"))
      for (let passed = 0; passed < 20; passed++) yield* tick
      assert.deepStrictEqual(yield* statesOf(id), ["SWEEP_SIGNED open"])
      yield* mineUntil(fake, "it has expired", reach(id, "ABANDONED"))
      assert.deepStrictEqual(yield* openTransactions(id), [])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("stores no signature that was made for it before it was given up", () => {
    const fake = fakeNetwork({ network: "ethereum", charges: true })
    return Effect.gen(function* () {
      const { addresses, id } = yield* custody("ethereum", fake, 1)
      const [address] = addresses
      if (address === undefined) return assert.fail("no address")
      const process = yield* Effect.forkScoped(sweeping(fake))
      const deposit = yield* sweptInVain(fake, id, address, "ETH")
      yield* Fiber.interrupt(process)
      yield* lost(id, fake, deposit)
      const [transaction] = yield* openTransactions(id)
      if (transaction === undefined) return assert.fail("no transaction")
      const goneBefore = yield* Clock.currentTimeMillis
      assert.isTrue(
        yield* submit(
          id,
          loseSweeps({ transaction, sweeps: yield* sweepsOf(id), loss: { _tag: "Deposit", goneBefore } })
        )
      )
      // another fee for the same payment
      const late = recordSigned({
        transaction,
        hash: newTxHash(),
        raw: new Uint8Array(),
        validUntil: null,
        feeMax: 20n,
        pays: [],
        replaces: transaction.hashes.at(-1) ?? null,
        conditions: unconditional("SWEEP"),
        purposes
      })
      assert.deepInclude(yield* Effect.flip(submit(id, late)), { code: "stale" })
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  for (const comesBack of [false, true]) {
    const ends = comesBack ? "and one of the two moves them where the lost one comes again" : "which are swept alone"
    it.effect(`frees the coins of other addresses on bitcoin, ${ends}`, () => {
      const fake = fakeNetwork({ network: "bitcoin", charges: true })
      return Effect.gen(function* () {
        const { addresses, id } = yield* custody("bitcoin", fake, 3)
        const deposits = yield* Effect.forEach(addresses, (address) =>
          Effect.flatMap(arrive(id, fake, address, "BTC", 10_000n), (deposit) => confirmed(id, deposit))
        )
        const [first] = deposits
        if (first === undefined) return assert.fail("no deposit")
        yield* Effect.forkScoped(sweeping(fake))
        yield* waitUntil("it is signed", reach(id, "SWEEP_SIGNED open", "SWEEP_SIGNED open", "SWEEP_SIGNED open"))
        yield* tick
        yield* lost(id, fake, first)
        const swept = Effect.map(statesOf(id), (states) => states.filter((state) => state === "SWEPT").length)
        if (comesBack) {
          fake.answers(Array.from({ length: 100 }, () => "refuses" as const))
          yield* waitUntil(
            "it is given up and begun anew",
            Effect.map(sweepsOf(id), (sweeps) => sweeps.length === 5)
          )
          const again = yield* isBack(id, fake, first)
          yield* mineUntil(
            fake,
            "the first has moved all",
            Effect.map(swept, (count) => count === 3)
          )
          yield* confirmed(id, again)
          yield* seconds(fake, 30)
          assert.strictEqual((yield* booked(id, "chain:bitcoin:payouts")).get("BTC"), 29_990n)
        } else {
          yield* mineUntil(
            fake,
            "the others are swept",
            Effect.map(swept, (count) => count === 2)
          )
          yield* seconds(fake, 30)
          assert.strictEqual((yield* booked(id, "chain:bitcoin:payouts")).get("BTC"), 19_990n)
        }
        assert.deepStrictEqual(yield* openTransactions(id), [])
        assert.isFalse((yield* statesOf(id)).some((state) => state.endsWith("open")))
        yield* ledgerAgrees("bitcoin", fake, id, addresses)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })
  }
})

describe("a sweep whose address has lost what it would pay the fee with", () => {
  /** A token at an address that pays for itself with coin of somebody else, and the sweep of it that was signed. */
  const signedOnBorrowed = Effect.fnUntraced(function* (fake: FakeSender, borrowed: bigint) {
    const { addresses, id } = yield* custody("ethereum", fake, 1)
    const [address] = addresses
    if (address === undefined) return assert.fail("no address")
    fake.fund(address.address, null, borrowed)
    yield* Effect.forkScoped(sweeping(fake))
    yield* sweptInVain(fake, id, address, "USDT_ETH")
    return { address, id, reorgTakes: () => fake.fund(address.address, null, -borrowed) }
  })

  it.effect("is given up, its address gets coin, and the deposit is moved once", () => {
    const fake = fakeNetwork({ network: "ethereum", charges: true })
    return Effect.gen(function* () {
      const { address, id, reorgTakes } = yield* signedOnBorrowed(fake, 1_000n)
      reorgTakes()
      // what was signed first can be paid now, and is not signed for again
      yield* mineUntil(fake, "the first sweep has moved it after all", reach(id, "SWEPT", "ABANDONED"))
      yield* seconds(fake, 30)
      assert.deepStrictEqual(yield* openTransactions(id), [])
      const own = fake.chain().filter(({ from, payments }) => from === address.address && payments.length > 0)
      assert.lengthOf(own, 1)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("is waited for while what it was signed with can still be paid", () => {
    const fake = fakeNetwork({ network: "ethereum", charges: true })
    return Effect.gen(function* () {
      const { id } = yield* signedOnBorrowed(fake, 1_000n)
      for (let passed = 0; passed < 40; passed++) yield* tick
      assert.deepStrictEqual(yield* statesOf(id), ["SWEEP_SIGNED open"])
      yield* mineUntil(fake, "it is swept", reach(id, "SWEPT"))
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect(
    "is given up by nobody's word that no node has given: the books decide what was signed, and for how much",
    () => {
      const fake = fakeNetwork({ network: "ethereum", charges: true })
      return Effect.gen(function* () {
        const { id } = yield* signedOnBorrowed(fake, 1_000n)
        const [transaction] = yield* openTransactions(id)
        if (transaction === undefined) return assert.fail("no transaction")
        const sweeps = yield* sweepsOf(id)
        const lose = (balance: bigint, read = sweeps) =>
          submit(id, loseSweeps({ transaction, sweeps: read, loss: { _tag: "Fee", balance } }))
        assert.isFalse(yield* lose(transaction.feeMax))
        assert.isFalse(yield* lose(transaction.feeMax - 1n, []))
        assert.isTrue(yield* lose(transaction.feeMax - 1n))
        assert.isFalse(yield* lose(0n))
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    }
  )
})
