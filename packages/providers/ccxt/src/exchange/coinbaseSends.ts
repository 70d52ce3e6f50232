import { DateTime, Effect, Option, Schema } from "effect"
import type { Api } from "../internal/Api.ts"
import { type CallError, unanswered, unsent } from "../internal/CallError.ts"
import { absent, type Found, found, unclear, type WireWithdrawal, type WithdrawalReport } from "../internal/Profile.ts"
import { beforeSending, DecimalText, MaybeText, pages, textOf } from "../internal/wire.ts"
import { accounts } from "./coinbaseAccounts.ts"

const Sum = Schema.Struct({ amount: DecimalText })
const Row = Schema.Struct({
  id: Schema.String,
  type: Schema.String,
  status: Schema.String,
  created_at: Schema.String,
  idem: MaybeText,
  to: Schema.optionalKey(Schema.NullOr(Schema.Struct({ address: MaybeText }))),
  network: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        hash: MaybeText,
        transaction_fee: Schema.optionalKey(Schema.NullOr(Sum))
      })
    )
  )
})
const One = Schema.Struct({ data: Row })
const Page = Schema.Struct({
  data: Schema.Array(Row),
  pagination: Schema.Struct({ next_starting_after: MaybeText })
})

const pageSize = 100

/** How far coinbase's clock may be from ours. */
const skewMs = 60_000

/** How long after it was sent coinbase may still take a send: it refuses what was signed more than two minutes before. */
const takenWithinMs = 600_000

/** Coinbase takes a UUID of version 4; ours with another version digit is one, and as unique. */
export const idemOf = (reference: string): string => `${reference.slice(0, 14)}4${reference.slice(15)}`

const accountOf = Effect.fnUntraced(function* (api: Api, coin: string) {
  const account = (yield* accounts(api)).find(({ currency }) => currency === coin)
  return account === undefined ? yield* unsent(`there is no ${coin} account at coinbase`) : account.uuid
})

/** Sends the amount; what the network costs is taken on top of it. */
export const withdraw = Effect.fnUntraced(function* (api: Api, wire: WireWithdrawal) {
  const accountId = yield* beforeSending(accountOf(api, wire.coin))
  const { data } = yield* api.send(
    "v2PrivatePostAccountsAccountIdTransactions",
    {
      account_id: accountId,
      type: "send",
      to: wire.address,
      amount: wire.amount,
      currency: wire.coin,
      network: wire.network,
      idem: idemOf(wire.reference),
      ...(wire.memo === null ? {} : { destination_tag: wire.memo })
    },
    One,
    wire.sendBefore
  )
  return data.id
})

const failed = new Set(["failed", "expired", "canceled"])

const reportOf = (row: typeof Row.Type): WithdrawalReport => ({
  id: row.id,
  status: row.status === "completed" ? "settled" : failed.has(row.status) ? "failed" : "pending",
  txHash: textOf(row.network?.hash),
  fee: row.network?.transaction_fee?.amount ?? null,
  reason: failed.has(row.status) ? `coinbase reports ${row.status}` : null
})

const instant = (text: string) => Option.map(DateTime.make(text), DateTime.toEpochMillis)

/**
 * Whether a send that carries another token than ours may be ours all the same: coinbase was seen to write one of its own.
 * Its amount does not tell, because it is with or without what the network costs.
 */
const couldBe = (row: typeof Row.Type, wire: WireWithdrawal): boolean => {
  const { address, isOthers, sendBefore, sentAt } = wire
  if (row.type !== "send" || isOthers(row.id)) return false
  const at = Option.getOrElse(instant(row.created_at), () => sentAt)
  if (at < sentAt - skewMs || at > sendBefore + takenWithinMs) return false
  const to = textOf(row.to?.address)
  return to === null || to.toLowerCase().startsWith(address.toLowerCase())
}

/** By coinbase's own id, or else in the list of the account by the token that we sent with it, which may be followed by more. */
export const withdrawal = Effect.fnUntraced(function* (
  api: Api,
  wire: WireWithdrawal,
  id: string | null
): Effect.fn.Return<Found<WithdrawalReport>, CallError> {
  const accountId = yield* accountOf(api, wire.coin)
  if (id !== null) {
    const { data } = yield* api.call(
      "v2PrivateGetAccountsAccountIdTransactionsTransactionId",
      { account_id: accountId, transaction_id: id },
      One
    )
    return data.id === id ? found(reportOf(data)) : unclear("coinbase answered with another transaction")
  }
  const since = wire.sentAt - skewMs
  const rows = yield* pages<typeof Row.Type, string>("", (after) =>
    Effect.gen(function* () {
      const page = yield* api.call(
        "v2PrivateGetAccountsAccountIdTransactions",
        { account_id: accountId, limit: pageSize, ...(after === "" ? {} : { starting_after: after }) },
        Page
      )
      const last = page.data.at(-1)
      const oldest = last === undefined ? Option.some(0) : instant(last.created_at)
      if (Option.isNone(oldest)) return yield* unanswered("coinbase gave a date that cannot be read")
      return { rows: page.data, next: oldest.value < since ? null : textOf(page.pagination.next_starting_after) }
    })
  )
  const idem = idemOf(wire.reference)
  const own = rows.find((row) => row.idem?.toLowerCase().startsWith(idem) === true)
  if (own !== undefined) return found(reportOf(own))
  return rows.some((row) => couldBe(row, wire))
    ? unclear("a send at coinbase could be it, and does not carry its token")
    : absent
})
