import { Result } from "effect"
import { demux, muxed, parseStellarAddress } from "../../Address.ts"
import * as TransferIndex from "./TransferIndex.ts"
import { payerOf } from "./payerOf.ts"
import { readable } from "../rpc/NodeAnswer.ts"
import type { ReadOperation } from "./readOperations.ts"
import { mergedUnits } from "./results.ts"
import { unitsOf } from "../rpc/wire.ts"
import {
  AccountMerge,
  Amount,
  BalanceChange,
  CreateAccount,
  InvokeHostFunction,
  Payment,
  SentAsset,
  TransactionResult
} from "../rpc/wire.ts"

/** What moved, before it is known to be of an asset that counts. */
export interface Move {
  readonly transferIndex: number
  /** The network's own coin as {@link native}, any other by its code and issuer. Undefined for shares of pools. */
  readonly asset: string | undefined
  readonly units: bigint
  /** The account that has less of the asset by it; null where none is known. */
  readonly from: string | null
  readonly to: string
}

/** What was read of an operation, or in words why it cannot be. */
export type Read = Result.Result<ReadonlyArray<Move>, string>

/** The network's own coin. */
export const native = "native"

/** An asset by its code and issuer, never by its code alone. Undefined for shares of pools. */
export const assetOf = (named: {
  readonly asset_type: string
  readonly asset_code?: string | null | undefined
  readonly asset_issuer?: string | null | undefined
}): string | undefined => {
  if (named.asset_type === native) return native
  const { asset_code: code, asset_issuer: issuer } = named
  return code == null || issuer == null ? undefined : `${code}:${issuer}`
}

/** The muxed form where there is one, which must be of the account beside it. */
const addressOf = (account: string, muxedForm: string | null | undefined): Result.Result<string, string> => {
  if (muxedForm == null) return Result.succeed(account)
  return demux(muxedForm)?.account === account
    ? Result.succeed(muxedForm)
    : Result.fail(`${muxedForm} is not of the account ${account}`)
}

const paymentOf = ({ answer, index }: ReadOperation) =>
  Result.gen(function* () {
    const paid = yield* readable(Payment, answer)
    const from = yield* addressOf(paid.from, paid.from_muxed)
    const to = yield* addressOf(paid.to, paid.to_muxed)
    const transferIndex = TransferIndex.ofOperation(index)
    return [{ transferIndex, asset: assetOf(paid), units: unitsOf(paid.amount), from, to }]
  })

/** A payment whose sender may have paid otherwise than in what arrives: see `payerOf`. */
const pathPayment = (read: ReadOperation): Read =>
  Result.gen(function* () {
    const { path, ...source } = yield* readable(SentAsset, read.answer)
    const sent = assetOf({
      asset_type: source.source_asset_type,
      asset_code: source.source_asset_code,
      asset_issuer: source.source_asset_issuer
    })
    const between = path?.length ?? 0
    const moves = yield* paymentOf(read)
    return moves.map((move) => ({ ...move, from: payerOf({ ...move, sent, arrived: move.asset, between }) }))
  })

const creation = ({ answer, index }: ReadOperation): Read =>
  Result.gen(function* () {
    const made = yield* readable(CreateAccount, answer)
    const from = yield* addressOf(made.funder, made.funder_muxed)
    const transferIndex = TransferIndex.ofOperation(index)
    return [{ transferIndex, asset: native, units: unitsOf(made.starting_balance), from, to: made.account }]
  })

const merge = ({ answer, index, transactionAnswer }: ReadOperation): Read =>
  Result.gen(function* () {
    const merged = yield* readable(AccountMerge, answer)
    const { result_xdr: result } = yield* readable(TransactionResult, transactionAnswer)
    const units = mergedUnits(result, index)
    if (units === undefined) return yield* Result.fail("it has no result of a merge")
    const from = yield* addressOf(merged.account, merged.account_muxed)
    const to = yield* addressOf(merged.into, merged.into_muxed)
    return [{ transferIndex: TransferIndex.ofOperation(index), asset: native, units, from, to }]
  })

