import { Effect } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import type { BitcoinChainName } from "../facts.ts"
import type { BitcoinRpc } from "./Rpc.ts"
import { decoded, otherChain } from "./NodeAnswer.ts"
import { ChainInfo } from "./wire.ts"

/** Where the node stands. `other_chain` when it is of another chain: then nothing that is found there is worth anything. */
export const chainInfo = Effect.fn("BitcoinReader.chainInfo")(function* (
  rpc: BitcoinRpc,
  chain: BitcoinChainName
): Effect.fn.Return<typeof ChainInfo.Type, ChainError> {
  const doing = "read where the node stands"
  const info = yield* decoded(doing, ChainInfo, yield* rpc.ask(doing, "getblockchaininfo", []))
  if (info.chain === chain) return info
  const detail = `the node is of chain ${info.chain}, but ${chain} is configured; check the rpc url of bitcoin`
  return yield* otherChain(doing, detail)
})
