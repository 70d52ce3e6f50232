import type { ChainReader, Memo, Transfer } from "@bursar/core/port/Chain"
import { Effect } from "effect"
import type { FakeChain } from "../../fixtures/FakeChain.ts"
import { ChainWorld } from "./ChainWorld.ts"

/** The pinned contract of the fake chain's token. */
export const fakeToken = "0xdAC17F958D2ee523a2206206994597C13D831ec7"

/** The pinned contract of its other token. */
const anotherToken = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"

/** The contracts that the chain must pin. */
export const fakeTokens: ReadonlyArray<string> = [fakeToken, anotherToken]

/** A contract of a token that is not pinned. */
const otherToken = "0x00000000000000000000000000000000fA4e0001"

/**
 * A fake chain whose pinned contracts are `fakeTokens`, in the terms of the suite of readers, with an address for each number. `reader` is one over the chain, where it is not
 * the chain's own.
 */
export const fakeChainWorld = (
  chain: FakeChain,
  addressOf: (serial: number) => string,
  reader: ChainReader = chain.reader
): ChainWorld["Service"] => {
  let serial = 0
  const payer = addressOf(++serial)
  const mined = (to: string, contract: string | null, amounts: ReadonlyArray<bigint>, memo: Memo | null = null) =>
    Effect.sync(() => {
      const txHash = `0x${(++serial).toString(16).padStart(64, "a")}`
      const transfers = amounts.map((units, transferIndex): Transfer => ({
        txHash,
        transferIndex,
        contract,
        units,
        from: payer,
        to,
        memo
      }))
      return { txHash, blockHash: chain.mine(transfers).hash, from: payer }
    })
  return ChainWorld.of({
    reader,
    address: Effect.sync(() => addressOf(++serial)),
    unknownHash: `0x${"ee".repeat(32)}`,
    token: fakeToken,
    anotherToken,
    large: { coin: 2n ** 64n + 1n, token: 2n ** 64n + 3n },
    finalAfter: chain.reader.requiredConfirmations - 1,
    send: (to, units, contract) => mined(to, contract, [units]),
    sendOther: (to, units) => mined(to, otherToken, [units]),
    // what failed moved nothing, and of a fake chain nothing but what moved is known
    sendFailing: (to) => mined(to, null, []),
    sendWithMemo: (to, units, memo) => mined(to, null, [units], memo),
    sendMany: (to, amounts, contract) => mined(to, contract, amounts),
    mine: (count) => Effect.sync(() => chain.mineMany(count)),
    reorg: (depth, transactions) =>
      Effect.sync(() => {
        const lost = chain.blocks().slice(-depth)
        const all = lost.flatMap((block) => block.transfers)
        chain.reorg(
          depth,
          lost.map((block, index) => {
            if (transactions === "together") return index === depth - 1 ? all : []
            return transactions === "kept" ? block.transfers : []
          })
        )
      }),
    breakNode: (fault) =>
      Effect.sync(() => (fault === "lagging" ? chain.setNodeLag(3) : chain.fail("unreachable", 1_000_000))),
    heal: Effect.sync(() => {
      chain.heal()
      chain.setNodeLag(0)
    })
  })
}
