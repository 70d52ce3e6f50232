import { Context, Effect, Layer, Redacted, Schedule } from "effect"
import { encodeFunctionData } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { checksummed, evmNetwork, type EvmNetworkSettings, facts } from "@bursar/evm"
import { splitterAbi, tokenAbi } from "@bursar/simulator-evm/abis"
import type { Fault } from "@bursar/simulator-evm/Fault"
import * as FaultProxy from "@bursar/simulator-evm/FaultProxy"
import type { Hex, Receipt } from "@bursar/simulator-evm/Faucet"
import { toHex } from "@bursar/simulator-evm/Rpc"
import { canonicalTokens, contracts, counterfeitToken } from "@bursar/simulator-evm/tokens"
import { realNode } from "@bursar/testkit/fixtures/realNode"
import { ChainWorld, type NodeFault } from "@bursar/testkit/suites/chain/ChainWorld"
import { type SenderFault, SenderWorld } from "@bursar/testkit/suites/sender/SenderWorld"
import { AdapterWorld } from "@bursar/testkit/suites/adapter/AdapterWorld"
import { examplesOf } from "./adapterWorld.ts"
import { foreignOf } from "./foreign.ts"
import { type Geth, makeGeth } from "./Geth.ts"
import { makeKeys } from "./keys.ts"
import { mintData, tooMuch, transferData } from "./World.ts"

/** The geth of this run. */
export const geth = realNode("GETH")

// A key that everybody may know, of the account that the genesis makes rich.
const payer = privateKeyToAccount(`0x${"01".repeat(32)}`)
const gwei = 1_000_000_000n
const many = 1_000_000

/** A real geth behind the fault proxy, and the hands of one who can pay. */
export class GethWorld extends Context.Service<
  GethWorld,
  {
    readonly node: Geth
    readonly faults: FaultProxy.FaultProxy
    readonly address: Effect.Effect<Hex>
    /** Hands in a call of the payer's; its hash. */
    readonly pay: (to: string, units: bigint, data?: Hex) => Effect.Effect<Hex>
    /** The same, in a block. */
    readonly paid: (to: string, units: bigint, data?: Hex) => Effect.Effect<Receipt>
    readonly mine: (count: number) => Effect.Effect<void>
  }
>()("@bursar/evm/test/GethWorld") {
  static readonly layer = Layer.effect(
    GethWorld,
    Effect.gen(function* () {
      const node = yield* makeGeth(geth.found ?? "", payer.address)
      const faults = yield* FaultProxy.make(node.rpcUrl)
      let serial = 0
      const payOnce = Effect.fnUntraced(function* (to: string, units: bigint, data: Hex) {
        const nonce = Number(yield* node.rpc("eth_getTransactionCount", [payer.address, "pending"]))
        const raw = yield* Effect.promise(() =>
          payer.signTransaction({
            type: "eip1559",
            chainId: 1,
            nonce,
            // Addresses of the suites come from `address` below.
            to: to as Hex,
            value: units,
            data,
            gas: 2_000_000n,
            maxFeePerGas: 100n * gwei,
            maxPriorityFeePerGas: gwei
          })
        )
        return yield* node.rpc<Hex>("eth_sendRawTransaction", [raw])
      })
      /** The pool counts what it was given only a moment later, and says until then that the number is taken. */
      const counted = {
        while: ({ message }: Error) => message.includes("underpriced"),
        schedule: Schedule.spaced("20 millis"),
        times: 100
      }
      const pay = (to: string, units: bigint, data: Hex = "0x") =>
        payOnce(to, units, data).pipe(Effect.retry(counted), Effect.orDie)
      const mine = (count: number) => Effect.forEach(Array.from({ length: count }), () => node.mine, { discard: true })
      yield* mine(2)
      return GethWorld.of({
        node,
        faults,
        // Checksummed forms of viem are typed as such; ours are strings.
        address: Effect.sync(() => checksummed(`0x5a${(++serial).toString(16).padStart(38, "0")}`) as Hex),
        pay,
        paid: (to, units, data) =>
          Effect.gen(function* () {
            const hash = yield* pay(to, units, data)
            yield* node.mine
            return yield* Effect.orDie(node.rpc<Receipt>("eth_getTransactionReceipt", [hash]))
          }),
        mine
      })
    })
  )
}

