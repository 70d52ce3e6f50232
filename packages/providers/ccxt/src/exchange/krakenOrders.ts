import { Effect, Schema } from "effect"
import type { Api } from "../internal/Api.ts"
import type { CallError } from "../internal/CallError.ts"
import { minus, plus, zero } from "../internal/Exact.ts"
import { filledBy, type Filling } from "../internal/filled.ts"
import { absent, type Found, found, type OrderReport, type WireOrder } from "../internal/Profile.ts"
import { unlisted } from "../internal/unlisted.ts"
import { DecimalText, MaybeText, pages } from "../internal/wire.ts"
import { commonName, krakenName } from "./krakenCoins.ts"

const Added = Schema.Struct({ result: Schema.Struct({ txid: Schema.NonEmptyArray(Schema.String) }) })
const Order = Schema.Struct({
  cl_ord_id: MaybeText,
  status: Schema.String,
  opentm: Schema.Number,
  closetm: Schema.optionalKey(Schema.NullOr(Schema.Number)),
  vol_exec: DecimalText,
  trades: Schema.optionalKey(Schema.Array(Schema.String)),
  reason: MaybeText
})
const Orders = Schema.Record(Schema.String, Order)
const Open = Schema.Struct({ result: Schema.Struct({ open: Orders }) })
const Closed = Schema.Struct({ result: Schema.Struct({ closed: Orders }) })
const Entries = Schema.Struct({
  result: Schema.Struct({
    ledger: Schema.Record(
      Schema.String,
      Schema.Struct({ refid: Schema.String, asset: Schema.String, amount: DecimalText, fee: DecimalText })
    ),
    count: Schema.Int
  })
})

/** Fees are taken from what is received: nothing but the amount leaves. A buy spends the amount of the quote. */
export const order = (api: Api, { amount, market, reference, sendBefore, side }: WireOrder) =>
  Effect.map(
    api.send(
      "privatePostAddOrder",
      {
        pair: market.id,
        type: side,
        ordertype: "market",
        volume: amount,
        oflags: side === "buy" ? "viqc,fcib" : "fciq",
        cl_ord_id: reference
      },
      Added,
      sendBefore
    ),
    ({ result }) => result.txid[0]
  )

const ours = (orders: typeof Orders.Type, reference: string) =>
  Object.entries(orders).find(([, { cl_ord_id }]) => cl_ord_id === reference)

/** How long after an order closed its entries are dated at the latest, in seconds. */
const afterSeconds = 60

/** The entries of a coin in the ledger for each trade of an order; null while one has none yet. */
const entriesOf = Effect.fnUntraced(function* (api: Api, coin: string, row: typeof Order.Type) {
  const entries = yield* pages<(typeof Entries.Type)["result"]["ledger"][string], number>(0, (offset) =>
    Effect.map(
      api.call(
        "privatePostLedgers",
        {
          asset: krakenName(coin),
          type: "trade",
          start: String(Math.floor(row.opentm) - 1),
          // what was traded since then may be more than all pages hold
          ...(row.closetm == null ? {} : { end: String(Math.ceil(row.closetm) + afterSeconds) }),
          ofs: offset
        },
        Entries
      ),
      ({ result: { count, ledger } }) => {
        const rows = Object.values(ledger)
        const next = offset + rows.length
        return { rows, next: rows.length > 0 && next < count ? next : null }
      }
    )
  )
  const trades = row.trades ?? []
  const own = entries.filter(({ asset, refid }) => commonName(asset) === coin && trades.includes(refid))
  const complete = trades.length > 0 && trades.every((trade) => own.some(({ refid }) => refid === trade))
  if (!complete) return null
  return {
    moved: own.reduce((sum, { amount }) => plus(sum, amount), zero),
    fee: { coin, amount: own.reduce((sum, { fee }) => plus(sum, fee), zero) }
  }
})

/** What an order sold and brought, from the ledger, which says in which coin each fee was taken; null while it is not all there. */
const fillingOf = Effect.fnUntraced(function* (
  api: Api,
  { market, side }: WireOrder,
  row: typeof Order.Type
): Effect.fn.Return<Filling | null, CallError> {
  const [from, to] = side === "buy" ? [market.quote, market.base] : [market.base, market.quote]
  const into = yield* entriesOf(api, to, row)
  const out = yield* entriesOf(api, from, row)
  if (into === null || out === null) return null
  return { spent: minus(out.moved), brought: into.moved, fees: [into.fee, out.fee] }
})

/** An order is either open or closed; it is asked in that order, so that one that closes meanwhile is seen. */
export const orderState = Effect.fnUntraced(function* (
  api: Api,
  wire: WireOrder
): Effect.fn.Return<Found<OrderReport>, CallError> {
  const { reference } = wire
  const { result: open } = yield* api.call("privatePostOpenOrders", { cl_ord_id: reference }, Open)
  const live = ours(open.open, reference)
  if (live !== undefined) return found<OrderReport>({ _tag: "Open", id: live[0] })
  const { result: closed } = yield* api.call(
    "privatePostClosedOrders",
    { cl_ord_id: reference, trades: "true" },
    Closed
  )
  const ended = ours(closed.closed, reference)
  if (ended === undefined) return absent
  const [id, row] = ended
  if (row.status !== "closed" && row.vol_exec.units === 0n)
    return found<OrderReport>({ _tag: "Dead", id, reason: row.reason ?? `the order is ${row.status}` })
  const filling = yield* fillingOf(api, wire, row)
  return filling === null ? yield* unlisted(id, wire) : found<OrderReport>(filledBy(id, wire, filling))
})
