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

/** How long before a send its order may have been made: long enough for a review, and short enough that a token of coinbase's own is none of ours. */
const madeWithinMs = 30 * 86_400_000

const idemForm = /^([0-9a-f]{8})-([0-9a-f]{4})-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/u

/**
 * Whether a token is one that we sent: our references are UUIDs of version 7, which begin with the millisecond in which they were made. Of a random
 * token that is so once in a hundred thousand times.
 */
const isOurForm = (idem: string, createdAt: number): boolean => {
  const [, high = "", low = ""] = idemForm.exec(idem.toLowerCase()) ?? []
  const madeAt = Number.parseInt(`${high}${low}`, 16)
  return madeAt >= createdAt - madeWithinMs && madeAt <= createdAt + skewMs
}

/** The accounts of a coin, the default one first. */
const accountsOf = Effect.fnUntraced(function* (api: Api, coin: string) {
  const [first, ...others] = (yield* accounts(api)).filter(({ currency }) => currency === coin)
  if (first === undefined) return yield* unsent(`there is no ${coin} account at coinbase`)
  return [first.uuid, ...others.map(({ uuid }) => uuid)] as const
})

/** Sends the amount from the default account; what the network costs is taken on top of it. */
export const withdraw = Effect.fnUntraced(function* (api: Api, wire: WireWithdrawal) {
  const [accountId] = yield* beforeSending(accountsOf(api, wire.coin))
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
  // another order of ours, also one that this process has never seen
  if (isOurForm(textOf(row.idem) ?? "", at)) return false
  const to = textOf(row.to?.address)
  return to === null || to.toLowerCase().startsWith(address.toLowerCase())
}

/** A send by coinbase's own id, in whichever account it is. */
const byId = Effect.fnUntraced(function* (
  api: Api,
  [accountId, ...others]: readonly [string, ...ReadonlyArray<string>],
  id: string
): Effect.fn.Return<typeof One.Type, CallError> {
  const asked = (account: string) =>
    api.call("v2PrivateGetAccountsAccountIdTransactionsTransactionId", { account_id: account, transaction_id: id }, One)
  return yield* others.reduce(
    (earlier, account) =>
      Effect.catch(earlier, (error) => (error.kind === "Answered" ? asked(account) : Effect.fail(error))),
    asked(accountId)
  )
})

/** What an account lists, the newest first, down to a time. */
const listed = (api: Api, accountId: string, since: number) =>
  pages<typeof Row.Type, string>("", (after) =>
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

/** By coinbase's own id, or else in the lists of the coin's accounts by the token that we sent with it, which may be followed by more. */
export const withdrawal = Effect.fnUntraced(function* (
  api: Api,
  wire: WireWithdrawal,
  id: string | null
): Effect.fn.Return<Found<WithdrawalReport>, CallError> {
  const ids = yield* accountsOf(api, wire.coin)
  if (id !== null) {
    const { data } = yield* byId(api, ids, id)
    return data.id === id ? found(reportOf(data)) : unclear("coinbase answered with another transaction")
  }
  const rows = (yield* Effect.forEach(ids, (account) => listed(api, account, wire.sentAt - skewMs))).flat()
  const idem = idemOf(wire.reference)
  const own = rows.find((row) => row.idem?.toLowerCase().startsWith(idem) === true)
  if (own !== undefined) return found(reportOf(own))
  return rows.some((row) => couldBe(row, wire))
    ? unclear("a send at coinbase could be it, and does not carry its token")
    : absent
})