const tokens = canonicalTokens.ethereum.map(({ address }) => address)
const [token, another] = tokens

const readerFaultOf: Readonly<Record<NodeFault, Fault>> = {
  silent: { kind: "drop", times: many },
  garbage: { kind: "garbage", times: many, garbage: "wrong_types" },
  empty: { kind: "empty", times: many },
  lagging: { kind: "lag", times: many, lag_blocks: 3 }
}

const faultOf: Readonly<Record<SenderFault, Fault>> = {
  ...readerFaultOf,
  lost_reply: { kind: "lost_reply", times: many, method: "eth_sendRawTransaction" },
  refuse: { kind: "refuse", times: many, method: "eth_sendRawTransaction" },
  duplicate: { kind: "duplicate", times: many }
}

/** Replaces the last blocks by others that have the same transactions, each in its place or all in the last of them. */
const replaced = Effect.fnUntraced(function* (node: Geth, depth: number, together: boolean) {
  const number = Number(yield* node.rpc("eth_blockNumber"))
  const blocks = yield* Effect.forEach(
    Array.from({ length: depth }, (_, index) => toHex(number - depth + 1 + index)),
    (height) => node.rpc<{ readonly transactions: ReadonlyArray<Hex> }>("eth_getBlockByNumber", [height, false])
  )
  const raws = yield* Effect.forEach(blocks, ({ transactions }) =>
    Effect.forEach(transactions, (hash) => node.rpc<Hex>("eth_getRawTransactionByHash", [hash]))
  )
  yield* node.rewind(depth)
  for (const block of together ? [...raws.slice(1).map(() => []), raws.flat()] : raws) {
    for (const raw of block) yield* node.rpc("eth_sendRawTransaction", [raw])
    yield* node.mine
  }
}, Effect.orDie)

const adapterOn = (faults: FaultProxy.FaultProxy) => (settings: Partial<EvmNetworkSettings>) =>
  evmNetwork({
    traits: presetNetworks.of("ethereum"),
    rpcUrl: Redacted.make(faults.url),
    contracts: tokens,
    ...settings
  })

/** A real geth in the terms of the suite of adapters. */
export const gethAdapterWorld = Layer.effect(
  AdapterWorld,
  Effect.flatMap(GethWorld, ({ faults }) => examplesOf(adapterOn(faults), facts.ethereum, tokens))
).pipe(Layer.provide(GethWorld.layer))

