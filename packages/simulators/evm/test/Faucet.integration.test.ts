import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Devnet, externalWallets } from "./support/Devnet.ts"

layer(Devnet.layer("ethereum"), { excludeTestServices: true })("Faucet", (it) => {
  it.effect("drops the transactions of replaced blocks", () =>
    Effect.gen(function* () {
      const { faucet } = yield* Devnet
      yield* faucet.mine(3)
      const before = yield* faucet.balance(externalWallets.alice)
      const hash = yield* faucet.sendNative(externalWallets.alice, 5n)
      const lost = yield* faucet.receipt(hash)
      yield* faucet.mine(1)
      const head = yield* faucet.block("latest")
      yield* faucet.reorg(2)
      const now = yield* faucet.block("latest")
      assert.strictEqual(now.number, head.number)
      assert.notStrictEqual(now.hash, head.hash)
      assert.notStrictEqual((yield* faucet.block(BigInt(lost.blockNumber))).hash, lost.blockHash)
      assert.isNull(yield* faucet.rpc("eth_getTransactionReceipt", [hash]))
      assert.isNull(yield* faucet.rpc("eth_getBlockByHash", [lost.blockHash, false]))
      assert.strictEqual(yield* faucet.balance(externalWallets.alice), before)
    })
  )

  it.effect("mines kept transactions again under the same hash in another block", () =>
    Effect.gen(function* () {
      const { faucet } = yield* Devnet
      const usdt = yield* faucet.token("USDT_ETH")
      yield* faucet.mine(2)
      const hash = yield* faucet.transfer(usdt, externalWallets.bob, 5n)
      const first = yield* faucet.receipt(hash)
      yield* faucet.mine(1)
      yield* faucet.reorg(3, yield* faucet.transactionsOf(3))
      const second = yield* faucet.receipt(hash)
      assert.strictEqual(second.blockNumber, first.blockNumber)
      assert.notStrictEqual(second.blockHash, first.blockHash)
      assert.strictEqual(yield* faucet.tokenBalance(usdt, externalWallets.bob), 5n)
    })
  )

  it.effect("mines a chosen transaction again at another height", () =>
    Effect.gen(function* () {
      const { faucet } = yield* Devnet
      yield* faucet.mine(2)
      const hash = yield* faucet.sendNative(externalWallets.carol, 5n)
      const first = yield* faucet.receipt(hash)
      yield* faucet.mine(2)
      yield* faucet.reorg(3, [{ hash, block: 2 }])
      assert.strictEqual(BigInt((yield* faucet.receipt(hash)).blockNumber), BigInt(first.blockNumber) + 2n)
    })
  )

  it.effect("keeps the tokens in a reorg down to the first block", () =>
    Effect.gen(function* () {
      const { faucet } = yield* Devnet
      const usdt = yield* faucet.token("USDT_ETH")
      yield* faucet.reorg(Number((yield* faucet.block("latest")).number))
      yield* faucet.receipt(yield* faucet.transfer(usdt, externalWallets.alice, 3n))
      assert.strictEqual(yield* faucet.tokenBalance(usdt, externalWallets.alice), 3n)
    })
  )

  it.effect("refuses a reorg deeper than the chain", () =>
    Effect.gen(function* () {
      const { faucet } = yield* Devnet
      const { number } = yield* faucet.block("latest")
      const error = yield* Effect.flip(faucet.reorg(Number(number) + 1))
      assert.strictEqual(error.code, "invalid_request")
    })
  )

  it.effect("holds transactions while automine is off", () =>
    Effect.gen(function* () {
      const { faucet } = yield* Devnet
      yield* faucet.setAutomine(false)
      const hash = yield* faucet.sendNative(externalWallets.alice, 1n)
      assert.isNull(yield* faucet.rpc("eth_getTransactionReceipt", [hash]))
      yield* faucet.mine(1)
      assert.strictEqual((yield* faucet.receipt(hash)).status, "0x1")
      yield* faucet.setAutomine(true)
    })
  )

  it.effect("names the tokens it knows when asked for another", () =>
    Effect.gen(function* () {
      const { faucet } = yield* Devnet
      const error = yield* Effect.flip(faucet.token("USDT_BSC"))
      assert.include(error.hint, "USDT_ETH")
    })
  )
})
