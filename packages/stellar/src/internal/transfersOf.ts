import type { ChainError, Transfer } from "@bursar/core/port/Chain"
import { Effect, Schema } from "effect"
import { demux, muxed } from "../StellarAddress.ts"
import * as TransferIndex from "../TransferIndex.ts"
import { memoOf } from "./memoOf.ts"
import { mergedUnits } from "./mergedUnits.ts"
import { decoded, inconsistent } from "./NodeAnswer.ts"
import type { ReadOperation } from "./readOperations.ts"
import { unitsOf } from "./units.ts"
import { AccountMerge, Amount, CreateAccount, InvokeHostFunction, Payment } from "./wire.ts"

/** What moved, before it is known to be of an asset that counts. */
interface Move {
  readonly transferIndex: number
  readonly asset: string | undefined
  readonly units: bigint
  readonly from: string | null
  readonly to: string
}

/** The network's own coin. */
const native = "native"

/** An asset by its code and issuer, never by its code alone. Undefined for shares of pools. */
const assetOf = (named: {
  readonly asset_type: string
  readonly asset_code?: string | null
  readonly asset_issuer?: string | null
}): string | undefined => {
  if (named.asset_type === native) return native
  const { asset_code: code, asset_issuer: issuer } = named
  return code == null || issuer == null ? undefined : `${code}:${issuer}`
}

/** The muxed form where there is one, which must be of the account beside it. */
const addressOf = (
  doing: string,
  account: string,
  muxedForm: string | null | undefined
): Effect.Effect<string, ChainError> => {
  if (muxedForm == null) return Effect.succeed(account)
  return demux(muxedForm)?.account === account
    ? Effect.succeed(muxedForm)
    : Effect.fail(inconsistent(doing, `${muxedForm} is not of the account ${account}`))
}

const payment = Effect.fnUntraced(function* (doing: string, { answer, index }: ReadOperation) {
  const paid = yield* decoded(doing, Payment, answer)
  return {
    transferIndex: TransferIndex.ofOperation(index),
    asset: assetOf(paid),
    units: unitsOf(paid.amount),
    from: yield* addressOf(doing, paid.from, paid.from_muxed),
    to: yield* addressOf(doing, paid.to, paid.to_muxed)
  } satisfies Move
})

const creation = Effect.fnUntraced(function* (doing: string, { answer, index }: ReadOperation) {
  const made = yield* decoded(doing, CreateAccount, answer)
  return {
    transferIndex: TransferIndex.ofOperation(index),
    asset: native,
    units: unitsOf(made.starting_balance),
    from: yield* addressOf(doing, made.funder, made.funder_muxed),
    to: made.account
  } satisfies Move
})

const merge = Effect.fnUntraced(function* (doing: string, { answer, index, operation }: ReadOperation) {
  const merged = yield* decoded(doing, AccountMerge, answer)
  const units = mergedUnits(operation.transaction.result_xdr, index)
  if (units === undefined) return yield* inconsistent(doing, `operation ${operation.id} has no result of a merge`)
  return {
    transferIndex: TransferIndex.ofOperation(index),
    asset: native,
    units,
    from: yield* addressOf(doing, merged.account, merged.account_muxed),
    to: yield* addressOf(doing, merged.into, merged.into_muxed)
  } satisfies Move
})

const uint64 = /^[0-9]{1,20}$/u

const isAmount = Schema.is(Amount)

const changes = Effect.fnUntraced(function* (doing: string, { answer, index, operation }: ReadOperation) {
  const { asset_balance_changes: all } = yield* decoded(doing, InvokeHostFunction, answer)
  const moves: Array<Move> = []
  for (const [nth, change] of (all ?? []).entries()) {
    const { amount, destination_muxed_id: id, destination_muxed_id_type: idType, from, to, type } = change
    // what goes to contracts (C…) is no deposit
    if (!(type === "transfer" || type === "mint") || to == null || !to.startsWith("G")) continue
    if (!isAmount(amount)) return yield* inconsistent(doing, `operation ${operation.id} moves ${amount}`)
    const isNumber = idType === "uint64" && id != null && uint64.test(String(id))
    moves.push({
      transferIndex: TransferIndex.ofBalanceChange(index, nth),
      asset: assetOf(change),
      units: unitsOf(amount),
      from: type === "mint" ? null : (from ?? null),
      to: isNumber ? muxed(to, BigInt(id)) : to
    })
  }
  return moves
})

const movesOf = (doing: string, read: ReadOperation): Effect.Effect<ReadonlyArray<Move>, ChainError> => {
  switch (read.operation.type) {
    case "payment":
    case "path_payment_strict_receive":
    case "path_payment_strict_send":
      return Effect.map(payment(doing, read), (move) => [move])
    case "create_account":
      return Effect.map(creation(doing, read), (move) => [move])
    case "account_merge":
      return Effect.map(merge(doing, read), (move) => [move])
    case "invoke_host_function":
      return changes(doing, read)
    default:
      return Effect.succeed([])
  }
}

const accountOf = (address: string | null): string | null =>
  address === null ? null : (demux(address)?.account ?? address)

/**
 * What an operation moved of the assets that count. Zero amounts are no transfers, nor is what an account pays to itself,
 * though it be under another number: its balance stays as it was.
 */
export const transfersOf = Effect.fnUntraced(function* (
  doing: string,
  assets: ReadonlySet<string>,
  read: ReadOperation
): Effect.fn.Return<ReadonlyArray<Transfer>, ChainError> {
  const moves = yield* movesOf(doing, read)
  const memo = memoOf(read.operation.transaction)
  return moves.flatMap(({ asset, from, to, transferIndex, units }) => {
    if (asset === undefined || units === 0n || accountOf(from) === accountOf(to)) return []
    if (asset !== native && !assets.has(asset)) return []
    const contract = asset === native ? null : asset
    return [{ txHash: read.operation.transaction_hash, transferIndex, contract, units, from, to, memo }]
  })
})
