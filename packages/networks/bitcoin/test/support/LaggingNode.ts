import { Effect } from "effect"
import { type Rpc, rpcTo } from "./Rpc.ts"

interface Header {
  readonly height: number
  readonly time: number
  readonly confirmations: number
  readonly previousblockhash: string
}

/** How often the chain of the follower is turned until its newest block is the wanted one. */
const turnsMax = 20

/** Gives the follower a block with all below it that it does not have. */
const give = Effect.fnUntraced(function* (node: Rpc, follower: Rpc, wanted: string) {
  const missing: Array<string> = []
  let hash = wanted
  const isKnown = (one: string) =>
    Effect.match(follower("getblockheader", one), { onSuccess: () => true, onFailure: () => false })
  while (!(yield* isKnown(hash))) {
    missing.unshift(yield* node<string>("getblock", hash, 0))
    const header = yield* node<Header>("getblockheader", hash)
    hash = header.previousblockhash
  }
  const { time } = yield* node<Header>("getblockheader", wanted)
  // Its clock is that of the chain: a block from the future would be refused.
  yield* follower("setmocktime", time)
  for (const block of missing) yield* follower("submitblock", block)
  yield* follower("reconsiderblock", wanted)
})

/** Bars what stands in the way of a block that the follower has, until it is the newest. */
const turnTo = Effect.fnUntraced(function* (follower: Rpc, wanted: string) {
  for (let turn = 0; turn < turnsMax; turn++) {
    if ((yield* follower<string>("getbestblockhash")) === wanted) return
    // The highest block below the wanted one that is in its main chain; it may be the wanted one itself.
    let header = yield* follower<Header>("getblockheader", wanted)
    while (header.confirmations < 1) header = yield* follower<Header>("getblockheader", header.previousblockhash)
    yield* follower("invalidateblock", yield* follower<string>("getblockhash", header.height + 1))
  }
  return yield* Effect.die(new Error(`the lagging node does not come to ${wanted}`))
})

/** Brings a node to where another one was some blocks ago. */
export const makeFollow = (nodeUrl: string, followerUrl: string) => {
  const [node, follower] = [rpcTo(nodeUrl), rpcTo(followerUrl)]
  return Effect.fn("test.follow")(function* (lagBlocks: number) {
    const height = yield* node<number>("getblockcount")
    const wanted = yield* node<string>("getblockhash", Math.max(0, height - lagBlocks))
    yield* give(node, follower, wanted)
    yield* turnTo(follower, wanted)
  }, Effect.orDie)
}
