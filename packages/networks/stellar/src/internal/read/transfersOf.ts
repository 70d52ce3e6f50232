import type { Memo, Transfer } from "@bursar/core/port/Chain"
import { Result } from "effect"
import { memoOf } from "./memoOf.ts"
import { type Move, movesOf, native } from "./movesOf.ts"
import { accountOf } from "./payerOf.ts"
import { readable } from "../rpc/NodeAnswer.ts"
import { innerHashOf, type ReadOperation } from "./readOperations.ts"
import { type Signed, signedMove, typeOf } from "./signed.ts"
import { TransactionMemo, TransactionResult } from "../rpc/wire.ts"

/** What contracts do: only they are signed for without saying what moves. */
const contractTypes: ReadonlySet<string> = new Set([
  "extend_footprint_ttl",
  "invoke_host_function",
  "restore_footprint"
])

const isSame = (move: Move, signed: ReturnType<typeof signedMove>): boolean =>
  signed !== undefined &&
  move.asset === signed.asset &&
  move.units === signed.units &&
  move.from === signed.from &&
  move.to === signed.to

const isSameMemo = (one: Memo | null, other: Memo | null): boolean =>
  one?.type === other?.type && one?.value === other?.value

/** What an operation moved, if that is what was signed for under the hash of its transaction, and has its result. */
const provenMoves = (
  read: ReadOperation,
  signed: Signed,
  moves: ReadonlyArray<Move>
): Result.Result<ReadonlyArray<Move>, string> =>
  Result.gen(function* () {
    const { index, operation } = read
    const by = signed.operations[index]
    const signedType = by === undefined ? "nothing" : typeOf(by)
    if (signedType !== operation.type) return yield* Result.fail(`it is ${signedType} by what was signed`)
    if (moves.length === 0) return moves
    if (!signed.hashes().includes(operation.transaction_hash)) {
      return yield* Result.fail("what was signed does not give the hash of its transaction")
    }
    if (contractTypes.has(operation.type)) return moves
    const { result_xdr: result } = yield* readable(TransactionResult, read.transactionAnswer)
    const move = signedMove(signed, index, result)
    return moves.every((one) => isSame(one, move)) ? moves : yield* Result.fail("it is not what was signed")
  })

/** What is said of an operation is believed unproven only where it is of a contract, and its envelope of a later protocol. */
const checkedMoves = (read: ReadOperation, moves: ReadonlyArray<Move>): Result.Result<ReadonlyArray<Move>, string> => {
  const signed = read.signed()
  if (signed !== undefined) return provenMoves(read, signed, moves)
  return moves.length === 0 || contractTypes.has(read.operation.type)
    ? Result.succeed(moves)
    : Result.fail("what was signed for it cannot be read")
}

const checkedMemo = (read: ReadOperation): Result.Result<Memo | null, string> =>
  Result.gen(function* () {
    const memo = yield* memoOf(yield* readable(TransactionMemo, read.transactionAnswer))
    const signed = read.signed()
    return signed === undefined || isSameMemo(memo, signed.memo)
      ? memo
      : yield* Result.fail("its memo is not the one that was signed")
  })

/**
 * What an operation moved of the assets that count, or in words why it cannot be read; its memo is read only where it moved any. Zero
 * amounts are no transfers, nor is what an account pays to itself, though it be under another number: its balance stays as it was. What
 * it buys for itself in another asset is one, from nobody.
 *
 * **Details**
 *
 * Payments must be those that were signed under the hash of their transaction, to the amounts of its result. What contracts moved
 * stands in no signature: it is the node's word.
 */
export const transfersOf = (
  assets: ReadonlySet<string>,
  read: ReadOperation
): Result.Result<ReadonlyArray<Transfer>, string> =>
  Result.gen(function* () {
    const moves = (yield* checkedMoves(read, yield* movesOf(assets, read))).filter(
      ({ asset, from, to, units }) =>
        asset !== undefined &&
        (asset === native || assets.has(asset)) &&
        units !== 0n &&
        (from === null || accountOf(from) !== accountOf(to))
    )
    if (moves.length === 0) return []
    const memo = yield* checkedMemo(read)
    const innerHash = innerHashOf(read)
    return moves.map(({ asset, from, to, transferIndex, units }) => ({
      txHash: read.operation.transaction_hash,
      ...innerHash,
      transferIndex,
      contract: asset === native || asset === undefined ? null : asset,
      units,
      from,
      to,
      memo
    }))
  })
