import type { BlockRef, ChainError } from "@bursar/core/port/Chain"
import type { TransactionStatus, SignedAttempt } from "@bursar/core/port/ChainSender"
import { Effect, Result } from "effect"
import { fromHex } from "../../Address.ts"
import type { Node } from "../rpc/Node.ts"
import { inconsistent } from "../rpc/NodeAnswer.ts"
import { isEmpty, latestOf } from "../read/readHeader.ts"
import { type Found, findTransaction } from "./findTransaction.ts"
import { proveAbsence } from "./proveAbsence.ts"
import { type Action, decodeRaw, idOf, rawBytesIn, type RawTransaction } from "../build/RawTransaction.ts"
import type { SenderContext } from "../build/SenderContext.ts"

/** What became of one transaction. */
type State =
  | Exclude<TransactionStatus, { readonly _tag: "Invalidated" }>
  | { readonly _tag: "Expired"; readonly id: string; readonly through: BlockRef }

/** What was signed, read from the stored bytes. Bytes that are not those of their hash are a bug, not an answer of the chain. */
const rawOf = ({ hash, raw }: SignedAttempt): RawTransaction => {
  const bytes = rawBytesIn(raw)
  if (bytes === undefined || idOf(bytes) !== hash) throw new Error(`the stored bytes are not those of ${hash}`)
  return Result.getOrThrowWith(decodeRaw(bytes), (reason) => new Error(`${hash}: ${reason}`))
}

const contractOf = (action: Action): string | null => (action._tag === "Token" ? fromHex(action.contract) : null)

/** Whether a transaction did what it was for. What succeeded without the transfer is for a person to look at. */
const effectOf = ({ action }: RawTransaction, { outcome, transfers }: Found): "done" | "reverted" | "missing" => {
  if (outcome === "failed") return "reverted"
  const done = transfers.some(
    ({ contract, from, to, units }) =>
      contract === contractOf(action) &&
      from === fromHex(action.owner) &&
      to === fromHex(action.to) &&
      units === action.units
  )
  return outcome === "succeeded" && done ? "done" : "missing"
}

/** Whether the node has a transaction that is in no block yet. Not every node says so; it decides nothing. */
const isWaiting = (node: Node, id: string): Effect.Effect<boolean, ChainError> => {
  const doing = `ask for the waiting transaction ${id}`
  const known = (endpoint: string) =>
    Effect.map(node.http.call(doing, "wallet", endpoint, { value: id }), (answer) => !isEmpty(answer))
  return Effect.catchTag(known("gettransactionfrompending"), "MissingEndpoint", () => Effect.succeed(false))
}

const stateOf = Effect.fnUntraced(function* (
  context: SenderContext,
  transaction: SignedAttempt,
  solid: BlockRef
): Effect.fn.Return<State, ChainError> {
  const { hash } = transaction
  const raw = rawOf(transaction)
  const final = yield* findTransaction(context, "walletsolidity", hash)
  if (final !== undefined) {
    const { block, fee } = final
    return {
      _tag: "Final",
      hash,
      blockNumber: block.number,
      blockTime: block.time,
      fee,
      effect: effectOf(raw, final)
    }
  }
  // The solidified blocks were read before the transaction was looked for among them, so it cannot have come in between.
  if (solid.time > Number(raw.expiration)) {
    return { _tag: "Expired", id: hash, through: yield* proveAbsence(context.node, hash, raw, solid) }
  }
  const included = yield* findTransaction(context, "wallet", hash)
  return included === undefined
    ? { _tag: "Pending", known: yield* isWaiting(context.node, hash) }
    : { _tag: "Included", hash, blockNumber: included.block.number }
})

const is =
  <T extends State["_tag"]>(tag: T) =>
  (state: State): state is State & { readonly _tag: T } =>
    state._tag === tag

/**
 * What became of an order's transactions.
 *
 * **Details**
 *
 * Final is what is in a solidified block. Impossible is an order all of whose transactions are proven to have expired unsent: the
 * newest solidified block is past the expiration, and the transaction is in none of the blocks in which it could be. Nothing on tron
 * excludes the second of two transactions, so one that may still come is waited for even where another has failed; and where two
 * took effect, that is an error for a person to look at, and no fate.
 */
export const readStatus = Effect.fn("TronSender.status")(function* (
  context: SenderContext,
  transactions: ReadonlyArray<SignedAttempt>
): Effect.fn.Return<TransactionStatus, ChainError> {
  const solid = yield* latestOf(context.node, "walletsolidity")
  const states = yield* Effect.forEach(transactions, (transaction) => stateOf(context, transaction, solid))
  const finals = states.filter(is("Final"))
  const effective = finals.filter(({ effect }) => effect !== "reverted")
  const [effected] = effective
  if (effective.length > 1) {
    return yield* inconsistent(
      "follow an order",
      `more than one of its transactions took effect: ${effective.map(({ hash }) => hash).join(", ")}`
    )
  }
  const open = effected ?? states.find(is("Included"))
  if (open !== undefined) return open
  const waiting = states.filter(is("Pending"))
  if (waiting.length > 0) return { _tag: "Pending", known: waiting.some(({ known }) => known) }
  const [reverted] = finals
  if (reverted !== undefined) return reverted
  const expired = states.filter(is("Expired"))
  const [first] = expired
  if (first === undefined) return { _tag: "Pending", known: false }
  return {
    _tag: "Invalidated",
    reason: "expired_unsent",
    by: null,
    detail: `${expired.map(({ id }) => id).join(", ")}: in no block up to ${first.through.number}, which is past the expiration`
  }
})
