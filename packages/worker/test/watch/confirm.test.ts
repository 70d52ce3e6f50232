import { recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import { Writer } from "@bursar/core/engine/Writer"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { incomingTransferAt, newAddress } from "@bursar/testkit/fixtures/deposits"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { newTxHash } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { WatchLimits } from "../../src/watch/WatchLimits.ts"
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
})
