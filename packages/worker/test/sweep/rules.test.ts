import { nothingUndecided } from "@bursar/core/deposit/undecided"
import { keysAt } from "@bursar/testkit/fixtures/deposits"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { setSweepHold } from "@bursar/core/sweep/sweepHold"
import { recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import { recordWalletTransfers, confirmWalletTransfers } from "@bursar/core/incoming/walletTransfers"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { FeeEstimate } from "@bursar/core/port/ChainSender"
import { Queries } from "@bursar/core/store/Queries"
import { emptyState } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { fakeNetwork } from "../fakeNetwork.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { ledgerHolds, mineUntil, processOver, submit, tick } from "../transactions/world.ts"
import { arrive, booked, ledgerAgrees, confirmed, custody, oneEach, sweeping, sweepsOf } from "./world.ts"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { IntakeCost } from "@bursar/core/sweep/IntakeCost"

const usdt = defaultCurrencies.byCode("USDT_ETH")?.asset?.contract ?? null

const until = (tenantId: Parameters<typeof sweepsOf>[0], state: string) =>
  Effect.map(sweepsOf(tenantId), (sweeps) => sweeps.some((sweep) => sweep.state === state))

/** Lets seconds pass, each with a block. */
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

describe("sweeps", () => {
  it.effect("move a confirmed deposit to the wallet, with gas from the wallet, and the books follow leg by leg", () => {
    const fake = fakeNetwork({ network: "ethereum", charges: true })
    return Effect.gen(function* () {
      const { addresses, id, wallet } = yield* custody("ethereum", fake, 1)
      const [address] = addresses
      if (address === undefined) return assert.fail("no address")
      yield* Effect.forkScoped(sweeping(fake))
      yield* confirmed(id, yield* arrive(id, fake, address, "USDT_ETH", 5_000n))
      yield* mineUntil(fake, "it is swept", until(id, "SWEPT"))
      yield* seconds(fake, 10)
      const [sweep] = yield* sweepsOf(id)
      const queries = yield* Queries
      const topUp = yield* queries.record(id, OutboundTransaction, sweep?.topUpTransactionId ?? "")
      const moved = yield* queries.record(id, OutboundTransaction, sweep?.sweepTransactionId ?? "")
      assert.deepStrictEqual([topUp?.purpose, moved?.purpose], ["TOP_UP", "SWEEP"])
      const legsOf = (transactionId: string | undefined) =>
        Effect.map(queries.legs(id, transactionId ?? ""), (legs) =>
          legs.map(
            ({ account, currency, direction, units, what }) => `${what} ${direction} ${account} ${units} ${currency}`
          )
        )
      // three times the fee of 10 is the budget of an address that has nothing
      assert.deepStrictEqual(yield* legsOf(topUp?.id), [
        "top_up DEBIT chain:ethereum:deposits 30 ETH",
        "top_up CREDIT chain:ethereum:payouts 30 ETH",
        "network_fee DEBIT network_fees 10 ETH",
        "network_fee CREDIT chain:ethereum:payouts 10 ETH"
      ])
      assert.deepStrictEqual(yield* legsOf(moved?.id), [
        "sweep DEBIT chain:ethereum:payouts 5000 USDT_ETH",
        "sweep CREDIT chain:ethereum:deposits 5000 USDT_ETH",
        "network_fee DEBIT network_fees 10 ETH",
        "network_fee CREDIT chain:ethereum:deposits 10 ETH"
      ])
      assert.strictEqual(fake.holds(wallet.address, usdt), 5_000n)
      // what is left of the top-up stays at the address, in the books too
      assert.strictEqual((yield* booked(id, "chain:ethereum:deposits")).get("ETH"), 20n)
      const cost = yield* queries.record(id, IntakeCost, "USDT_ETH")
      assert.deepInclude(cost, { native: "ETH", count: 1, feeUnits: 20n })
      yield* ledgerAgrees("ethereum", fake, id, addresses)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("use what is left of a top-up for the next sweep of the address", () => {
    const fake = fakeNetwork({ network: "ethereum", charges: true })
    return Effect.gen(function* () {
      const { addresses, id } = yield* custody("ethereum", fake, 1)
      const [address] = addresses
      if (address === undefined) return assert.fail("no address")
      yield* Effect.forkScoped(sweeping(fake))
      for (const round of [1, 2]) {
        yield* confirmed(id, yield* arrive(id, fake, address, "USDT_ETH", 5_000n))
        yield* mineUntil(
          fake,
          `it is swept for the ${round}. time`,
          Effect.map(sweepsOf(id), (sweeps) => sweeps.filter(({ state }) => state === "SWEPT").length === round)
        )
        yield* seconds(fake, 10)
      }
      const queries = yield* Queries
      const given = yield* Effect.forEach(yield* sweepsOf(id), ({ topUpTransactionId }) =>
        topUpTransactionId === null
          ? Effect.succeed(0n)
          : Effect.map(
              queries.record(id, OutboundTransaction, topUpTransactionId),
              (transaction) => transaction?.payments[0]?.units
            )
      )
      assert.deepStrictEqual(given, [30n, 10n])
      yield* ledgerAgrees("ethereum", fake, id, addresses)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  for (const [what, more] of [
    ["the fee cannot be told", { fee: null, recipientHoldsAsset: null, assumedWorstCase: false }],
    ["it would cost a third of what it moves", { fee: 5_000n, recipientHoldsAsset: null, assumedWorstCase: true }]
  ] as const satisfies ReadonlyArray<readonly [string, FeeEstimate]>) {
    it.effect(`rule 16: move nothing where ${what}`, () => {
      const fake = fakeNetwork({
        network: "ethereum",
        charges: true,
        answers: () => ({ estimate: () => Effect.succeed(more) })
      })
      return Effect.gen(function* () {
        const { addresses, id } = yield* custody("ethereum", fake, 1)
        const [address] = addresses
        if (address === undefined) return assert.fail("no address")
        yield* Effect.forkScoped(sweeping(fake))
        yield* confirmed(id, yield* arrive(id, fake, address, "USDT_ETH", 15_000n))
        yield* seconds(fake, 30)
        assert.deepStrictEqual(yield* sweepsOf(id), [])
        assert.strictEqual(fake.signed(), 0)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })
  }

  it.effect("rule 16: move nothing while a price is not known, and do once it is", () => {
    const fake = fakeNetwork({ network: "ethereum", charges: true })
    const market = { open: false }
    return Effect.gen(function* () {
      const { addresses, id } = yield* custody("ethereum", fake, 1)
      const [address] = addresses
      if (address === undefined) return assert.fail("no address")
      yield* Effect.forkScoped(sweeping(fake, undefined, {}, (currency) => (market.open ? oneEach(currency) : null)))
      yield* confirmed(id, yield* arrive(id, fake, address, "USDT_ETH", 5_000n))
      yield* seconds(fake, 30)
      assert.strictEqual(fake.signed(), 0)
      market.open = true
      yield* mineUntil(fake, "it is swept", until(id, "SWEPT"))
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("rule 18: wait for deposits to be confirmed, and leave those alone whose blocks were replaced", () => {
    const fake = fakeNetwork({ network: "ethereum", charges: true })
    return Effect.gen(function* () {
      const { addresses, id } = yield* custody("ethereum", fake, 1)
      const [address] = addresses
      if (address === undefined) return assert.fail("no address")
      yield* Effect.forkScoped(sweeping(fake))
      yield* arrive(id, fake, address, "USDT_ETH", 5_000n)
      yield* seconds(fake, 30)
      assert.deepStrictEqual(yield* sweepsOf(id), [])
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("rule 18: a top-up counts when its balance shows at the address, however long that takes", () => {
    const node = { behind: true }
    // the node that is asked for balances does not see what has come to addresses
    const fake = fakeNetwork({
      network: "ethereum",
      charges: true,
      answers: (usual) => ({
        balance: (address, contract) =>
          Effect.map(usual.balance(address, contract), (units) =>
            node.behind && contract === null && address.startsWith("address-") ? 0n : units
          )
      })
    })
    return Effect.gen(function* () {
      const { addresses, id } = yield* custody("ethereum", fake, 1)
      const [address] = addresses
      if (address === undefined) return assert.fail("no address")
      yield* Effect.forkScoped(sweeping(fake))
      yield* confirmed(id, yield* arrive(id, fake, address, "USDT_ETH", 5_000n))
      const queries = yield* Queries
      yield* mineUntil(
        fake,
        "the top-up is final",
        Effect.gen(function* () {
          const [sweep] = yield* sweepsOf(id)
          const transaction =
            sweep?.topUpTransactionId == null
              ? undefined
              : yield* queries.record(id, OutboundTransaction, sweep.topUpTransactionId)
          return transaction?.outcome === "done"
        })
      )
      yield* seconds(fake, 600)
      assert.deepStrictEqual(
        (yield* sweepsOf(id)).map(({ state }) => state),
        ["TOPUP_SIGNED"]
      )
      assert.strictEqual(fake.signed(), 1)
      node.behind = false
      yield* mineUntil(fake, "it is swept", until(id, "SWEPT"))
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("rule 18: give no address more than the cap, and none more than the wallet has", () => {
    const fake = fakeNetwork({ network: "ethereum", charges: true })
    return Effect.gen(function* () {
      const { addresses, id } = yield* custody("ethereum", fake, 1)
      const [address] = addresses
      if (address === undefined) return assert.fail("no address")
      yield* Effect.forkScoped(sweeping(fake, undefined, { network: { topUpMax: 29n } }))
      yield* confirmed(id, yield* arrive(id, fake, address, "USDT_ETH", 5_000n))
      yield* seconds(fake, 30)
      assert.strictEqual(fake.signed(), 0)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("rule 18: move nothing from an address that is held, and what waited when it is released", () => {
    const fake = fakeNetwork({ network: "ethereum", charges: true })
    return Effect.gen(function* () {
      const { addresses, id } = yield* custody("ethereum", fake, 1, { holdOnIssuance: true })
      const [address] = addresses
      if (address === undefined) return assert.fail("no address")
      yield* Effect.forkScoped(sweeping(fake))
      yield* confirmed(id, yield* arrive(id, fake, address, "USDT_ETH", 5_000n))
      yield* seconds(fake, 30)
      assert.strictEqual(fake.signed(), 0)
      yield* submit(id, setSweepHold({ addressId: address.id, held: false, reason: "seen", seenThrough: 100 }))
      yield* mineUntil(fake, "it is swept", until(id, "SWEPT"))
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("rule 19: what we give an address ourselves never becomes a deposit, whoever reports it", () => {
    const fake = fakeNetwork({ network: "ethereum", charges: true })
    return Effect.gen(function* () {
      const { addresses, id, wallet } = yield* custody("ethereum", fake, 1)
      const [address] = addresses
      if (address === undefined) return assert.fail("no address")
      yield* Effect.forkScoped(sweeping(fake))
      yield* confirmed(id, yield* arrive(id, fake, address, "USDT_ETH", 5_000n))
      yield* mineUntil(fake, "it is swept", until(id, "SWEPT"))
      const queries = yield* Queries
      const [sweep] = yield* sweepsOf(id)
      const [topUp, moved] = yield* Effect.forEach(
        [sweep?.topUpTransactionId, sweep?.sweepTransactionId],
        (transactionId) => queries.record(id, OutboundTransaction, transactionId ?? "")
      )
      const block = { number: 1, hash: "b", time: yield* Clock.currentTimeMillis }
      const seen = {
        network: "ethereum",
        transferIndex: 0,
        currency: "ETH",
        units: 30n,
        fromAddress: wallet.address,
        block
      } as const
      const incomingTransfer = {
        ...seen,
        txHash: topUp?.hashes[0] ?? "",
        addressId: address.id,
        address: address.address,
        keys: keysAt(address.address),
        confirmations: 1
      }
      const recorded = yield* submit(
        id,
        recordIncomingTransfers(
          { network: "ethereum", requiredConfirmations: 1, incomingTransfers: [incomingTransfer] },
          defaultCurrencies
        )
      )
      assert.deepStrictEqual(recorded, [])
      // and what the sweep brings to the wallet is in the books by its outbound transaction, and not again
      const came = {
        ...seen,
        txHash: moved?.hashes[0] ?? "",
        walletId: wallet.id,
        address: wallet.address,
        paidTo: wallet.address,
        memo: null,
        currency: "USDT_ETH",
        units: 5_000n
      }
      const found = yield* submit(id, recordWalletTransfers([came], presetNetworks))
      const [arrived] = yield* submit(
        id,
        confirmWalletTransfers(
          found.map((one) => ({ incomingTransfer: one, block })),
          presetNetworks,
          nothingUndecided
        )
      )
      assert.deepInclude(arrived, { status: "CONFIRMED", bookedBy: null })
      assert.isUndefined((yield* booked(id, "suspense")).get("USDT_ETH"))
      yield* seconds(fake, 5)
      yield* ledgerAgrees("ethereum", fake, id, addresses)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("rule 19: a deposit is credited when it is confirmed, whether or not it is ever swept", () => {
    const fake = fakeNetwork({ network: "ethereum", charges: true })
    return Effect.gen(function* () {
      const { addresses, id } = yield* custody("ethereum", fake, 1, { holdOnIssuance: true })
      const [address] = addresses
      if (address === undefined) return assert.fail("no address")
      const deposit = yield* confirmed(id, yield* arrive(id, fake, address, "USDT_ETH", 5_000n))
      assert.isNotNull(deposit.creditedBy)
      const float = yield* (yield* Queries).float(id)
      assert.strictEqual(
        float.find((one) => one.account === "float:available" && one.currency === "USDT_ETH")?.units,
        5_000n
      )
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("what was credited to nobody is in suspense, and is swept all the same", () => {
    const fake = fakeNetwork({ network: "ethereum", charges: true })
    return Effect.gen(function* () {
      const { addresses, id } = yield* custody("ethereum", fake, 1)
      const [address] = addresses
      if (address === undefined) return assert.fail("no address")
      yield* Effect.forkScoped(sweeping(fake))
      const deposit = yield* confirmed(id, yield* arrive(id, fake, address, "USDT_ETH", 5_000n, { historical: true }))
      assert.deepInclude(deposit, { historical: true, creditedBy: null })
      assert.strictEqual((yield* booked(id, "suspense")).get("USDT_ETH"), -5_000n)
      yield* mineUntil(fake, "it is swept", until(id, "SWEPT"))
      yield* seconds(fake, 5)
      assert.strictEqual((yield* booked(id, "suspense")).get("USDT_ETH"), -5_000n)
      yield* ledgerAgrees("ethereum", fake, id, addresses)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect(
    "move the coins of many bitcoin addresses in one transaction, and none that costs more than it holds",
    () => {
      const fake = fakeNetwork({ network: "bitcoin", charges: true })
      return Effect.gen(function* () {
        const { addresses, id } = yield* custody("bitcoin", fake, 6)
        for (const [n, address] of addresses.entries()) {
          // moving one takes 68 bytes, 7 satoshi: 20 are less than three times as much
          yield* confirmed(id, yield* arrive(id, fake, address, "BTC", n === 0 ? 20n : 10_000n))
        }
        yield* Effect.forkScoped(sweeping(fake))
        yield* mineUntil(fake, "they are swept", until(id, "SWEPT"))
        yield* seconds(fake, 5)
        const sweeps = yield* sweepsOf(id)
        assert.strictEqual(new Set(sweeps.map(({ sweepTransactionId }) => sweepTransactionId)).size, 1)
        assert.strictEqual(sweeps.length, 5)
        assert.strictEqual((yield* booked(id, "chain:bitcoin:payouts")).get("BTC"), 49_990n)
        assert.strictEqual((yield* booked(id, "chain:bitcoin:deposits")).get("BTC"), 20n)
        assert.deepInclude(yield* (yield* Queries).record(id, IntakeCost, "BTC"), { count: 5, feeUnits: 10n })
        yield* ledgerAgrees("bitcoin", fake, id, addresses)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    }
  )
})