/** A real geth in the terms of the suite of chain readers. */
export const gethChainWorld = Layer.effect(
  ChainWorld,
  Effect.map(GethWorld, ({ address, faults, mine, node, pay, paid }) => {
    if (token === undefined || another === undefined) throw new Error("the network has no two tokens")
    const sent = ({ blockHash, transactionHash }: Receipt) => ({ txHash: transactionHash, blockHash })
    const transfer = (of: string, to: string, units: bigint) =>
      pay(of, 0n, mintData(payer.address, units)).pipe(
        Effect.andThen(paid(of, 0n, transferData(to, units))),
        Effect.map(sent)
      )
    return ChainWorld.of({
      reader: adapterOn(faults)({}).reader,
      address,
      unknownHash: `0x${"ee".repeat(32)}`,
      token,
      anotherToken: another,
      large: { coin: 2n ** 64n + 1n, token: 2n ** 64n + 3n },
      finalAfter: 2,
      send: (to, units, contract) =>
        Effect.map(contract === null ? Effect.map(paid(to, units), sent) : transfer(contract, to, units), (mined) => ({
          ...mined,
          from: payer.address
        })),
      sendOther: (to, units) => transfer(counterfeitToken.address, to, units),
      sendFailing: (to) => Effect.map(paid(token, 0n, transferData(to, tooMuch)), sent),
      sendWithMemo: () => Effect.die(new Error("an EVM network has no memos")),
      sendMany: (to, amounts, contract) => {
        if (contract !== null) return Effect.die(new Error("no contract on it sends tokens twice"))
        const receivers = amounts.map(() => to as Hex)
        const data = encodeFunctionData({ abi: splitterAbi, functionName: "split", args: [receivers, amounts] })
        const sum = amounts.reduce((total, units) => total + units, 0n)
        return Effect.map(paid(contracts.splitter, sum, data), sent)
      },
      mine,
      reorg: (depth, transactions) =>
        transactions !== "dropped"
          ? replaced(node, depth, transactions === "together")
          : Effect.andThen(node.rewind(depth), mine(depth)),
      breakNode: (fault) => faults.inject(readerFaultOf[fault]),
      heal: faults.clear
    })
  })
).pipe(Layer.provide(GethWorld.layer))

/** A real geth in the terms of the suite of senders. */
export const gethSenderWorld = Layer.effect(
  SenderWorld,
  Effect.map(GethWorld, ({ address, faults, mine, node, pay, paid }) => {
    if (token === undefined) throw new Error("the network has no token")
    const keys = makeKeys()
    const { codec, sender } = adapterOn(faults)({})
    const next = new Map<string, bigint>()
    const funded = (coin: bigint, units: bigint) =>
      Effect.gen(function* () {
        const account = keys.create()
        yield* pay(account, coin)
        yield* pay(token, 0n, mintData(account, units))
        yield* mine(3)
        return account
      })
    return SenderWorld.of({
      sender,
      format: codec,
      contract: token,
      account: funded(10n ** 18n, 1_000_000n),
      large: { coin: 2n ** 64n + 1n, token: 2n ** 64n + 3n },
      richAccount: funded(10n ** 20n, 2n ** 64n + 3n),
      finalAfter: 2,
      receiver: address,
      unknownHash: `0x${"ee".repeat(32)}`,
      balance: (holder, contract) =>
        Effect.orDie(
          Effect.map(
            contract === null
              ? node.rpc<Hex>("eth_getBalance", [holder, "latest"])
              : node.rpc<Hex>("eth_call", [
                  {
                    to: contract,
                    data: encodeFunctionData({ abi: tokenAbi, functionName: "balanceOf", args: [holder as Hex] })
                  },
                  "latest"
                ]),
            BigInt
          )
        ),
      memoOf: () => Effect.die(new Error("an EVM network has no memos")),
      take: (account) =>
        Effect.gen(function* () {
          const number = next.get(account) ?? (yield* Effect.orDie(sender.firstSequence(account))) ?? 0n
          next.set(account, number + 1n)
          return { _tag: "Sequence" as const, account, sequence: number }
        }),
      validUntil: Effect.succeed(4_000_000_000_000),
      sign: keys.sign,
      include: mine(1),
      finalize: mine(3),
      reorg: Effect.andThen(node.rewind(1), mine(1)),
      rival: (order) =>
        Effect.tap(Effect.orDie(node.rpc<string>("eth_sendRawTransaction", [foreignOf(keys, 1, order)])), () =>
          mine(1)
        ),
      expire: () => Effect.die("nothing expires on an EVM network"),
      // setPaused(bool)
      setPaused: (paused) => Effect.asVoid(paid(token, 0n, `0x16c38b3c${(paused ? "1" : "0").padStart(64, "0")}`)),
      breakNode: (fault) => faults.inject(faultOf[fault]),
      heal: faults.clear
    })
  })
).pipe(Layer.provide(GethWorld.layer))
