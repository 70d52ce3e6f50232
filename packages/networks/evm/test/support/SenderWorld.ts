import type { Fault } from "@bursar/simulator-evm/Fault"
import type { Hex } from "@bursar/simulator-evm/Faucet"
import { make as makeRpc, toHex } from "@bursar/simulator-evm/Rpc"
import { type EvmNetwork, type EvmSenderOptions, makeEvmSender } from "@bursar/evm"
import { type SenderFault, SenderWorld } from "@bursar/testkit/suites/sender/SenderWorld"
import { Context, Effect, Layer, Redacted } from "effect"
import type { ChainSender, SendOrder } from "@bursar/core/port/ChainSender"
import { foreignOf } from "./foreign.ts"
import { makeKeys, type TestKeys } from "./keys.ts"
import { type ConfiguredNetwork, World } from "./World.ts"

/** Where only what a test does comes into blocks, and finality is two blocks away. */
export class EvmSenderWorld extends Context.Service<
  EvmSenderWorld,
  {
    readonly keys: TestKeys
    /** Another sender of the same node. */
    readonly sender: (options: Partial<EvmSenderOptions>) => ChainSender
    /** Puts coin and tokens on an address, in blocks that are final. */
    readonly fund: (address: string) => Effect.Effect<void>
    /** A signed transaction of an account that gives a unit to itself. */
    readonly foreign: (order: Pick<SendOrder, "from" | "guard">, feePerGas?: bigint) => Hex
  }
>()("@bursar/evm/test/EvmSenderWorld") {
  static readonly layer = Layer.effect(
    EvmSenderWorld,
    Effect.gen(function* () {
      const { devnet, known, tokens } = yield* World
      const { faucet } = devnet
      const network = devnet.anvil.network
      const keys = makeKeys()
      yield* faucet.setAutomine(false)
      return EvmSenderWorld.of({
        keys,
        sender: (options) =>
          makeEvmSender({
            network,
            rpcUrl: Redacted.make(devnet.rpcUrl),
            contracts: tokens.map((token) => token.address),
            pricesTtlMs: 0,
            ...options
          }),
        fund: (address) =>
          Effect.gen(function* () {
            yield* faucet.rpc("anvil_setBalance", [address, "0xde0b6b3a7640000"])
            for (const token of tokens) yield* faucet.mint(token, address as Hex, 1_000_000n)
            yield* faucet.mine(3)
          }).pipe(Effect.orDie),
        foreign: (order, feePerGas) => foreignOf(keys, known.chainId, order, feePerGas)
      })
    })
  )

  /** Both worlds of a network. */
  static readonly on = (network: EvmNetwork | ConfiguredNetwork) =>
    Layer.provideMerge(EvmSenderWorld.layer, World.layer(network))
}

const many = 1_000_000

const faultOf: Readonly<Record<SenderFault, Fault>> = {
  silent: { kind: "drop", times: many },
  garbage: { kind: "garbage", times: many, garbage: "wrong_types" },
  empty: { kind: "empty", times: many },
  lagging: { kind: "lag", times: many, lag_blocks: 3 },
  lost_reply: { kind: "lost_reply", times: many, method: "eth_sendRawTransaction" },
  refuse: { kind: "refuse", times: many, method: "eth_sendRawTransaction" },
  duplicate: { kind: "duplicate", times: many }
}

/** The world in the terms of the suite of senders. */
export const senderWorld = Layer.effect(
  SenderWorld,
  Effect.gen(function* () {
    const { adapter, address, devnet, tokens } = yield* World
    const { foreign, fund, keys } = yield* EvmSenderWorld
    const { faucet, faults } = devnet
    const [token] = tokens
    if (token === undefined) throw new Error("the network has no token")
    const { codec, sender: subject } = adapter({})
    const direct = makeRpc(devnet.anvil.rpcUrl)
    const next = new Map<string, bigint>()
    const mine = (count: number) => Effect.orDie(faucet.mine(count))
    return SenderWorld.of({
      sender: subject,
      format: codec,
      contract: token.address,
      account: Effect.tap(Effect.sync(keys.create), fund),
      large: { coin: 2n ** 64n + 1n, token: 2n ** 64n + 3n },
      richAccount: Effect.gen(function* () {
        const rich = keys.create()
        yield* fund(rich)
        yield* faucet.rpc("anvil_setBalance", [rich, toHex(10n ** 20n)])
        yield* faucet.mint(token, rich as Hex, 2n ** 64n + 3n)
        yield* mine(3)
        return rich
      }).pipe(Effect.orDie),
      // anvil calls the block before the last but one final
      finalAfter: 2,
      receiver: address,
      unknownHash: `0x${"ee".repeat(32)}`,
      balance: (holder, contract) =>
        Effect.orDie(contract === null ? faucet.balance(holder as Hex) : faucet.tokenBalance(token, holder as Hex)),
      memoOf: () => Effect.die(new Error("an EVM network has no memos")),
      take: (account) =>
        Effect.gen(function* () {
          const number = next.get(account) ?? (yield* Effect.orDie(subject.firstSequence(account))) ?? 0n
          next.set(account, number + 1n)
          return { _tag: "Sequence" as const, account, sequence: number }
        }),
      validUntil: Effect.succeed(4_000_000_000_000),
      sign: keys.sign,
      include: mine(1),
      finalize: mine(3),
      reorg: Effect.orDie(faucet.reorg(1)),
      rival: (order) =>
        Effect.tap(Effect.orDie(direct<string>("eth_sendRawTransaction", [foreign(order)])), () => mine(1)),
      expire: () => Effect.die("nothing expires on an EVM network"),
      setPaused: (paused) =>
        Effect.orDie(
          // setPaused(bool)
          Effect.andThen(faucet.call(token.address, `0x16c38b3c${(paused ? "1" : "0").padStart(64, "0")}`), mine(1))
        ),
      breakNode: (fault) => faults.inject(faultOf[fault]),
      heal: faults.clear
    })
  })
)
