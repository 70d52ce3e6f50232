import { addressOfKey } from "@bursar/simulator-tron/account"
import { hexOf } from "@bursar/simulator-tron/address"
import { splitData, splitter, splitTokenData, tokens } from "@bursar/simulator-tron/contracts"
import { faucetKey } from "@bursar/simulator-tron/genesis"
import * as TronDevnet from "@bursar/simulator-tron/TronDevnet"
import type { TronFault } from "@bursar/simulator-tron/TronFault"
import { ChainWorld, type Mined, type NodeFault } from "@bursar/testkit/suites/chain/ChainWorld"
import { fromEvmHex, fromHex, makeTronReader, type TronReader, type TronReaderOptions } from "@bursar/tron"
import { tronOver } from "./tronOver.ts"
import { Context, Effect, Layer, Redacted } from "effect"

/** The pinned tokens of the local network, which are those of the main one. */
export const pinned = tokens.flatMap(({ address, code }) => (code === null ? [] : [fromHex(address)]))

/** A local network with a reader of its node. */
export class World extends Context.Service<
  World,
  {
    readonly devnet: TronDevnet.TronDevnet
    readonly chain: TronReader
    /** The pinned tokens. */
    readonly contracts: ReadonlyArray<string>
    /** The adapter of the same node. */
    readonly adapter: ReturnType<typeof tronOver>
    /** Another reader of the same node. */
    readonly reader: (options: Partial<TronReaderOptions>) => TronReader
    /** An address that has received nothing yet, in base58. */
    readonly address: Effect.Effect<string>
    /** Where a transaction is, which must have been mined at once. */
    readonly mined: <E>(sent: Effect.Effect<string, E>) => Effect.Effect<Mined>
    /** Pays receivers so much each, through a contract and in one transaction. */
    readonly split: (receivers: ReadonlyArray<string>, units: ReadonlyArray<bigint>) => Effect.Effect<Mined>
  }
>()("@bursar/tron/test/World") {
  static readonly layer = Layer.effect(
    World,
    Effect.map(TronDevnet.make({ mining: "automine" }), (devnet) => {
      const { faucet } = devnet
      const reader = (options: Partial<TronReaderOptions>) =>
        makeTronReader({
          nodeUrl: Redacted.make(devnet.nodeUrl),
          contracts: pinned,
          genesisBlockId: devnet.genesisBlockId,
          ...options
        })
      let serial = 0
      const mined = <E>(sent: Effect.Effect<string, E>) =>
        Effect.orDie(
          Effect.map(sent, (txHash) => ({ txHash, blockHash: faucet.chain.find(txHash)?.block.id ?? "not mined" }))
        )
      return World.of({
        devnet,
        reader,
        chain: reader({}),
        contracts: pinned,
        adapter: tronOver({
          nodeUrl: Redacted.make(devnet.nodeUrl),
          contracts: pinned,
          genesisBlockId: devnet.genesisBlockId
        }),
        address: Effect.sync(() => fromEvmHex(`5a${(++serial).toString(16).padStart(38, "0")}`)),
        mined,
        split: (receivers, units) =>
          mined(
            faucet.call(
              splitter.address,
              splitData(receivers.map(inHex), units),
              units.reduce((sum, each) => sum + each, 0n)
            )
          )
      })
    })
  )
}

/** The hexadecimal form of an address that is known to be one. */
export const inHex = (address: string): string => {
  const hex = hexOf(address)
  if (hex === undefined) throw new Error(`${address} is not an address`)
  return hex
}

/** More of a token than there is, to be sent in vain. */
export const tooMuch = 10n ** 40n

const faultOf: Readonly<Record<NodeFault, TronFault>> = {
  silent: { kind: "drop", times: 1_000_000 },
  garbage: { kind: "garbage", times: 1_000_000, garbage: "wrong_types" },
  empty: { kind: "empty", times: 1_000_000 },
  lagging: { kind: "lag", times: 1_000_000, lag_blocks: 3 }
}

/** The world in the terms of the suite of chain readers. */
export const chainWorld = Layer.effect(
  ChainWorld,
  Effect.map(World, ({ adapter, address, devnet, mined, split }) => {
    const { faucet, faults } = devnet
    const [token, another] = tokens
    const counterfeit = tokens.find(({ code }) => code === null)
    if (token === undefined || another === undefined || counterfeit === undefined)
      throw new Error("the network has no token")
    return ChainWorld.of({
      reader: adapter({}).reader,
      address,
      unknownHash: "ee".repeat(32),
      token: fromHex(token.address),
      anotherToken: fromHex(another.address),
      large: { coin: 2n ** 53n + 1n, token: 2n ** 53n + 1n },
      // what the local network takes to solidify a block
      finalAfter: 2,
      sendOther: (to, units) => mined(faucet.transfer(counterfeit, inHex(to), units)),
      sendFailing: (to) => mined(faucet.transfer(token, inHex(to), tooMuch)),
      sendWithMemo: () => Effect.die(new Error("transfers on tron have no memos here")),
      send: (to, units, contract) =>
        Effect.map(
          mined(
            contract === null
              ? faucet.sendNative(inHex(to), units)
              : faucet.transfer(contract === fromHex(another.address) ? another : token, inHex(to), units)
          ),
          (sent) => ({ ...sent, from: fromHex(addressOfKey(faucetKey)) })
        ),
      sendMany: (to, amounts, contract) =>
        contract === null
          ? split(
              amounts.map(() => to),
              amounts
            )
          : Effect.andThen(
              faucet.transfer(
                token,
                splitter.address,
                amounts.reduce((total, units) => total + units, 0n)
              ),
              mined(
                faucet.call(
                  splitter.address,
                  splitTokenData(
                    token.address,
                    amounts.map(() => inHex(to)),
                    amounts
                  )
                )
              )
            ).pipe(Effect.orDie),
      mine: faucet.mine,
      reorg: (depth, transactions) =>
        Effect.orDie(faucet.reorg(depth, transactions === "together" ? transactions : transactions === "kept")),
      breakNode: (fault) => faults.inject(faultOf[fault]),
      heal: faults.clear
    })
  })
)
