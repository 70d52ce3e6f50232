import { createHash } from "node:crypto"
import type { Random } from "../../kernel/Random.ts"
import type { Faults } from "../Faults.ts"
import { strangeMood } from "../strangeMood.ts"
import type { AccountBlock, AccountChain } from "./AccountChain.ts"

/** A node of another operator, which is behind or lies for a while, and what it has of the chain. */
export interface StrangeNodeOptions {
  readonly chain: AccountChain
  readonly faults: Faults
  readonly random: Random
  readonly now: () => number
  readonly note: (what: string) => void
}

const hashOf = (text: string): string => `0x${createHash("sha256").update(text).digest("hex")}`

/** So many blocks it is behind at most. */
const behindMax = 4

/**
 * The chain as a node of another operator has it. Now and then, for a while, it is some blocks behind, is on a branch of its own where somebody was paid
 * again, takes for final what waits, does not know what it was given, or finds half of what accounts hold.
 */
export const strangeChain = ({ chain, faults, note, now, random }: StrangeNodeOptions): AccountChain => {
  let from = 0
  let behind = 0
  const turn = strangeMood({
    faults,
    random,
    now,
    note,
    begun: () => {
      from = chain.finalCount() + random.below(2)
      behind = 1 + random.below(behindMax)
    }
  })
  const forged = (
    block: AccountBlock,
    parentHash: string,
    transactions: AccountBlock["transactions"]
  ): AccountBlock => ({
    ...block,
    hash: hashOf(`${parentHash} ${block.number}`),
    parentHash,
    transactions
  })
  /** A payment again that somebody got before. */
  const again = (blocks: ReadonlyArray<AccountBlock>): AccountBlock["transactions"] => {
    const [last] = blocks.flatMap(({ transactions }) => transactions.filter(({ outside }) => outside)).slice(-1)
    return last === undefined ? [] : [{ ...last, hash: hashOf(`again ${last.hash}`) }]
  }
  const waiting = (): AccountBlock["transactions"] =>
    chain.waiting().map((one) => ({ ...one, reverted: false, fee: 0n }))
  const branch = (): ReadonlyArray<AccountBlock> => {
    const real = chain.blocks()
    let parent = real[from - 1]?.hash ?? ""
    return real.map((block, at) => {
      if (at < from) return block
      const own = at > from ? [] : turn() === "settling" ? waiting() : again(real.slice(0, from))
      const made = forged(block, parent, own)
      parent = made.hash
      return made
    })
  }
  const blocks = (): ReadonlyArray<AccountBlock> => {
    const real = chain.blocks()
    switch (turn()) {
      case "behind":
        return real.slice(0, Math.max(1, real.length - behind))
      case "elsewhere":
      case "settling":
        return branch()
      case "honest":
      case "forgetting":
      case "poor":
        return real
    }
  }
  return {
    ...chain,
    blocks,
    finalCount: () => (turn() === "settling" ? blocks().length : chain.finalCount()),
    holds: (...asked) => chain.holds(...asked) / (turn() === "poor" ? 2n : 1n),
    waiting: () => (turn() === "forgetting" ? [] : chain.waiting()),
    take: (transaction) => (turn() === "forgetting" ? "taken" : chain.take(transaction))
  }
}
