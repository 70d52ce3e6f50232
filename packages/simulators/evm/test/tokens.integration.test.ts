import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { decodeFunctionResult, encodeFunctionData } from "viem"
import { gasPriceOracleAbi, tokenAbi } from "../src/abis.ts"
import type { Hex } from "../src/Faucet.ts"
import { faucetAddress } from "../src/Faucet.ts"
import type { EvmNetwork } from "../src/EvmNetwork.ts"
import { contracts, counterfeitToken, falseToken, feeToken, tokensOf } from "../src/tokens.ts"
import type { TestToken } from "../src/tokens.ts"
import { Devnet, externalWallets } from "./support/Devnet.ts"

const networks: ReadonlyArray<EvmNetwork> = ["ethereum", "bsc", "base"]

const expected: Readonly<Record<EvmNetwork, Readonly<Record<string, readonly [string, number]>>>> = {
  ethereum: {
    USDT_ETH: ["0xdac17f958d2ee523a2206206994597c13d831ec7", 6],
    USDC_ETH: ["0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48", 6]
  },
  bsc: {
    USDT_BSC: ["0x55d398326f99059ff775485246999027b3197955", 18],
    USDC_BSC: ["0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d", 18]
  },
  base: {
    USDT_BASE: ["0xfde4c96c8593536e31f229ea8f37b2ada2699bb2", 6],
    USDC_BASE: ["0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", 6]
  }
}

const read = (name: "name" | "symbol" | "decimals" | "totalSupply", token: Hex) =>
  Effect.gen(function* () {
    const { faucet } = yield* Devnet
    const data = yield* faucet.rpc<Hex>("eth_call", [
      { to: token, data: encodeFunctionData({ abi: tokenAbi, functionName: name }) },
      "latest"
    ])
    return decodeFunctionResult({ abi: tokenAbi, functionName: name, data })
  })

/** What `transfer` returns when simulated, as raw bytes. */
const returned = (token: TestToken, units: bigint) =>
  Effect.gen(function* () {
    const { faucet } = yield* Devnet
    yield* faucet.receipt(yield* faucet.mint(token, faucetAddress, units))
    const data = encodeFunctionData({ abi: tokenAbi, functionName: "transfer", args: [externalWallets.bob, units] })
    return yield* faucet.rpc<Hex>("eth_call", [{ from: faucetAddress, to: token.address, data }, "latest"])
  })

interface Log {
  readonly address: Hex
  readonly topics: ReadonlyArray<Hex>
  readonly data: Hex
}

const logsOf = (hash: Hex) =>
  Effect.gen(function* () {
    const { faucet } = yield* Devnet
    const { blockHash } = yield* faucet.receipt(hash)
    return yield* faucet.rpc<ReadonlyArray<Log>>("eth_getLogs", [{ blockHash }])
  })

const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
const topicOf = (address: string) => `0x${address.slice(2).toLowerCase().padStart(64, "0")}`

for (const network of networks) {
  layer(Devnet.layer(network), { excludeTestServices: true })(`tokens on ${network}`, (it) => {
    it.effect("stand at the canonical addresses with the right decimals", () =>
      Effect.gen(function* () {
        for (const [code, [address, decimals]] of Object.entries(expected[network])) {
          const { faucet } = yield* Devnet
          const token = yield* faucet.token(code)
          assert.strictEqual(token.address.toLowerCase(), address)
          assert.strictEqual(yield* read("decimals", token.address), decimals)
          assert.strictEqual(yield* read("symbol", token.address), code.slice(0, 4))
          assert.strictEqual(yield* read("name", token.address), code.startsWith("USDT") ? "Tether USD" : "USD Coin")
        }
      })
    )

    it.effect("mint from the zero address and transfer with the standard event", () =>
      Effect.gen(function* () {
        const { faucet } = yield* Devnet
        for (const code of Object.keys(expected[network])) {
          const token = yield* faucet.token(code)
          const minted = yield* logsOf(yield* faucet.mint(token, externalWallets.alice, 7n))
          assert.deepEqual(
            minted.map((log) => [log.address, log.topics]),
            [[token.address.toLowerCase(), [transferTopic, topicOf("0x0"), topicOf(externalWallets.alice)]]] as never
          )
          const moved = yield* logsOf(yield* faucet.transfer(token, externalWallets.alice, 5n))
          assert.deepEqual(moved[0]?.topics, [
            transferTopic,
            topicOf(faucetAddress),
            topicOf(externalWallets.alice)
          ] as never)
          assert.strictEqual(BigInt(moved[0]?.data ?? "0x0"), 5n)
          assert.strictEqual(yield* faucet.tokenBalance(token, externalWallets.alice), 12n)
        }
      })
    )

    it.effect("return true, except USDT on Ethereum, which returns nothing", () =>
      Effect.gen(function* () {
        for (const token of tokensOf(network).filter((each) => each.code.startsWith("USD"))) {
          const bytes = yield* returned(token, 1n)
          assert.strictEqual(bytes, token.code === "USDT_ETH" ? "0x" : `0x${"1".padStart(64, "0")}`)
        }
      })
    )
  })
}

