import type { Transfer } from "@bursar/core/port/Chain"
import { Result } from "effect"
import { demux } from "../StellarAddress.ts"
import { memoOf } from "./memoOf.ts"
import { movesOf, native } from "./movesOf.ts"
import { readable } from "./NodeAnswer.ts"
import type { ReadOperation } from "./readOperations.ts"
import { TransactionMemo } from "./wire.ts"

const accountOf = (address: string | null): string | null =>
  address === null ? null : (demux(address)?.account ?? address)

/**
 * What an operation moved of the assets that count, or in words why it cannot be read; its memo is read only where it moved any. Zero
 * amounts are no transfers, nor is what an account pays to itself, though it be under another number: its balance stays as it was.
 */
export const transfersOf = (
  assets: ReadonlySet<string>,
  read: ReadOperation
): Result.Result<ReadonlyArray<Transfer>, string> =>
  Result.gen(function* () {
    const moves = (yield* movesOf(assets, read)).filter(
      ({ asset, from, to, units }) =>
        asset !== undefined &&
        (asset === native || assets.has(asset)) &&
        units !== 0n &&
        accountOf(from) !== accountOf(to)
    )
    if (moves.length === 0) return []
    const memo = memoOf(yield* readable(TransactionMemo, read.transactionAnswer))
    return moves.map(({ asset, from, to, transferIndex, units }) => ({
      txHash: read.operation.transaction_hash,
      transferIndex,
      contract: asset === native || asset === undefined ? null : asset,
      units,
      from,
      to,
      memo
    }))
  })
