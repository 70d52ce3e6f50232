import { recordWalletTransfers } from "@bursar/core/incoming/walletTransfers"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import { Writer } from "@bursar/core/engine/Writer"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { incomingTransferAt, keysAt, newAddress } from "@bursar/testkit/fixtures/deposits"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { newTxHash } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { confirm } from "../../src/watch/confirm.ts"
import { makeRecentBlocks } from "../../src/watch/RecentBlocks.ts"
import type { Watch } from "../../src/watch/Watch.ts"
import { defaultWatchLimits, type WatchLimits } from "../../src/watch/WatchLimits.ts"
import {
  available,
  begin,
  ledgerHolds,
  caughtUp,
  depositsOf,
  ethereum,
  oneProcess,
  statusOf,
  ticks,
  until,
  untilStatuses,
  watching
} from "./world.ts"

/** A chain of 60 blocks that is read, and deposits recorded in its blocks 5 and 55, true or not, but not yet confirmed. */
const recorded = (hashes: (number: number) => string | undefined, limits: Partial<WatchLimits> = {}) =>
  Effect.gen(function* () {
    yield* begin
    const chain = ethereum()
    const { id } = yield* newTenant()
    const address = yield* newAddress(id)
    chain.setConfirmedLag(1_000)
    yield* Effect.forkScoped(watching(chain, limits))
    chain.mineMany(60)
    yield* caughtUp(chain)
    const writer = yield* Writer
    for (const number of [5, 55]) {
      const { hash, time } = chain.blocks()[number] ?? chain.latest()
      const incomingTransfer = incomingTransferAt(address, 7n, {
        block: { number, time, hash: hashes(number) ?? hash }
      })
      const incomingTransfers = {
        network: "ethereum",
        requiredConfirmations: 3,
        incomingTransfers: [incomingTransfer]
      } as const
      yield* writer.submit(id, recordIncomingTransfers(incomingTransfers, defaultCurrencies))
    }
    return { chain, id }
  })

describe("confirming", () => {
  it.effect("finds each block by its hash, whether it is remembered or has to be asked for", () =>
    Effect.gen(function* () {
      const { chain, id } = yield* recorded(() => undefined)
      chain.setConfirmedLag(2)
      yield* untilStatuses(id, "CONFIRMED", "CONFIRMED")
      assert.deepStrictEqual(
        (yield* depositsOf(id)).map(({ confirmations }) => confirmations),
        [56, 6]
      )
      assert.strictEqual(yield* available(id), 14n)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("never confirms a deposit whose block is not on the chain", () =>
    Effect.gen(function* () {
      const { chain, id } = yield* recorded(() => newTxHash())
      chain.setConfirmedLag(2)
      yield* untilStatuses(id, "REORGED", "REORGED")
      assert.strictEqual(yield* available(id), 0n)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("goes on to others though as many as a pass looks at wait for a block that the node does not give", () =>
    Effect.gen(function* () {
      const { chain, id } = yield* recorded(() => undefined, { confirmationsPerPassMax: 1 })
      const { header } = chain.reader
      Object.assign(chain.reader, {
        header: (number: number) =>
          Effect.map(header(number), (found) => (number === 5 ? { ...found, hash: newTxHash() } : found))
      })
      chain.setConfirmedLag(2)
      yield* until(
        "the other one is confirmed",
        Effect.map(depositsOf(id), (all) => all.map(({ status }) => status).join() === "DETECTED,CONFIRMED")
      )
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect(
    "gives up no deposit on the word of a header that does not fit the one above, and keeps only that block's waiting",
    () =>
      Effect.gen(function* () {
        const { chain, id } = yield* recorded(() => undefined)
        const { header } = chain.reader
        Object.assign(chain.reader, {
          header: (number: number) =>
            Effect.map(header(number), (found) => (number === 5 ? { ...found, hash: newTxHash() } : found))
        })
        chain.setConfirmedLag(2)
        yield* until(
          "the problem is reported",
          Effect.map(statusOf("ethereum"), (status) => status?.problem?.includes("contradicts") === true)
        )
        yield* ticks(3)
        assert.deepStrictEqual(
          (yield* depositsOf(id)).map(({ block, status }) => [block?.number, status]),
          [
            [5, "DETECTED"],
            [55, "CONFIRMED"]
          ]
        )
        Object.assign(chain.reader, { header })
        yield* untilStatuses(id, "CONFIRMED", "CONFIRMED")
      }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("says what failed of wallets though there are more deposits to confirm", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      chain.mineMany(20)
      const { id } = yield* newTenant()
      const address = yield* newAddress(id)
      const writer = yield* Writer
      const blockOf = (number: number) => {
        const { hash, time } = chain.blocks()[number] ?? chain.latest()
        return { number, hash, time }
      }
      const incomingTransfers = [incomingTransferAt(address, 7n, { block: blockOf(5) })]
      const command = { network: "ethereum", requiredConfirmations: 3, incomingTransfers } as const
      yield* writer.submit(id, recordIncomingTransfers(command, defaultCurrencies))
      const at = { walletId: "w", address: "at", paidTo: "at", memo: null, currency: "ETH", fromAddress: "outside" }
      const found = { network: "ethereum", txHash: "t", transferIndex: 0, units: 3n, block: blockOf(9), ...at } as const
      yield* writer.submit(id, recordWalletTransfers([found], presetNetworks))
      const { header } = chain.reader
      Object.assign(chain.reader, {
        header: (number: number) =>
          Effect.map(header(number), (one) => (number === 9 ? { ...one, hash: newTxHash() } : one))
      })
      const watch: Watch = {
        chain: chain.reader,
        accountOf: undefined,
        keysOf: keysAt,
        fence: { name: "watch:ethereum", epoch: 0 },
        currencies: defaultCurrencies,
        limits: { ...defaultWatchLimits, confirmationsPerPassMax: 1 },
        recent: makeRecentBlocks(1),
        mempool: undefined,
        secondNode: undefined,
        begun: { at: null },
        waiting: { deposits: 0, wallets: 0 },
        unreadTries: new Map(),
        failingBackfills: new Map(),
        failingOrders: new Map(),
        reread: new Map()
      }
      const tip = yield* chain.reader.tip
      const error = yield* Effect.flip(confirm(watch, chain.latest(), tip))
      assert.include(JSON.stringify(error), "reading header 9")
      assert.strictEqual(yield* available(id), 7n)
    }).pipe(Effect.provide(oneProcess()))
  )
})