const uint64 = /^[0-9]{1,20}$/u
const uint64Max = 2n ** 64n - 1n

/** The types of ids that are written beside a transfer and do not make another receiver of it. */
const notesTypes: ReadonlySet<string> = new Set(["string", "bytes"])

/**
 * The receiver of a change under the number beside it. Horizon tells the type of that number up to 23.0.0-rc1 and no more since:
 * contracts take no other than numbers of 64 bits for an address.
 */
const receiverOf = (
  to: string,
  { destination_muxed_id: id, destination_muxed_id_type: type }: BalanceChange
): Result.Result<string, string> => {
  if (id == null || id === "" || notesTypes.has(type ?? "")) return Result.succeed(to)
  const text = String(id)
  if ((type ?? "uint64") !== "uint64" || !uint64.test(text) || BigInt(text) > uint64Max || demux(to) !== undefined)
    return Result.fail(`its receiver's number is ${text}, of type ${type ?? "unknown"}`)
  return Result.succeed(muxed(to, BigInt(text)))
}

/** What takes from an account and gives to none. */
const takes: ReadonlySet<string> = new Set(["burn", "clawback"])

/** What goes to contracts (C…) is no deposit. */
const isAccount = (to: string): boolean => to.startsWith("G") || to.startsWith("M")

const change = (
  assets: ReadonlySet<string>,
  { index }: ReadOperation,
  answer: unknown,
  nth: number
): Result.Result<Move | undefined, string> =>
  Result.gen(function* () {
    const read = yield* readable(BalanceChange, answer)
    const { amount, from, to, type } = read
    const asset = assetOf(read)
    const counts = asset === native || (asset !== undefined && assets.has(asset))
    if (!counts || to == null || takes.has(type) || !isAccount(to)) return undefined
    if (type !== "transfer" && type !== "mint") return yield* Result.fail(`a change of the unknown type ${type}`)
    yield* readable(Amount, amount)
    if (Result.isFailure(parseStellarAddress(to))) return yield* Result.fail(`its receiver, ${to}, is no account`)
    return {
      transferIndex: TransferIndex.ofBalanceChange(index, nth),
      asset,
      units: unitsOf(amount),
      from: type === "mint" ? null : (from ?? null),
      to: yield* receiverOf(to, read)
    }
  })

const changes = (assets: ReadonlySet<string>, read: ReadOperation): Read =>
  Result.gen(function* () {
    const { asset_balance_changes: all } = yield* readable(InvokeHostFunction, read.answer)
    const moves: Array<Move> = []
    for (const [nth, answer] of (all ?? []).entries()) {
      const move = yield* change(assets, read, answer, nth)
      if (move !== undefined) moves.push(move)
    }
    return moves
  })

/** Operations that pay nobody: what they give somebody is a trade, a claim or a withdrawal of one's own. */
const payingNobody: ReadonlySet<string> = new Set([
  "allow_trust",
  "begin_sponsoring_future_reserves",
  "bump_sequence",
  "change_trust",
  "claim_claimable_balance",
  "clawback",
  "clawback_claimable_balance",
  "create_claimable_balance",
  "create_passive_sell_offer",
  "end_sponsoring_future_reserves",
  "extend_footprint_ttl",
  "inflation",
  "liquidity_pool_deposit",
  "liquidity_pool_withdraw",
  "manage_buy_offer",
  "manage_data",
  "manage_sell_offer",
  "restore_footprint",
  "revoke_sponsorship",
  "set_options",
  "set_trust_line_flags"
])

/** What an operation moved; of what contracts move, only the assets that count. */
export const movesOf = (assets: ReadonlySet<string>, read: ReadOperation): Read => {
  const { type } = read.operation
  switch (type) {
    case "payment":
      return paymentOf(read)
    case "path_payment_strict_receive":
    case "path_payment_strict_send":
      return pathPayment(read)
    case "create_account":
      return creation(read)
    case "account_merge":
      return merge(read)
    case "invoke_host_function":
      return changes(assets, read)
    default:
      return payingNobody.has(type) ? Result.succeed([]) : Result.fail(`its type, ${type}, is not known`)
  }
}
