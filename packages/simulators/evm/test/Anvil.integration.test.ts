import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { stat, truncate } from "node:fs/promises"
import { privateKeyToAddress } from "viem/accounts"
import * as Anvil from "../src/Anvil.ts"
import * as EvmDevnet from "../src/EvmDevnet.ts"
import * as Faucet from "../src/Faucet.ts"
import * as Rpc from "../src/Rpc.ts"
import { isAlive } from "@bursar/simulator-kit/SupervisedProcess"
import { externalWallets } from "./support/Devnet.ts"
import { tempDir } from "@bursar/simulator-kit/tempDir"

describe("Anvil", () => {
  for (const [network, chainId] of [
    ["ethereum", 1],
    ["bsc", 56],
    ["base", 8453]
  ] as const) {
    it.live(`stands in for ${network} with its real chain id and is gone with the scope`, () =>
      Effect.gen(function* () {
        const [pid, supervisor] = yield* Effect.scoped(
          Effect.gen(function* () {
            const anvil = yield* Anvil.make({ network })
            assert.strictEqual(anvil.chainId, chainId)
            assert.strictEqual(Number(yield* Rpc.make(anvil.rpcUrl)<string>("eth_chainId")), chainId)
            assert.strictEqual(privateKeyToAddress(anvil.fundedKey), anvil.fundedAddress)
            const balance = yield* Faucet.make(Rpc.make(anvil.rpcUrl), network).balance(anvil.fundedAddress)
            assert.strictEqual(balance, 10_000n * 10n ** 18n)
            return [anvil.process.pid, anvil.process.supervisorPid] as const
          })
        )
        assert.isFalse(isAlive(pid))
        assert.isFalse(isAlive(supervisor))
      })
    )
  }

  it.live("has its safe block one epoch behind the head and its finalized block two", () =>
    Effect.gen(function* () {
      for (const [slotsInEpoch, safe, finalized] of [
        [1, 19n, 18n],
        [4, 16n, 12n]
      ] as const) {
        const anvil = yield* Anvil.make({ network: "ethereum", slotsInEpoch })
        const faucet = Faucet.make(Rpc.make(anvil.rpcUrl), "ethereum")
        assert.strictEqual((yield* faucet.block("finalized")).number, 0n)
        yield* faucet.mine(20)
        assert.strictEqual((yield* faucet.block("safe")).number, safe)
        assert.strictEqual((yield* faucet.block("finalized")).number, finalized)
      }
    })
  )

  it.live("resumes its chain, tokens included, from the state file", () =>
    Effect.gen(function* () {
      const stateFile = `${yield* tempDir}/nested/ethereum.json`
      const [hash, block] = yield* Effect.scoped(
        Effect.gen(function* () {
          const { faucet } = yield* EvmDevnet.make({ network: "ethereum", stateFile })
          const usdt = yield* faucet.token("USDT_ETH")
          const sent = yield* faucet.transfer(usdt, externalWallets.alice, 5n)
          yield* faucet.receipt(sent)
          return [sent, yield* faucet.block("latest")] as const
        })
      )
      const { faucet } = yield* EvmDevnet.make({ network: "ethereum", stateFile })
      assert.deepEqual((yield* faucet.block("latest")).hash, block.hash)
      assert.strictEqual((yield* faucet.receipt(hash)).status, "0x1")
      assert.strictEqual(yield* faucet.tokenBalance(yield* faucet.token("USDT_ETH"), externalWallets.alice), 5n)
      yield* faucet.receipt(yield* faucet.sendNative(externalWallets.alice, 1n))
      assert.strictEqual((yield* faucet.block("latest")).parentHash, block.hash)
    })
  )

  it.live("refuses a state file whose last save was cut short", () =>
    Effect.gen(function* () {
      const stateFile = `${yield* tempDir}/ethereum.json`
      yield* Effect.scoped(EvmDevnet.make({ network: "ethereum", stateFile }))
      const { size } = yield* Effect.promise(() => stat(stateFile))
      yield* Effect.promise(() => truncate(stateFile, size - 10))
      const error = yield* Effect.flip(Anvil.make({ network: "ethereum", stateFile }))
      assert.strictEqual(error.code, "file_failed")
      assert.include(error.message, "damaged")
    })
  )

  it.live("mines on its own when given a block time", () =>
    Effect.gen(function* () {
      const anvil = yield* Anvil.make({ network: "bsc", blockTimeSeconds: 1 })
      const faucet = Faucet.make(Rpc.make(anvil.rpcUrl), "bsc")
      const reached = yield* Effect.repeat(faucet.block("latest"), { while: (block) => block.number < 1n })
      assert.isTrue(reached.number >= 1n)
    })
  )

  it.live("offers what a scanner needs: receipts, logs and traces by block hash", () =>
    Effect.gen(function* () {
      const { anvil, faucet } = yield* EvmDevnet.make({ network: "ethereum" })
      const rpc = Rpc.make(anvil.rpcUrl)
      const usdc = yield* faucet.token("USDC_ETH")
      const hash = yield* faucet.transfer(usdc, externalWallets.alice, 5n)
      const { blockHash, blockNumber } = yield* faucet.receipt(hash)
      const unknown = `0x${"11".repeat(32)}`
      const tracer = { tracer: "callTracer" }
      assert.lengthOf(yield* rpc<ReadonlyArray<unknown>>("eth_getBlockReceipts", [blockHash]), 1)
      assert.isNull(yield* rpc("eth_getBlockReceipts", [unknown]))
      assert.lengthOf(yield* rpc<ReadonlyArray<unknown>>("eth_getLogs", [{ blockHash, address: usdc.address }]), 1)
      assert.include((yield* Effect.flip(rpc("eth_getLogs", [{ blockHash: unknown }]))).message, "unknown block")
      assert.lengthOf(yield* rpc<ReadonlyArray<unknown>>("debug_traceBlockByHash", [blockHash, tracer]), 1)
      assert.hasAnyKeys(yield* rpc<object>("debug_traceTransaction", [hash, tracer]), ["type"])
      assert.lengthOf(yield* rpc<ReadonlyArray<unknown>>("trace_block", [blockNumber]), 1)
    })
  )
})
