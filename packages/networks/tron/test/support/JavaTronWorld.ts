import { addressOfKey } from "@bursar/simulator-tron/account"
import { base58Of } from "@bursar/simulator-tron/address"
import { bytecode } from "@bursar/simulator-evm/bytecode"
import { splitData } from "@bursar/simulator-tron/contracts"
import type { TronFault } from "@bursar/simulator-tron/TronFault"
import { realNode } from "@bursar/testkit/fixtures/realNode"
import { ChainWorld, type NodeFault } from "@bursar/testkit/suites/chain/ChainWorld"
import { type SenderFault, SenderWorld } from "@bursar/testkit/suites/sender/SenderWorld"
import { AdapterWorld } from "@bursar/testkit/suites/adapter/AdapterWorld"
import { Context, Effect, Layer, Redacted } from "effect"
import { type JavaTron, makeJavaTron } from "./JavaTron.ts"
import { type JavaTronFaults, makeJavaTronFaults } from "./javaTronFaults.ts"
import { keyOf, signWith } from "./keys.ts"
import { examplesOf } from "./adapterWorld.ts"
import { tronOver } from "./tronOver.ts"
import { inHex, tooMuch } from "./World.ts"

/** The java-tron of this run. */
export const javaTron = realNode("JAVA_TRON")

const many = 1_000_000
const feeLimit = 900_000_000

/** The functions of the token, by their selectors. */
const selectors = { balanceOf: "70a08231", mint: "40c10f19", setPaused: "16c38b3c", transfer: "a9059cbb" } as const

/** A call of the token. An address is given in base58. */
const dataOf = (name: keyof typeof selectors, ...values: ReadonlyArray<string | bigint | boolean>): string =>
  selectors[name] +
  values
    .map((value) => (typeof value === "string" ? inHex(value).slice(2) : BigInt(value).toString(16)).padStart(64, "0"))
    .join("")

/** A private java-tron network behind the devnet's faults, with a token, a splitter and a funded account. */
export class JavaTronWorld extends Context.Service<
  JavaTronWorld,
  {
    readonly node: JavaTron
    readonly faults: JavaTronFaults
    readonly splitter: string
    /** The contract of the token, in base58. */
    readonly token: string
    readonly address: Effect.Effect<string>
    /** Broadcasts a transfer of sun. Returns its id. */
    readonly pay: (to: string, sun: bigint) => Effect.Effect<string>
    /** Broadcasts a contract call. Returns its id. */
    readonly call: (contract: string, data: string, sun?: bigint) => Effect.Effect<string>
  }
>()("@bursar/tron/test/JavaTronWorld") {
  static readonly layer = Layer.effect(
    JavaTronWorld,
    Effect.gen(function* () {
      const node = yield* makeJavaTron(javaTron.found ?? "")
      const faults = yield* makeJavaTronFaults(node)
      const splitter = base58Of(yield* node.deploy("Splitter", bytecode.Splitter.slice(2)))
      const token = base58Of(yield* node.deploy("Token", bytecode.BoolToken.slice(2)))
      let serial = 0
      let times = 0
      return JavaTronWorld.of({
        node,
        faults,
        splitter,
        token,
        address: Effect.sync(() => base58Of(`415c${(++serial).toString(16).padStart(38, "0")}`)),
        pay: (to, sun) =>
          Effect.flatMap(
            node.ask("wallet/createtransaction", {
              owner_address: node.rich,
              to_address: inHex(to),
              amount: Number(sun)
            }),
            node.broadcast
          ),
        call: Effect.fnUntraced(function* (contract, data, sun = 0n) {
          const answer = yield* node.ask("wallet/triggersmartcontract", {
            ...{ owner_address: node.rich, contract_address: inHex(contract), data },
            // Without a difference, two calls in one millisecond would be the same transaction.
            ...{ call_value: Number(sun), fee_limit: feeLimit + ++times }
          })
          // `broadcast` dies where the node built no transaction.
          return yield* node.broadcast((answer["transaction"] ?? answer) as Readonly<Record<string, unknown>>)
        })
      })
    })
  )
}

