import type { StoredBlock } from "../ChainState.ts"
import { codes, RpcError } from "../RpcError.ts"
import { chainWork, headerJson, txJson, work } from "./json.ts"
import type { Context, Method } from "./Method.ts"
import { boolOf, hashOf, numberOf, verbosityOf } from "./parameters.ts"

/** Every block file begins each block with four bytes of a mark and four of its size. */
const blockFrameBytes = 8

/** `called` is the name of the parameter in the words of Bitcoin Core's refusal. */
const blockOf = (context: Context, params: ReadonlyArray<unknown>, called: string): StoredBlock => {
  const found = context.block(hashOf({ params, at: 0, name: "blockhash" }, called))
  if (found === undefined) throw new RpcError(codes.invalidAddressOrKey, "Block not found")
  return found
}

const info = ({ node, now, tip }: Context) => ({
  chain: "regtest",
  blocks: tip.height,
  headers: tip.height,
  bestblockhash: tip.hash,
  ...work,
  time: tip.block.timestamp,
  mediantime: tip.medianTime,
  verificationprogress: 1,
  initialblockdownload: !node.isCurrent(now),
  chainwork: chainWork(tip.height),
  size_on_disk: [...node.chain.blocks.values()].reduce(
    (sum, { block }) => sum + block.byteLength() + blockFrameBytes,
    0
  ),
  pruned: false,
  warnings: []
})

/** What a block has spent is told as long as it was once in the main chain. */
const transactionsOf = ({ spent, transactions }: StoredBlock, verbosity: number) =>
  verbosity === 1
    ? transactions.map(({ txid }) => txid)
    : transactions.map((tx, index) => txJson(tx, { spent: spent[index], prevouts: verbosity >= 3 }))

const getBlock = (context: Context, params: ReadonlyArray<unknown>) => {
  const found = blockOf(context, params, "blockhash")
  const verbosity = verbosityOf({ params, at: 1, name: "verbosity" }, 1)
  if (verbosity <= 0) return found.block.toHex()
  const { block } = found
  return {
    ...headerJson(context, found),
    strippedsize: block.byteLength(false, false),
    size: block.byteLength(),
    weight: block.weight(),
    tx: transactionsOf(found, verbosity)
  }
}

/** The blocks that no other builds on. */
const tips = ({ block, isActive, node, tip }: Context) => {
  const all = [...node.chain.blocks.values()].filter(({ hash }) => block(hash) !== undefined)
  const parents = new Set(all.map(({ parent }) => parent))
  const ends = all.filter((one) => one.hash === tip.hash || (!parents.has(one.hash) && !isActive(one)))
  return ends
    .map((one) => {
      let branchlen = 0
      let barred = false
      let at: StoredBlock | undefined = one
      while (at !== undefined && !isActive(at)) {
        barred ||= node.chain.invalid.has(at.hash)
        branchlen++
        at = block(at.parent)
      }
      const status = branchlen === 0 ? "active" : barred ? "invalid" : "valid-fork"
      return { height: one.height, hash: one.hash, branchlen, status }
    })
    .toSorted((one, other) => other.height - one.height)
}

const blockMethod = (run: Method["run"], second: string): Method => ({
  parameters: ["blockhash", second],
  required: 1,
  run
})

const plain = (run: Method["run"]): Method => ({ parameters: [], required: 0, run })

/** What can be asked of the blocks. */
export const chainMethods: Readonly<Record<string, Method>> = {
  getblockchaininfo: plain(info),
  getblockcount: plain(({ tip }) => tip.height),
  getbestblockhash: plain(({ tip }) => tip.hash),
  getchaintips: plain(tips),
  // The index of transactions never lags behind here. It goes back with the next block only, not when one is lost.
  getindexinfo: {
    parameters: ["index_name"],
    required: 0,
    run: ({ node: { chain }, tip }, [name]) => {
      const { height } = tip.hash === chain.tip().hash ? chain.lastConnected() : tip
      return name === undefined || name === null || name === "" || name === "txindex"
        ? { txindex: { synced: true, best_block_height: height } }
        : {}
    }
  },
  getblockhash: {
    parameters: ["height"],
    required: 1,
    run: ({ node, tip }, params) => {
      const height = numberOf({ params, at: 0, name: "height" })
      const found = height <= tip.height ? node.chain.active[height] : undefined
      if (found === undefined) throw new RpcError(codes.invalidParameter, "Block height out of range")
      return found.hash
    }
  },
  getblockheader: blockMethod((context, params) => {
    const found = blockOf(context, params, "hash")
    return boolOf({ params, at: 1, name: "verbose" }, true) ? headerJson(context, found) : found.block.toHex(true)
  }, "verbose"),
  getblock: blockMethod(getBlock, "verbosity")
}
