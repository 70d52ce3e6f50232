import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { coreLayer, devnetLayer, skipReason } from "../../support/Bitcoind.ts"
import { type TestUtxo, ownAddress, signed, World, worldOn } from "../../support/World.ts"

const fee = 2_000n

/** A payment of a coin to an address, and what it leaves. */
const payment = ({ txid, units, vout }: TestUtxo, to: string, paid: bigint, feePaid = fee) =>
  signed(
    [{ txid, vout, units }],
    [
      { to, units: paid },
      { to: ownAddress, units: units - paid - feePaid }
    ]
  )

const suite = (name: string, world: ReturnType<typeof worldOn>) =>
  layer(world, { excludeTestServices: true })(`MempoolReader on ${name}`, (it) => {
    it.effect("finds a payment that waits, and misses it once it is mined", () =>
      Effect.gen(function* () {
        const { address, utxo, mempool, mine, rpc } = yield* World
        yield* mempool.changes
        const to = yield* address
        const transaction = payment(yield* utxo, to, 54_321n)
        const txid = transaction.getId()
        assert.strictEqual(yield* rpc("sendrawtransaction", transaction.toHex()), txid)
        const { transfers } = yield* mempool.changes
        assert.deepStrictEqual(
          transfers.filter((transfer) => transfer.to === to),
          [{ txHash: txid, transferIndex: 0, contract: null, units: 54_321n, from: null, to }]
        )
        yield* mine(1)
        assert.deepStrictEqual(yield* mempool.changes, { transfers: [], gone: [txid], unread: 0 })
      })
    )

    it.effect("sees a payment replaced by another that does not pay", () =>
      Effect.gen(function* () {
        const { address, utxo, mempool, mine, rpc } = yield* World
        const to = yield* address
        const spent = yield* utxo
        const first = payment(spent, to, 99_000n)
        const second = payment(spent, ownAddress, 99_000n, fee * 4n)
        yield* rpc("sendrawtransaction", first.toHex())
        assert.include(
          (yield* mempool.changes).transfers.map((transfer) => transfer.to),
          to
        )
        yield* rpc("sendrawtransaction", second.toHex())
        const { gone, transfers } = yield* mempool.changes
        assert.deepStrictEqual(gone, [first.getId()])
        assert.notInclude(
          transfers.map((transfer) => transfer.to),
          to
        )
        yield* mine(1)
      })
    )

    it.effect("finds a payment again that a reorganisation put back", () =>
      Effect.gen(function* () {
        const { address, chain, utxo, mempool, mine, rpc } = yield* World
        const to = yield* address
        const transaction = payment(yield* utxo, to, 77_000n)
        yield* rpc("sendrawtransaction", transaction.toHex())
        yield* mine(1)
        yield* mempool.changes
        const { latest } = yield* chain.tip
        yield* rpc("invalidateblock", latest.hash)
        assert.include(
          (yield* mempool.changes).transfers.map((transfer) => transfer.to),
          to
        )
        assert.strictEqual((yield* Effect.flip(chain.block(latest.hash))).reason, "absent")
        // The index of transactions still names the lost block, which is why nothing is concluded from it.
        yield* rpc("generateblock", ownAddress, [])
        yield* mine(1)
      })
    )
  })

suite("the devnet", worldOn(devnetLayer))

describe.skipIf(skipReason !== undefined)(`Bitcoin Core${skipReason ?? ""}`, () => {
  suite("Bitcoin Core", worldOn(coreLayer))
})