layer(Devnet.layer("base"), { excludeTestServices: true })("odd contracts", (it) => {
  it.effect("the counterfeit looks like Tether at another address", () =>
    Effect.gen(function* () {
      const { faucet } = yield* Devnet
      assert.strictEqual(yield* read("name", counterfeitToken.address), "Tether USD")
      assert.strictEqual(yield* read("decimals", counterfeitToken.address), 6)
      assert.notStrictEqual(counterfeitToken.address, (yield* faucet.token("USDT_BASE")).address)
    })
  )

  it.effect("the fee token delivers nine tenths", () =>
    Effect.gen(function* () {
      const { faucet } = yield* Devnet
      const logs = yield* logsOf(yield* faucet.transfer(feeToken, externalWallets.alice, 1000n))
      assert.strictEqual(yield* faucet.tokenBalance(feeToken, externalWallets.alice), 900n)
      assert.deepEqual(
        logs.map((log) => BigInt(log.data)),
        [900n, 100n]
      )
    })
  )

  it.effect("the false token succeeds, returns false, emits nothing and moves nothing", () =>
    Effect.gen(function* () {
      const { faucet } = yield* Devnet
      assert.strictEqual(BigInt(yield* returned(falseToken, 9n)), 0n)
      const hash = yield* faucet.transfer(falseToken, externalWallets.alice, 9n)
      assert.strictEqual((yield* faucet.receipt(hash)).status, "0x1")
      assert.deepEqual(yield* logsOf(hash), [])
      assert.strictEqual(yield* faucet.tokenBalance(falseToken, externalWallets.alice), 0n)
    })
  )

  it.effect("a paused token and a blocked recipient refuse transfers", () =>
    Effect.gen(function* () {
      const { faucet } = yield* Devnet
      const token = yield* faucet.token("USDC_BASE")
      const set = (data: Hex) => Effect.flatMap(faucet.call(token.address, data), faucet.receipt)
      const pause = (value: boolean) => encodeFunctionData({ abi: tokenAbi, functionName: "setPaused", args: [value] })
      const block = (value: boolean) =>
        encodeFunctionData({ abi: tokenAbi, functionName: "setBlocked", args: [externalWallets.bob, value] })
      yield* set(pause(true))
      assert.include((yield* Effect.flip(returned(token, 1n))).message, "paused")
      yield* set(pause(false))
      yield* set(block(true))
      assert.include((yield* Effect.flip(returned(token, 1n))).message, "blocked")
      yield* set(block(false))
      assert.strictEqual(BigInt(yield* returned(token, 1n)), 1n)
    })
  )

  it.effect("the gas price oracle of base answers", () =>
    Effect.gen(function* () {
      const { faucet } = yield* Devnet
      const data = encodeFunctionData({
        abi: gasPriceOracleAbi,
        functionName: "getL1Fee",
        args: [`0x${"00".repeat(100)}`]
      })
      const fee = yield* faucet.rpc<Hex>("eth_call", [{ to: contracts.gasPriceOracle, data }, "latest"])
      assert.strictEqual(BigInt(fee), 168n * 100_000_000n)
    })
  )
})