const readerFaultOf: Readonly<Record<NodeFault, TronFault>> = {
  silent: { kind: "drop", times: many },
  garbage: { kind: "garbage", times: many, garbage: "wrong_types" },
  empty: { kind: "empty", times: many },
  lagging: { kind: "lag", times: many }
}

const faultOf: Readonly<Record<SenderFault, TronFault>> = {
  ...readerFaultOf,
  lost_reply: { kind: "lost_reply", times: many, method: "broadcasthex" },
  refuse: { kind: "refuse", times: many, method: "broadcasthex" },
  duplicate: { kind: "duplicate", times: many, method: "broadcasthex" }
}

/** The adapter of the network, which is known by its first block. */
const adapterOn = ({ faults, node, token }: Pick<JavaTronWorld["Service"], "faults" | "node" | "token">) =>
  Effect.map(node.ask("wallet/getblockbynum", { num: 0 }), ({ blockID }) =>
    tronOver({ nodeUrl: Redacted.make(faults.url), contracts: [token], genesisBlockId: String(blockID) })
  )

/** A real java-tron in the terms of the suite of adapters. */
export const javaTronAdapterWorld = Layer.effect(
  AdapterWorld,
  Effect.flatMap(JavaTronWorld, (world) =>
    Effect.map(adapterOn(world), (adapter) => examplesOf(adapter, [world.token]))
  )
).pipe(Layer.provide(JavaTronWorld.layer))

/** A real java-tron in the terms of the suite of chain readers. */
export const javaTronChainWorld = Layer.effect(
  ChainWorld,
  Effect.gen(function* () {
    const { address, call, faults, node, pay, splitter, token } = yield* JavaTronWorld
    const { reader } = (yield* adapterOn({ faults, node, token }))({})
    const mined = Effect.fnUntraced(function* (sent: Effect.Effect<string>) {
      const txHash = yield* sent
      yield* node.mine(1)
      const { blockID } = yield* node.ask("wallet/getnowblock")
      return { txHash, blockHash: String(blockID) }
    })
    const transfer = (of: string, to: string, units: bigint) =>
      Effect.andThen(
        mined(call(of, dataOf("mint", base58Of(node.rich), units))),
        mined(call(of, dataOf("transfer", to, units)))
      )
    const other = base58Of(yield* node.deploy("Other", bytecode.BoolToken.slice(2)))
    return ChainWorld.of({
      reader,
      address,
      unknownHash: "ee".repeat(32),
      token,
      anotherToken: null,
      large: { coin: 2n ** 33n + 1n, token: 2n ** 64n + 1n },
      finalAfter: 1,
      sendOther: (to, units) => transfer(other, to, units),
      sendFailing: (to) => mined(call(token, dataOf("transfer", to, tooMuch))),
      sendWithMemo: () => Effect.die(new Error("transfers on tron have no memos here")),
      send: (to, units, contract) =>
        Effect.map(contract === null ? mined(pay(to, units)) : transfer(token, to, units), (sent) => ({
          ...sent,
          from: base58Of(node.rich)
        })),
      sendMany: (to, amounts, contract) => {
        if (contract !== null) return Effect.die(new Error("no contract on it sends tokens twice"))
        const sum = amounts.reduce((total, units) => total + units, 0n)
        const receivers = amounts.map(() => inHex(to))
        return mined(call(splitter, splitData(receivers, amounts), sum))
      },
      mine: node.mine,
      reorg: () => Effect.die(new Error("a single node never reorganises")),
      breakNode: (fault) => faults.inject(readerFaultOf[fault]),
      heal: faults.clear
    })
  })
).pipe(Layer.provide(JavaTronWorld.layer))

/** What an account of the suite of senders holds. */
const funds = { sun: 1_000_000_000n, tokenUnits: 50_000_000n }

/** What is a lot of it. */
const large = { coin: 2n ** 33n + 1n, token: 2n ** 64n + 1n }

