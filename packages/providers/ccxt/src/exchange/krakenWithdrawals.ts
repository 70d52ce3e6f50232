import { Effect, Schema } from "effect"
import type { Api } from "../internal/Api.ts"
import { unsent } from "../internal/CallError.ts"
import { isEqual, parse, plus } from "../internal/Exact.ts"
import {
  absent,
  type Found,
  found,
  type Terms,
  unclear,
  type WireWithdrawal,
  type WithdrawalReport
} from "../internal/Profile.ts"
import { beforeSending, DecimalText, exactOf, MaybeText, pages, textOf } from "../internal/wire.ts"
import { krakenName } from "./krakenCoins.ts"

const Methods = Schema.Struct({
  result: Schema.Array(
    Schema.Struct({
      method: Schema.String,
      network: MaybeText,
      fee: Schema.optionalKey(Schema.NullOr(Schema.Struct({ fee: MaybeText })))
    })
  )
})
const Addresses = Schema.Struct({
  result: Schema.Array(
    Schema.Struct({
      address: Schema.String,
      method: Schema.String,
      key: Schema.String,
      memo: MaybeText,
      tag: MaybeText,
      verified: Schema.Boolean
    })
  )
})
const Withdrawn = Schema.Struct({ result: Schema.Struct({ refid: Schema.String }) })
const Row = Schema.Struct({
  refid: Schema.String,
  method: Schema.String,
  txid: MaybeText,
  info: MaybeText,
  amount: DecimalText,
  fee: DecimalText,
  time: Schema.Number,
  status: Schema.String
})
const Status = Schema.Struct({
  result: Schema.Struct({ withdrawals: Schema.Array(Row), next_cursor: MaybeText })
})

const pageSize = 500

/** How far kraken's clock may be from ours. */
const skewMs = 30_000

const methodsOn = (api: Api, coin: string, networks: ReadonlyArray<string>) =>
  Effect.map(api.call("privatePostWithdrawMethods", { asset: krakenName(coin) }, Methods), ({ result }) =>
    result.filter(({ network }) => network != null && networks.includes(network))
  )

/** The first method on a network. */
export const terms = (api: Api, coin: string, networks: ReadonlyArray<string>) =>
  Effect.map(methodsOn(api, coin, networks), ([first]): Terms | null =>
    first === undefined ? null : { network: first.network ?? "", fee: exactOf(first.fee?.fee) }
  )

/** Kraken sends to addresses that were saved on its site, by the name they have there. */
const savedName = Effect.fnUntraced(function* (api: Api, { address, coin, memo, network }: WireWithdrawal) {
  const methods = new Set((yield* methodsOn(api, coin, [network])).map(({ method }) => method))
  const { result } = yield* api.call("privatePostWithdrawAddresses", { asset: krakenName(coin) }, Addresses)
  const saved = result.find(
    (row) =>
      row.verified &&
      row.address === address &&
      methods.has(row.method) &&
      (textOf(row.memo) ?? textOf(row.tag)) === memo
  )
  if (saved === undefined) return yield* unsent("the address is not saved and verified at kraken")
  return saved.key
})

/** Sends to the saved address, naming the address too, so that a name that was changed meanwhile is refused. */
export const withdraw = Effect.fnUntraced(function* (api: Api, withdrawal: WireWithdrawal) {
  const key = yield* beforeSending(savedName(api, withdrawal))
  const { address, amount, coin, sendBefore } = withdrawal
  const { result } = yield* api.send(
    "privatePostWithdraw",
    { asset: krakenName(coin), key, address, amount },
    Withdrawn,
    sendBefore
  )
  return result.refid
})

const statusOf = (status: string) => (status === "Success" ? "settled" : status === "Failure" ? "failed" : "pending")

const reportOf = (row: typeof Row.Type): WithdrawalReport => ({
  id: row.refid,
  status: statusOf(row.status),
  txHash: textOf(row.txid),
  fee: row.fee,
  reason: row.status === "Failure" ? "kraken could not send it" : null
})

/**
 * Kraken knows no reference of ours. Its own id finds a withdrawal; without it, only what looks the same does: coin, address,
 * what left and when. One is an answer, none or two are not.
 */
export const withdrawal = Effect.fnUntraced(function* (
  api: Api,
  wire: WireWithdrawal,
  id: string | null
): Effect.fn.Return<Found<WithdrawalReport>, Effect.Error<ReturnType<typeof methodsOn>>> {
  const since = wire.sentAt - skewMs
  const rows = yield* pages<typeof Row.Type, string | true>(true, (cursor) =>
    Effect.map(
      api.call(
        "privatePostWithdrawStatus",
        { asset: krakenName(wire.coin), start: String(Math.floor(since / 1_000)), limit: pageSize, cursor },
        Status
      ),
      ({ result }) => ({ rows: result.withdrawals, next: textOf(result.next_cursor) })
    )
  )
  if (id !== null) {
    const own = rows.find(({ refid }) => refid === id)
    return own === undefined ? absent : found(reportOf(own))
  }
  const wanted = parse(wire.amount)
  const methods = new Set((yield* methodsOn(api, wire.coin, [wire.network])).map(({ method }) => method))
  const candidates = rows.filter(
    (row) =>
      wanted !== undefined &&
      isEqual(plus(row.amount, row.fee), wanted) &&
      row.info === wire.address &&
      methods.has(row.method) &&
      row.time * 1_000 >= since &&
      !wire.isOthers(row.refid)
  )
  const [only, ...others] = candidates
  if (only === undefined) return absent
  return others.length === 0
    ? found(reportOf(only))
    : unclear(`${candidates.length} withdrawals at kraken look like it`)
})
