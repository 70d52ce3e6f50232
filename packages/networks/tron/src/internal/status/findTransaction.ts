import { Effect, Option, Schema } from "effect"
import type { Block, ChainError, Transfer } from "@bursar/core/port/Chain"
import { fromHex } from "../../Address.ts"
import { decoded, inconsistent } from "../rpc/NodeAnswer.ts"
import { readFullBlock } from "../read/readBlock.ts"
import { isEmpty, orUnreachable, readHeader } from "../read/readHeader.ts"
import { outcomeOf } from "../read/readInfos.ts"
import type { Scope } from "../rpc/Rpc.ts"
import { Address, TransactionBody, TransactionInfo } from "../rpc/wire.ts"
import type { SenderContext } from "../build/SenderContext.ts"

/** A transaction in its block, which was read whole. */
export interface Found {
  readonly block: Block
  /** Sun that it burnt, which its owner paid. */
  readonly fee: bigint
  /** Whose transaction it is; null where it does not say so. */
  readonly owner: string | null
  /** What it moved of the assets that are known; nothing where it failed. */
  readonly transfers: ReadonlyArray<Transfer>
  readonly outcome: "succeeded" | "failed" | "unclear"
  /** The memo in hexadecimal. */
  readonly memo: string
}

/** All the ways in which the virtual machine fails, by the names of the protocol. */
const failures: ReadonlySet<string> = new Set([
  "REVERT",
  "BAD_JUMP_DESTINATION",
  "OUT_OF_MEMORY",
  "PRECOMPILED_CONTRACT",
  "STACK_TOO_SMALL",
  "STACK_TOO_LARGE",
  "ILLEGAL_OPERATION",
  "STACK_OVERFLOW",
  "OUT_OF_ENERGY",
  "OUT_OF_TIME",
  "JVM_STACK_OVER_FLOW",
  "TRANSFER_FAILED",
  "INVALID_CODE"
])

const readOwner = Schema.decodeUnknownOption(Schema.Struct({ owner_address: Address }))

const ownerOf = ({ raw_data: { contract } }: TransactionBody): string | null =>
  Option.match(readOwner(contract[0]?.parameter.value), {
    onNone: () => null,
    onSome: ({ owner_address }) => fromHex(owner_address)
  })

/**
 * A transaction that is in a block of a scope, by what its whole block says; undefined where the node knows none, which by itself
 * proves nothing. The lookup by id only tells which block to read.
 */
export const findTransaction = Effect.fn("TronSender.findTransaction")(function* (
  { contracts, node }: SenderContext,
  scope: Scope,
  id: string
): Effect.fn.Return<Found | undefined, ChainError> {
  const doing = `find transaction ${id}`
  const answer = yield* orUnreachable(node.http.call(doing, scope, "gettransactioninfobyid", { value: id }))
  if (isEmpty(answer)) return undefined
  const said = yield* decoded(doing, TransactionInfo, answer)
  if (said.id !== id) return yield* inconsistent(doing, `the node answered with transaction ${said.id}`)
  const header = yield* readHeader(node, scope, said.blockNumber ?? 0)
  const {
    infos,
    shown: _shown,
    transactions,
    transfers,
    unread = [],
    ...ref
  } = yield* readFullBlock(node, contracts, header.hash)
  const transaction = transactions.find(({ txID }) => txID === id)
  const info = infos.get(id)
  if (transaction === undefined || info === undefined) {
    return yield* inconsistent(doing, `it is not in block ${header.hash}, which it is said to be in`)
  }
  const odd = unread.find(({ txHash }) => txHash === id)
  if (odd !== undefined) return yield* inconsistent(doing, odd.reason)
  const body = yield* decoded(doing, TransactionBody, transaction.answer)
  const outcome = outcomeOf(transaction)
  return {
    block: { ...ref, transfers },
    fee: BigInt(info.fee ?? 0),
    owner: ownerOf(body),
    transfers: transfers.filter(({ txHash }) => txHash === id),
    outcome: outcome === "SUCCESS" ? "succeeded" : failures.has(outcome) ? "failed" : "unclear",
    memo: body.raw_data.data ?? ""
  }
})
