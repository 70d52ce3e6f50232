import { type ProviderResult, done, refused, unknown } from "@bursar/core/port/ProviderResult"
import type { TransferOrder, TransferState } from "@bursar/core/port/FiatProvider"
import { Clock, Effect, Option, Schema } from "effect"
import { type BridgeOptions, defaultInFlightMs } from "../BridgeOptions.ts"
import { stateOf } from "../stateOf.ts"
import { amountOf, decimalOf } from "./amounts.ts"
import { type BridgeAnswer, type BridgeHttp, expect, NotTaken, toAnswer } from "./BridgeHttp.ts"
import { externalAccountOf } from "./externalAccount.ts"
import { endOf } from "./holding.ts"
import { incomingRail, outgoingRail } from "./rails.ts"
import { makeSearch } from "./search.ts"
import { senderOf } from "./sender.ts"
import { ExternalAccount, Transfer } from "./wire.ts"

/** How often a search for what is not sent any more asks again for a page: for longer than a minute, so that a rate limit passes. */
const againMax = 8

/**
 * An order whose operation is younger needs no search. What comes later may have been sent before: the sending was interrupted, or the database was
 * restored to before it.
 */
const firstSendingMs = 60_000

const transferOf = expect(Transfer)
const externalAccount = expect(ExternalAccount)

/** Bridge names the bank account that it has already. */
const decodeDuplicate = Schema.decodeUnknownOption(
  Schema.Struct({ code: Schema.Literal("duplicate_external_account"), id: Schema.NonEmptyString })
)

