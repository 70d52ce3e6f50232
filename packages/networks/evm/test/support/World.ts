import { Context, Effect, Layer, Redacted } from "effect"
import { encodeFunctionData } from "viem"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import type { NetworkTraits } from "@bursar/core/money/Network"
import {
  checksummed,
  type EvmNetwork,
  type EvmNetworkFacts,
  evmNetwork,
  type EvmNetworkSettings,
  type EvmReader,
  type EvmReaderOptions,
  facts,
  makeEvmReader
} from "@bursar/evm"
import { splitterAbi, tokenAbi } from "@bursar/simulator-evm/abis"
import * as EvmDevnet from "@bursar/simulator-evm/EvmDevnet"
import { faucetAddress, type Hex, type Receipt } from "@bursar/simulator-evm/Faucet"
import type { Fault } from "@bursar/simulator-evm/Fault"
import { canonicalTokens, contracts, counterfeitToken, type TestToken } from "@bursar/simulator-evm/tokens"
import { ChainWorld, type NodeFault } from "@bursar/testkit/suites/chain/ChainWorld"

/** A local network with a reader that asks it through the fault proxy. */
export class World extends Context.Service<
  World,
  {
    readonly devnet: EvmDevnet.EvmDevnet
    readonly chain: EvmReader
    /** What is known of the network. */
    readonly known: EvmNetworkFacts
    /** The adapter of the network over the same node. */
    readonly adapter: (settings: Partial<EvmNetworkSettings>) => NetworkAdapter
    /** Another reader of the same node. */
    readonly reader: (options: Partial<EvmReaderOptions>) => EvmReader
    readonly tokens: ReadonlyArray<TestToken>
    /** An address that has received nothing yet. */
    readonly address: Effect.Effect<Hex>
    /** The receipt of a transaction. */
    readonly mined: <E>(sent: Effect.Effect<Hex, E>) => Effect.Effect<Receipt>
    /** Runs any calls in one transaction, from the constructor of a contract that is made for the purpose. */
    readonly script: (calls: ReadonlyArray<Call>, value?: bigint) => Effect.Effect<Receipt>
  }
>()("@bursar/evm/test/World") {
  static readonly layer = (network: EvmNetwork | ConfiguredNetwork) => Layer.effect(World, make(network))
}

/** An EVM network that is no preset. */
export interface ConfiguredNetwork {
  readonly traits: NetworkTraits
  readonly facts: EvmNetworkFacts
}

/** A call from within a transaction. */
export interface Call {
  readonly to: string
  readonly data?: Hex
  readonly value?: bigint
}

const hex = (value: bigint | number, bytes: number) => value.toString(16).padStart(bytes * 2, "0")

/** Code that makes the calls one after the other, without looking at what they answer. */
export const initCode = (calls: ReadonlyArray<Call>): Hex => {
  const steps = calls.map(({ data = "0x", to, value = 0n }) => {
    const bytes = data.slice(2)
    const words = Array.from({ length: Math.ceil(bytes.length / 64) }, (_, index) =>
      bytes.slice(index * 64, index * 64 + 64).padEnd(64, "0")
    )
    // PUSH32 word, PUSH2 offset, MSTORE
    const stores = words.map((word, index) => `7f${word}61${hex(index * 32, 2)}52`).join("")
    // CALL(gas, to, value, 0, size, 0, 0), POP
    return `${stores}5f5f61${hex(bytes.length / 2, 2)}5f7f${hex(value, 32)}73${to.slice(2).toLowerCase()}5af150`
  })
  return `0x${steps.join("")}00`
}

const make = Effect.fnUntraced(function* (network: EvmNetwork | ConfiguredNetwork) {
  const preset = typeof network === "string" ? network : "ethereum"
  const subject: ConfiguredNetwork =
    typeof network === "string" ? { traits: presetNetworks.of(network), facts: facts[network] } : network
  const devnet = yield* EvmDevnet.make({ network: preset, chainId: subject.facts.chainId })
  const { faucet } = devnet
  const tokens = canonicalTokens[preset]
  const reader = (options: Partial<EvmReaderOptions>) =>
    makeEvmReader({
      network: subject.traits.name,
      ...(typeof network === "string" ? {} : { facts: subject.facts }),
      rpcUrl: Redacted.make(devnet.rpcUrl),
      contracts: tokens.map((token) => token.address.toLowerCase()),
      ...options
    })
  let serial = 0
  const mined = <E>(sent: Effect.Effect<Hex, E>) => Effect.orDie(Effect.flatMap(sent, faucet.receipt))
  return World.of({
    devnet,
    reader,
    chain: reader({}),
    known: subject.facts,
    adapter: (settings) =>
      evmNetwork({
        ...subject,
        rpcUrl: Redacted.make(devnet.rpcUrl),
        contracts: tokens.map((token) => token.address),
        ...settings
      }),
    tokens,
    // Checksummed forms of viem are typed as such; ours are strings.
    address: Effect.sync(() => checksummed(`0x5a${hex(++serial, 19)}`) as Hex),
    mined,
    script: (calls, value = 0n) =>
      mined(
        faucet.rpc<Hex>("eth_sendTransaction", [
          {
            from: devnet.anvil.fundedAddress,
            data: initCode(calls),
            value: `0x${value.toString(16)}`,
            gas: "0x4c4b40"
          }
        ])
      )
  })
})