/** From where on accounts are numbered that have it. */
const richSerial = 1_000_000

/** Accounts are funded in batches, because a block takes seconds. */
const accountsAtOnce = 30

/** Validity of transactions. Short, because the tests wait until one has expired. */
const validMs = 45_000

/** A real java-tron in the terms of the suite of senders. */
export const javaTronSenderWorld = Layer.effect(
  SenderWorld,
  Effect.gen(function* () {
    const { address, call, faults, node, pay, token } = yield* JavaTronWorld
    const { codec, sender } = (yield* adapterOn({ faults, node, token }))({})
    const keys = new Map<string, string>()
    let funded: ReadonlyArray<string> = []
    let rich = 0
    const fund = Effect.gen(function* () {
      const fresh = Array.from({ length: accountsAtOnce }, (_, index) => keyOf(keys.size + index + 1))
      const addresses = fresh.map((key) => base58Of(addressOfKey(key)))
      for (const [index, key] of fresh.entries()) keys.set(addresses[index] ?? "", key)
      yield* Effect.forEach(addresses, (to) => pay(to, funds.sun))
      yield* Effect.forEach(addresses, (to) => call(token, dataOf("mint", to, funds.tokenUnits)))
      yield* node.mine(1)
      yield* node.solidify
      funded = addresses
    })
    return SenderWorld.of({
      sender,
      format: codec,
      contract: token,
      account: Effect.gen(function* () {
        if (funded.length === 0) yield* fund
        const [next, ...rest] = funded
        funded = rest
        return next ?? (yield* Effect.die(new Error("nobody was funded")))
      }),
      large,
      richAccount: Effect.gen(function* () {
        const key = keyOf(richSerial + ++rich)
        const to = base58Of(addressOfKey(key))
        keys.set(to, key)
        yield* pay(to, large.coin + funds.sun)
        yield* call(token, dataOf("mint", to, large.token))
        yield* node.mine(1)
        yield* node.solidify
        return to
      }),
      finalAfter: 1,
      receiver: address,
      unknownHash: "ee".repeat(32),
      // `/wallet` would count pending transactions.
      balance: Effect.fnUntraced(function* (holder, contract) {
        if (contract === null) {
          const { balance = 0 } = yield* node.askSolid("walletsolidity/getaccount", { address: inHex(holder) })
          return BigInt(Number(balance))
        }
        const answer = yield* node.askSolid("walletsolidity/triggerconstantcontract", {
          ...{ owner_address: inHex(holder), contract_address: inHex(contract) },
          data: dataOf("balanceOf", holder)
        })
        const [word] = answer["constant_result"] as ReadonlyArray<string>
        return BigInt(`0x${word}`)
      }),
      memoOf: () => Effect.die(new Error("transfers on tron have no memos here")),
      take: () => Effect.succeed({ _tag: "Expiry" }),
      validUntil: Effect.sync(() => Date.now() + validMs),
      sign: (holder, digest) => signWith(keys.get(holder), digest),
      include: node.mine(1),
      finalize: node.solidify,
      reorg: Effect.die(new Error("a single node never reorganises")),
      rival: () => Effect.die(new Error("nothing on tron excludes another transaction")),
      expire: ({ validUntil }) =>
        Effect.gen(function* () {
          const past = Effect.map(node.ask("wallet/getnowblock"), (block) => {
            const header = block["block_header"] as { readonly raw_data: { readonly timestamp: number } }
            return header.raw_data.timestamp > (validUntil ?? 0)
          })
          while (!(yield* past)) yield* node.mine(1)
          yield* node.solidify
        }),
      setPaused: (paused) =>
        Effect.gen(function* () {
          yield* call(token, dataOf("setPaused", paused))
          yield* node.mine(1)
        }),
      breakNode: (fault) => faults.inject(faultOf[fault]),
      heal: faults.clear
    })
  })
).pipe(Layer.provide(JavaTronWorld.layer))
