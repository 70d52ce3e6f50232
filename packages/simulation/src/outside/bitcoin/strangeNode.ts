import { makeNode, type Node } from "@bursar/simulator-bitcoin/Node"
import { scriptOf } from "@bursar/simulator-bitcoin/scripts"
import type { Tx } from "@bursar/simulator-bitcoin/Tx"
import type { Wallet } from "@bursar/simulator-bitcoin/Wallet"
import type { Random } from "../../kernel/Random.ts"
import type { Paid } from "../Chain.ts"
import type { Faults } from "../Faults.ts"
import { type Mood, strangeMood } from "../strangeMood.ts"
import { giveBlocks, offer } from "./relay.ts"

/** A node of another operator. Its blocks are mined with as much work as any: only the chain that grows on shows that they are not the network's. */
export interface StrangeNode {
  readonly node: Node
  /** Gives it a transaction, which it may forget. */
  readonly give: (tx: Tx) => void
  /** What it was handed by the service: false where it forgets it, and tells nobody. */
  readonly keeps: (tx: Tx) => boolean
  /** A block was mined somewhere: it takes the network's, or goes on with its own. */
  readonly follow: () => void
}

/** What stands around such a node. */
export interface StrangeNodeOptions {
  /** The network. */
  readonly truth: Node
  readonly outsider: Wallet
  /** With so many blocks on it a block counts as final. */
  readonly finality: number
  /** What somebody outside has paid last. */
  readonly lastPaid: () => Paid | undefined
  readonly faults: Faults
  readonly random: Random
  /** In seconds. */
  readonly seconds: () => number
  readonly now: () => number
  readonly note: (what: string) => void
}

/** Who mines its branch: somebody else than mines the network's, or a block of it could be the very one of the network. */
const miner = Uint8Array.of(0x00, 0x14, ...new Uint8Array(20))

/** Nobody is asked of bitcoin what an account holds. */
const without: ReadonlySet<Mood> = new Set(["poor"])

/**
 * A node that for a while gets no blocks, mines a branch of its own on which somebody is paid again, takes into such a branch what waits, or
 * forgets what it is given. When that is over, it gets all blocks of the network's.
 */
export const strangeNode = (options: StrangeNodeOptions): StrangeNode => {
  const { faults, finality, lastPaid, note, now, outsider, random, seconds, truth } = options
  const node = makeNode()
  let forged: ReadonlyArray<string> = []
  /** The first block of its own branch, where it is on one. */
  let branch: string | undefined

  /** Whoever runs it sets it right: a branch is never so long that the service could not follow it back. */
  const setRight = (): void => {
    if (branch !== undefined) node.invalidate(branch, seconds())
    branch = undefined
  }
  const mood = strangeMood({ faults, random, now, note, without, begun: setRight })

  const catchUp = (): void => {
    setRight()
    giveBlocks(truth, node, seconds())
    node.mempool.drop(forged)
    node.mempool.drop([...node.mempool.entries.keys()].filter((id) => !truth.mempool.entries.has(id)))
  }

  /** A block of its own, with what somebody outside pays once more. */
  const forge = (): void => {
    const paid = lastPaid()
    const script = paid && scriptOf(paid.to)
    const tx = script && paid ? outsider.pay(node, [{ script, units: paid.units }]) : undefined
    if (tx !== undefined) {
      offer(node, tx, seconds())
      forged = [...forged, tx.txid]
    }
    const entry = tx && node.mempool.entries.get(tx.txid)
    const block = node.mineOnly(entry === undefined ? [] : [entry], entry?.fee ?? 0n, miner, seconds())
    branch ??= block
  }

  /** What waits goes into blocks of its own, deep enough to be taken for final. */
  const settle = (): void => {
    if (branch === undefined) [branch] = node.mine(finality, miner, seconds())
  }

  const follow = (): void => {
    switch (mood()) {
      case "behind":
        return
      case "elsewhere":
        return forge()
      case "settling":
        return settle()
      case "forgetting":
      case "honest":
      case "poor":
        return catchUp()
    }
  }

  catchUp()

  return {
    node,
    follow,
    give: (tx) => {
      if (mood() !== "forgetting") offer(node, tx, seconds())
    },
    keeps: ({ txid }) => {
      if (mood() !== "forgetting") return true
      node.mempool.drop([txid])
      return false
    }
  }
}