const faultOf: Readonly<Record<NodeFault, Fault>> = {
  silent: { kind: "drop", times: 1_000_000 },
  garbage: { kind: "garbage", times: 1_000_000, garbage: "wrong_types" },
  empty: { kind: "empty", times: 1_000_000 },
  lagging: { kind: "lag", times: 1_000_000, lag_blocks: 3 }
}

/** More of a token than there is, to be sent in vain. */
export const tooMuch = 2n ** 255n

/** Addresses of the suites come from their worlds, so they are what viem takes for one. */
export const transferData = (to: string, units: bigint) =>
  encodeFunctionData({ abi: tokenAbi, functionName: "transfer", args: [to as Hex, units] })

/** Tokens come from nobody, as anybody may make them. */
export const mintData = (to: string, units: bigint) =>
  encodeFunctionData({ abi: tokenAbi, functionName: "mint", args: [to as Hex, units] })

const noMemos = Effect.die(new Error("an EVM network has no memos"))

/** The world in the terms of the suite of chain readers. */
export const chainWorld = Layer.effect(
  ChainWorld,
  Effect.map(World, ({ adapter, address, devnet, mined, script, tokens }) => {
    const { faucet, faults } = devnet
    const [token, another] = tokens
    if (token === undefined || another === undefined) throw new Error("the network has no two tokens")
    const tokenAt = (contract: string) => (contract === another.address ? another : token)
    const sent = ({ blockHash, transactionHash }: Receipt) => ({ txHash: transactionHash, blockHash })
    return ChainWorld.of({
      reader: adapter({}).reader,
      address,
      unknownHash: `0x${"ee".repeat(32)}`,
      token: token.address,
      anotherToken: another.address,
      large: { coin: 2n ** 64n + 1n, token: 2n ** 64n + 3n },
      // anvil calls the block before the last but one final
      finalAfter: 2,
      sendOther: (to, units) => Effect.map(mined(faucet.transfer(counterfeitToken, to as Hex, units)), sent),
      sendFailing: (to) => Effect.map(mined(faucet.call(token.address, transferData(to, tooMuch))), sent),
      sendWithMemo: () => noMemos,
      send: (to, units, contract) =>
        Effect.map(
          // An address of the suite comes from `address` above.
          mined(
            contract === null
              ? faucet.sendNative(to as Hex, units)
              : faucet.transfer(tokenAt(contract), to as Hex, units)
          ),
          (receipt) => ({ ...sent(receipt), from: faucetAddress })
        ),
      sendMany: (to, amounts, contract) => {
        if (contract !== null)
          return Effect.map(script(amounts.map((units) => ({ to: contract, data: mintData(to, units) }))), sent)
        const receivers = amounts.map(() => to as Hex)
        const data = encodeFunctionData({ abi: splitterAbi, functionName: "split", args: [receivers, amounts] })
        const sum = amounts.reduce((total, units) => total + units, 0n)
        return Effect.map(mined(faucet.call(contracts.splitter, data, sum)), sent)
      },
      mine: (count) => Effect.orDie(Effect.asVoid(faucet.rpc("anvil_mine", [`0x${count.toString(16)}`, "0x2"]))),
      reorg: (depth, transactions) =>
        Effect.orDie(
          Effect.flatMap(transactions === "dropped" ? Effect.succeed([]) : faucet.transactionsOf(depth), (kept) =>
            faucet.reorg(depth, transactions === "together" ? kept.map((one) => ({ ...one, block: depth - 1 })) : kept)
          )
        ),
      breakNode: (fault) => faults.inject(faultOf[fault]),
      heal: faults.clear
    })
  })
)
