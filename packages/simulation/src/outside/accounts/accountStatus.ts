import type { ReplayGuard, SignedAttempt, TransactionStatus } from "@bursar/core/port/ChainSender"
import type { AccountBlock, AccountChain } from "./AccountChain.ts"

/** Those of some transactions that stand in blocks, and how. */
const minedOf = (blocks: ReadonlyArray<AccountBlock>, hashes: ReadonlySet<string>) =>
  blocks.flatMap(({ number, time, transactions }) =>
    transactions
      .filter(({ hash }) => hashes.has(hash))
      .map(({ fee, hash, reverted }) => ({ hash, blockNumber: number, blockTime: time, fee, reverted }))
  )

const finalOf = ({ reverted, ...mined }: ReturnType<typeof minedOf>[number]): TransactionStatus => ({
  _tag: "Final",
  ...mined,
  effect: reverted ? "reverted" : "done"
})

/** Another transaction that took the number. */
const replacedIn = (
  finals: ReadonlyArray<AccountBlock>,
  { account, sequence }: ReplayGuard & { readonly _tag: "Sequence" }
): TransactionStatus | undefined => {
  const other = finals
    .flatMap(({ transactions }) => transactions)
    .find((one) => one.from === account && one.sequence === sequence)
  return (
    other && { _tag: "Invalidated", reason: "replaced_on_chain", by: other.hash, detail: "another took its number" }
  )
}

/**
 * What became of transactions that share a replay guard, by a chain as a node has it. Where they expire, one that may still come is waited for, though
 * another was reverted; and none can come any more once the newest block that cannot be replaced is later.
 */
export const accountStatus = (
  chain: AccountChain,
  guard: ReplayGuard,
  sent: ReadonlyArray<SignedAttempt>
): TransactionStatus => {
  const hashes = new Set(sent.map(({ hash }) => hash))
  const blocks = chain.blocks()
  const finals = blocks.slice(0, chain.finalCount())
  const settled = minedOf(finals, hashes)
  const final = settled.find(({ reverted }) => !reverted) ?? settled[0]
  if (final !== undefined && (guard._tag === "Sequence" || !final.reverted)) return finalOf(final)
  const [included] = minedOf(blocks.slice(finals.length), hashes)
  if (included !== undefined) return { _tag: "Included", hash: included.hash, blockNumber: included.blockNumber }
  const pending: TransactionStatus = { _tag: "Pending", known: chain.waiting().some(({ hash }) => hashes.has(hash)) }
  if (guard._tag === "Sequence") return replacedIn(finals, guard) ?? pending
  const last = finals.at(-1)
  const isOver = ({ hash, validUntil }: SignedAttempt): boolean =>
    settled.some((one) => one.hash === hash) || (validUntil !== null && validUntil < (last?.time ?? 0))
  if (sent.length === 0 || !sent.every(isOver)) return pending
  return final === undefined
    ? { _tag: "Invalidated", reason: "expired_unsent", by: null, detail: `in no block up to ${last?.number}` }
    : finalOf(final)
}
