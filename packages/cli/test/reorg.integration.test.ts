import type { Deposit } from "@bursar/api/wire/Deposit"
import type { Hex } from "@bursar/simulator-evm/Faucet"
import { of } from "@bursar/core/money/Amount"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { freshAddress, type Made } from "./support/payer.ts"
import { openService } from "./support/service.ts"
import { allDeposits, allEvents, availableOf, register } from "./support/tenant.ts"
import { until } from "./support/until.ts"
import { confirmations } from "./support/world.ts"

class Service extends Context.Service<Service, Effect.Success<ReturnType<typeof openService>>>()("test/Service") {
  static readonly layer = Layer.effect(Service, openService("bsc"))
}

const setUp = Effect.gen(function* () {
  const service = yield* Service
  const { devnet, partner } = service
  const { faucet } = devnet
  const address = freshAddress()
  yield* register(partner, "bsc", [address])
  const only = (made: ReadonlyArray<Made>) => {
    const [one] = made
    if (one === undefined) throw new Error("nothing was paid")
    return one
  }
  const deposit = (hash: string) =>
    Effect.map(allDeposits(partner), (all) => all.find(({ tx_hash }) => tx_hash === hash))
  return {
    ...service,
    address,
    faucet,
    only,
    /** Waits until the deposit of a transaction stands so. */
    untilIs: (hash: string, status: Deposit["status"], after = 0) =>
      Effect.map(
        until(`${status} after ${after}`, deposit(hash), (row) => row?.status === status && row.change_seq > after),
        (row) => row as Deposit // `until` gives nothing else
      ),
    /** The signed bytes, as a wallet keeps them: a node forgets what it dropped. */
    bytesOf: (hash: string) => faucet.rpc<Hex>("eth_getRawTransactionByHash", [hash]),
    sendAgain: (bytes: Hex) => faucet.rpc<Hex>("eth_sendRawTransaction", [bytes]),
    /** What the feed tells of a deposit, in order. */
    told: (id: string) =>
      Effect.map(allEvents(partner), (events) => events.filter(({ data }) => data["deposit_id"] === id)),
    /** The operations of a transaction, oldest first: kind and status. */
    operations: (hash: string) =>
      Effect.map(partner.register.list({ query: { limit: 200 } }), ({ entries }) =>
        entries
          .filter(({ tx_hash }) => tx_hash === hash)
          .toReversed()
          .map(({ kind, status }) => `${kind} ${status}`)
      )
  }
})

