import { makeEvmReader } from "@bursar/evm"
import { EvmDevnet } from "@bursar/simulator-evm"
import * as Rpc from "@bursar/simulator-evm/Rpc"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { holding, inflating, lyingNode, renaming, withoutReceipt } from "./support/lyingNode.ts"
import { freshAddress } from "./support/payer.ts"

const [little, much] = [1n, 10n ** 30n]

describe("a node that lies", () => {
  it.live("is believed by whoever asks no other, until it repents", () =>
    Effect.gen(function* () {
      const { anvil, faucet } = yield* EvmDevnet.make({ network: "ethereum" })
      const node = yield* lyingNode(anvil.rpcUrl)
      const token = yield* faucet.token("USDT_ETH")
      const reader = makeEvmReader({
        network: "ethereum",
        rpcUrl: Redacted.make(node.url),
        contracts: [token.address]
      })
      const to = freshAddress()
      const deposits = [yield* faucet.sendNative(to, little), yield* faucet.transfer(token, to, little)]
      for (const txHash of deposits) {
        const { blockHash } = yield* faucet.receipt(txHash)
        const units = Effect.map(reader.block(blockHash), ({ transfers }) => transfers.map((moved) => moved.units))
        yield* node.tell(inflating(txHash, much))
        assert.deepStrictEqual(yield* units, [much], txHash)
        yield* node.repent
        assert.deepStrictEqual(yield* units, [little], txHash)
        yield* node.tell(renaming(txHash))
        const names = Effect.map(reader.block(blockHash), ({ transfers }) => transfers.map((moved) => moved.txHash))
        assert.notInclude(yield* names, txHash)
        yield* node.repent
      }
    })
  )

  it.live("tells of balances and receipts what it likes", () =>
    Effect.gen(function* () {
      const { anvil, faucet } = yield* EvmDevnet.make({ network: "ethereum" })
      const node = yield* lyingNode(anvil.rpcUrl)
      const rpc = Rpc.make(node.url)
      const to = freshAddress()
      const txHash = yield* faucet.sendNative(to, little)
      yield* node.tell(holding(to, much))
      yield* node.tell(withoutReceipt(txHash))
      assert.strictEqual(BigInt(yield* rpc<string>("eth_getBalance", [to, "latest"])), much)
      assert.isNull(yield* rpc<unknown>("eth_getTransactionReceipt", [txHash]))
      assert.strictEqual(yield* node.lied, 2)
      yield* node.repent
      assert.strictEqual(BigInt(yield* rpc<string>("eth_getBalance", [to, "latest"])), little)
    })
  )
})
