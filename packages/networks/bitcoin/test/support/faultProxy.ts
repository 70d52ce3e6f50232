import type { Call, Outcome } from "@bursar/simulator-bitcoin/rpc/dispatch"
import * as RpcServer from "@bursar/simulator-bitcoin/RpcServer"
import { Effect, Semaphore } from "effect"
import { makeFollow } from "./LaggingNode.ts"
import { rpcTo } from "./Rpc.ts"

/** What depends on how far a node has read the chain. The rest is asked of the node itself, whose mempool is not behind. */
const ofChain: ReadonlySet<string> = new Set([
  ...["getblockchaininfo", "getblockcount", "getbestblockhash", "getblockhash", "getblockheader", "getblock"],
  ...["getchaintips", "getindexinfo", "gettxout", "getrawtransaction", "scantxoutset"]
])

/**
 * A real node that can be told to misbehave: its calls go through a server that knows the local node's faults. One that lags is a second
 * real node, which is given the blocks that the first one had so many blocks ago.
 */
export const makeFaultProxy = Effect.fnUntraced(function* (nodeUrl: string, followerUrl: string) {
  const [node, follower] = [rpcTo(nodeUrl), rpcTo(followerUrl)]
  const follow = makeFollow(nodeUrl, followerUrl)
  const oneAtATime = Semaphore.makeUnsafe(1)
  const outcomeOf = (rpc: typeof node, { method, params }: Call): Effect.Effect<Outcome> =>
    rpc(method, ...(Array.isArray(params) ? params : [])).pipe(
      Effect.match({
        onSuccess: (result) => ({ result }),
        onFailure: ({ code, message }) => ({ error: { code, message } })
      })
    )
  return yield* RpcServer.make({
    user: "u",
    password: "p",
    port: 0,
    perform: (call, lagBlocks) =>
      lagBlocks > 0 && ofChain.has(call.method)
        ? Semaphore.withPermits(oneAtATime, 1)(Effect.andThen(follow(lagBlocks), outcomeOf(follower, call)))
        : outcomeOf(node, call)
  })
})