layer(Service.layer, { excludeTestServices: true })("a reorganisation", (it) => {
  it.effect("takes a detected deposit away, and the same transaction mined again brings the same deposit back", () =>
    Effect.gen(function* () {
      const { address, bytesOf, check, faucet, only, operations, partner, payer, sendAgain, told, untilIs } =
        yield* setUp
      const { txHash } = only(yield* payer.native(address, 7n * 10n ** 17n))
      const bytes = yield* bytesOf(txHash)
      const detected = yield* untilIs(txHash, "DETECTED")
      yield* faucet.reorg(1)
      const reorged = yield* untilIs(txHash, "REORGED")
      assert.deepInclude(reorged, { id: detected.id, confirmations: 0, confirmed_at: null })
      assert.isNotNull(reorged.reorged_at)
      assert.isAbove(reorged.change_seq, detected.change_seq)
      assert.strictEqual(yield* availableOf(partner, "BNB"), "0")
      assert.strictEqual(yield* sendAgain(bytes), txHash)
      const again = yield* untilIs(txHash, "DETECTED", reorged.change_seq)
      assert.strictEqual(again.id, detected.id)
      assert.isNull(again.reorged_at)
      yield* faucet.mine(confirmations)
      const confirmed = yield* untilIs(txHash, "CONFIRMED")
      assert.strictEqual(confirmed.id, detected.id)
      assert.strictEqual(yield* availableOf(partner, "BNB"), "0.7")
      const events = yield* told(detected.id)
      assert.deepStrictEqual(
        events.map(({ kind }) => kind),
        ["deposit.detected", "deposit.reorged", "deposit.detected", "deposit.confirmed", "deposit.settled"]
      )
      assert.deepStrictEqual(
        events.slice(0, 4).map(({ data }) => data["change_seq"]),
        [detected, reorged, again, confirmed].map(({ change_seq }) => change_seq)
      )
      assert.deepStrictEqual(yield* operations(txHash), ["DEPOSIT SETTLED"])
      assert.deepInclude(yield* check, { code: 0, stderr: "" })
    })
  )

  it.effect("reverses a credited deposit below zero, and the books stay right", () =>
    Effect.gen(function* () {
      const { address, bytesOf, check, faucet, only, operations, partner, payer, sendAgain, submit, told, untilIs } =
        yield* setUp
      const units = 25n * 10n ** 18n
      const { txHash } = only(yield* payer.token(address, units))
      const bytes = yield* bytesOf(txHash)
      yield* faucet.mine(confirmations)
      const confirmed = yield* untilIs(txHash, "CONFIRMED")
      assert.strictEqual(yield* availableOf(partner, "USDT_BSC"), "25")
      yield* submit(adjustFloat({ amount: of(-units, "USDT_BSC"), against: "chain:bsc:tenant", reason: "spent" }))
      assert.strictEqual(yield* availableOf(partner, "USDT_BSC"), "0")

      yield* faucet.reorg(confirmations + 1)
      const reorged = yield* untilIs(txHash, "REORGED")
      assert.deepInclude(reorged, { id: confirmed.id, confirmed_at: null, confirmations: 0 })
      assert.strictEqual(yield* availableOf(partner, "USDT_BSC"), "-25")
      assert.deepStrictEqual(yield* operations(txHash), ["DEPOSIT SETTLED", "REVERSAL SETTLED"])
      const statement = yield* partner.register.statement({ query: { currency: "USDT_BSC" } })
      assert.deepStrictEqual(
        statement.movements.map(({ amount, balance, kind }) => [kind, amount.amount, balance.amount]),
        [
          ["DEPOSIT", "25", "25"],
          ["ADJUSTMENT", "-25", "0"],
          ["REVERSAL", "-25", "-25"]
        ]
      )
      assert.deepInclude(yield* check, { code: 0, stderr: "" })

      yield* sendAgain(bytes)
      const again = yield* untilIs(txHash, "DETECTED", reorged.change_seq)
      assert.strictEqual(again.id, confirmed.id)
      assert.strictEqual(yield* availableOf(partner, "USDT_BSC"), "-25")
      yield* faucet.mine(confirmations)
      yield* untilIs(txHash, "CONFIRMED", again.change_seq)
      assert.strictEqual(yield* availableOf(partner, "USDT_BSC"), "0")
      assert.deepStrictEqual(yield* operations(txHash), ["DEPOSIT SETTLED", "REVERSAL SETTLED", "DEPOSIT SETTLED"])
      assert.deepStrictEqual(
        (yield* told(confirmed.id)).map(({ kind }) => kind),
        [
          ...["deposit.detected", "deposit.confirmed", "deposit.settled", "deposit.reorged"],
          ...["deposit.detected", "deposit.confirmed", "deposit.settled"]
        ]
      )
      assert.deepInclude(yield* check, { code: 0, stderr: "" })
    })
  )

  it.effect("that moves a credited transaction to another block leaves one deposit, credited once", () =>
    Effect.gen(function* () {
      const { address, check, faucet, only, operations, partner, payer, told, untilIs } = yield* setUp
      const before = yield* availableOf(partner, "BNB")
      const { txHash } = only(yield* payer.native(address, 10n ** 18n))
      yield* faucet.mine(confirmations)
      const confirmed = yield* untilIs(txHash, "CONFIRMED")
      yield* faucet.reorg(confirmations + 1, [{ hash: txHash as Hex, block: 1 }])
      const again = yield* untilIs(txHash, "CONFIRMED", confirmed.change_seq)
      assert.strictEqual(again.id, confirmed.id)
      assert.strictEqual(again.block_number, Number(confirmed.block_number) + 1)
      assert.deepStrictEqual(yield* operations(txHash), ["DEPOSIT SETTLED", "REVERSAL SETTLED", "DEPOSIT SETTLED"])
      assert.strictEqual(Number(yield* availableOf(partner, "BNB")), Number(before) + 1)
      assert.deepStrictEqual(
        (yield* told(again.id)).map(({ kind }) => kind),
        [
          ...["deposit.detected", "deposit.confirmed", "deposit.settled", "deposit.reorged"],
          ...["deposit.detected", "deposit.confirmed", "deposit.settled"]
        ]
      )
      assert.deepInclude(yield* check, { code: 0, stderr: "" })
    })
  )
})