/** Sends transfers and finds out what became of them. */
export const makeTransfers = (http: BridgeHttp, options: BridgeOptions) => {
  const { currencies, holdings, inFlightMs = defaultInFlightMs } = options
  // what is sent late must be there, or be refused, well before its absence counts
  const sendWithinMs = inFlightMs / 4
  const { oneAtATime, search } = makeSearch(http)

  const state = ({ amount, kind, toCurrency }: TransferOrder, transfer: Transfer): TransferState => {
    const status = stateOf(transfer.state)
    const told = (decimal: string | null | undefined, code: string) =>
      typeof decimal === "string" ? (amountOf(currencies, decimal, code) ?? null) : null
    const final = transfer.receipt?.final_amount
    // what was converted ends in another currency than it left in: then the receipt does not say which
    const back = transfer.return_details?.amount ?? (toCurrency === null ? final : null)
    return {
      providerReference: transfer.id,
      status,
      received: status === "SETTLED" ? told(final, toCurrency ?? amount.currency) : null,
      returned: status === "RETURNED" ? told(back, amount.currency) : null,
      sender: kind === "ON_RAMP" ? senderOf(transfer) : null,
      reason: ["FAILED", "RETURNED", "UNRESOLVED"].includes(status) ? `Bridge says ${transfer.state}` : null
    }
  }

  /** A transfer that says it is of another order, or is not the one that was asked for, is no answer for this one. */
  const answerFrom = Effect.fnUntraced(function* (
    order: TransferOrder,
    doing: string,
    answer: BridgeAnswer,
    asked: string | null
  ) {
    const transfer = yield* transferOf(doing, answer)
    if (asked !== null && transfer.id !== asked) return unknown(`Bridge answered with transfer ${transfer.id}`)
    const reference = transfer.client_reference_id
    return typeof reference === "string" && reference !== order.reference
      ? unknown(`Bridge's transfer ${transfer.id} is of ${reference}`)
      : done(state(order, transfer))
  })

  const bankAccount = Effect.fnUntraced(function* (order: TransferOrder, customer: string, currency: string) {
    const payload = order.payee === null ? undefined : externalAccountOf(order.payee, currency)
    if (payload === undefined) {
      return yield* new NotTaken({ code: "payee", reason: "the payee's details name no bank account" })
    }
    const path = `/customers/${encodeURIComponent(customer)}/external_accounts`
    const answer = yield* http.post(path, `${order.reference}-payee`, payload)
    const duplicate = decodeDuplicate(answer.json)
    return Option.isSome(duplicate)
      ? duplicate.value.id
      : (yield* externalAccount("registering the payee's bank account", answer)).id
  })

  const ends = Effect.fnUntraced(function* (order: TransferOrder, customer: string) {
    const currency = order.toCurrency ?? order.amount.currency
    const incoming = order.kind === "ON_RAMP"
    const code = incoming ? currency : order.amount.currency
    const holding = holdings[code]
    if (holding === undefined) {
      return yield* new NotTaken({ code: "holding", reason: `nothing at Bridge holds ${code}` })
    }
    const rail = incoming ? incomingRail(order.rail, order.amount.currency) : outgoingRail(order.rail, currency)
    if (rail === undefined) {
      return yield* new NotTaken({ code: "rail", reason: `Bridge has no rail ${order.rail ?? ""} for ${currency}` })
    }
    if (incoming) {
      return {
        source: { payment_rail: rail, currency: order.amount.currency.toLowerCase() },
        destination: endOf(holding)
      }
    }
    const id = yield* bankAccount(order, customer, currency)
    return {
      source: endOf(holding),
      destination: { payment_rail: rail, currency: currency.toLowerCase(), external_account_id: id }
    }
  })

  const payloadOf = Effect.fnUntraced(function* (order: TransferOrder) {
    const amount = decimalOf(currencies, order.amount)
    if (amount === undefined) {
      return yield* new NotTaken({ code: "currency", reason: `there is no currency ${order.amount.currency}` })
    }
    const customer = order.providerCustomerId ?? options.ownCustomerId
    return {
      client_reference_id: order.reference,
      amount,
      on_behalf_of: customer,
      developer_fee: "0",
      ...(yield* ends(order, customer))
    }
  })

  const isTooOld = ({ sentAt }: TransferOrder) =>
    Effect.map(Clock.currentTimeMillis, (now) => now - sentAt > sendWithinMs)

  /** The search before the only sending: no page that fails is to use that up, and it ends when it has become too late to send. */
  const searchFirst = oneAtATime((order) => Effect.map(isTooOld(order), (isOver) => !isOver))

  /** The search for what is not sent any more. One that gets no answer at all is made again later. */
  const searchLate = oneAtATime((_, { failures, isBegun }) =>
    Effect.succeed(failures === 0 || (isBegun && failures <= againMax))
  )

  /**
   * Bridge forgets an idempotency key after a day: whatever is not sent as soon as it is made is looked for before it is sent, and so is what is too
   * old to be sent. By then whoever asked may have been told that the order was never taken: so its age is looked at last, after all that may take long.
   */
  const send = Effect.fn("Bridge.send")(function* (order: TransferOrder) {
    const isNew = (yield* Clock.currentTimeMillis) - order.madeAt <= firstSendingMs
    return yield* toAnswer(
      Effect.gen(function* () {
        const lookFor = (yield* isTooOld(order)) ? searchLate : searchFirst
        const earlier = isNew ? undefined : yield* lookFor(order)
        if (earlier !== undefined) return done(state(order, earlier))
        const payload = (yield* isTooOld(order)) ? undefined : yield* payloadOf(order)
        if (payload !== undefined && !(yield* isTooOld(order))) {
          return yield* answerFrom(
            order,
            "sending a transfer",
            yield* http.post("/transfers", order.reference, payload),
            null
          )
        }
        const sent = isNew ? yield* searchLate(order) : undefined
        return sent === undefined ? refused("the order is too old to be sent") : done(state(order, sent))
      })
    )
  })

  const transfer = Effect.fn("Bridge.transfer")(function* (
    order: TransferOrder,
    providerReference: string | null
  ): Effect.fn.Return<ProviderResult<TransferState>> {
    const now = yield* Clock.currentTimeMillis
    const asked = Effect.gen(function* () {
      if (providerReference !== null) {
        const answer = yield* http.get(`/transfers/${encodeURIComponent(providerReference)}`)
        return yield* answerFrom(order, "reading a transfer", answer, providerReference)
      }
      const isLate = now - order.sentAt > inFlightMs
      // a database that was restored does not know when it was sent: before it counts as absent, it is looked for all the way
      const found = yield* isLate ? searchLate(order) : search(order, order.sentAt)
      if (found !== undefined) return done(state(order, found))
      return isLate ? refused("Bridge never took the order") : unknown("Bridge does not know the order yet")
    })
    // Bridge refuses to show something: that says nothing of the order.
    return yield* asked.pipe(
      Effect.catchTags({
        NotTaken: ({ reason }) => Effect.succeed(unknown(reason)),
        NoAnswer: ({ detail }) => Effect.succeed(unknown(detail))
      })
    )
  })

  return { send, transfer }
}
