import type { Amount } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { convert } from "@bursar/core/money/Rate"
import { type ProviderResult, done, refused, unknown } from "@bursar/core/port/ProviderResult"
import type { Sender, TransferOrder, TransferState } from "@bursar/core/port/FiatProvider"
import type { Prices } from "@bursar/core/port/Prices"
import { Clock, Effect } from "effect"
import { answerOfAbsence, isTooOld } from "../inFlight.ts"
import type { StoredState } from "../store/openState.ts"
import type { Tell } from "../webhook/SandboxWebhook.ts"
import { accountDetails } from "./accountDetails.ts"
import type { FiatState, TransferRow } from "./FiatState.ts"
import { courseOf, isLost } from "./TransferOutcome.ts"

const lost = unknown("the answer was lost")

/** How transfers run. */
export interface TransferOptions {
  readonly currencies: CurrencyTable
  /** What another currency is worth that the receiver is to get; without it there is only one currency. */
  readonly prices: Prices["Service"] | null
  /** How long each step of a transfer takes. */
  readonly stepMs: number
}

/** Who paid in what arrived: somebody whom the sandbox makes up. */
const senderOf = ({ id, currency }: TransferRow): Sender | null => {
  const details = accountDetails(id, currency)
  if (details === undefined) return null
  const { accountNumber, bic, iban, sortCode } = details
  const american = currency === "USD"
  return {
    name: "Sandbox payer",
    iban,
    accountNumber,
    sortCode: american ? null : sortCode,
    routingNumber: american ? sortCode : null,
    bic
  }
}

const stateOf = (row: TransferRow, status: TransferState["status"]): TransferState => ({
  providerReference: row.id,
  status,
  received: status === "SETTLED" ? { units: row.receivedUnits, currency: row.receivedCurrency } : null,
  returned: status === "RETURNED" ? { units: row.returnedUnits ?? row.units, currency: row.currency } : null,
  // who paid in is known also once some of it went back
  sender: row.kind === "ON_RAMP" && (status === "SETTLED" || status === "RETURNED") ? senderOf(row) : null,
  reason: status === "FAILED" || status === "RETURNED" ? `the sandbox was told to ${row.outcome}` : null
})

/** What a transfer is after it ran for so long; undefined where nothing is heard of it. */
export const transferAt = (row: TransferRow, now: number, stepMs: number): TransferState | undefined => {
  const course = courseOf(row.kind, row.outcome)
  const steps = stepMs === 0 ? course.length : Math.floor(Math.max(0, now - row.since) / stepMs)
  const status = course[Math.min(steps, course.length - 1)]
  return status === undefined ? undefined : stateOf(row, status)
}

/** Takes transfers and lets them run their course. */
export const makeTransfers = (state: StoredState<FiatState>, options: TransferOptions, tell: Tell) => {
  const { currencies, prices, stepMs } = options

  const receivedFor = Effect.fnUntraced(function* ({ amount, toCurrency }: TransferOrder) {
    const from = currencies.byCode(amount.currency)
    const to = currencies.byCode(toCurrency ?? amount.currency)
    if (from === undefined || to === undefined) return undefined
    if (from.code === to.code) return amount
    const rate = prices === null ? null : yield* prices.rate(from.code, to.code)
    const received: Amount | undefined =
      rate === null ? undefined : { units: convert(amount.units, from, to, rate.price, "down"), currency: to.code }
    return received
  })

  /** Takes the order unless it was taken before, and gives what then stands. */
  const take = Effect.fnUntraced(function* (order: TransferOrder, received: Amount, now: number) {
    const id = `tr_${crypto.randomUUID()}`
    yield* state.update((before) => {
      if (before.transfers[order.reference] !== undefined) return before
      const [next = "settle", ...script] = before.script
      if (next === "refuse") return { ...before, script }
      const row: TransferRow = {
        id,
        kind: order.kind,
        units: order.amount.units,
        currency: order.amount.currency,
        receivedUnits: received.units,
        receivedCurrency: received.currency,
        outcome: next,
        lost: isLost(next),
        since: now
      }
      return { ...before, script, transfers: { ...before.transfers, [order.reference]: row } }
    })
    const row = (yield* state.get).transfers[order.reference]
    return { row, isNew: row?.id === id }
  })

  const send = Effect.fn("SandboxFiat.send")(function* (
    order: TransferOrder
  ): Effect.fn.Return<ProviderResult<TransferState>> {
    return yield* Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const isKnown = (yield* state.get).transfers[order.reference] !== undefined
      if (!isKnown && (yield* isTooOld(order.sentAt))) return refused("the order is too old to be sent")
      if (order.kind !== "ON_RAMP" && order.payee === null) return refused("the order names nobody to pay")
      const received = yield* receivedFor(order)
      if (received === undefined) return refused(`no rate to ${order.toCurrency ?? order.amount.currency}`)
      const { isNew, row } = yield* take(order, received, now)
      if (row === undefined) return refused("the sandbox was told to refuse")
      if (!isNew) {
        const known = transferAt(row, now, stepMs)
        return known === undefined ? lost : done(known)
      }
      const course = courseOf(row.kind, row.outcome)
      yield* Effect.forEach(course, (_, step) => tell({ what: "transfer", about: order.reference }, step * stepMs))
      const [first] = course
      return row.lost || first === undefined ? lost : done(stateOf(row, first))
    }).pipe(Effect.catchTag("StoreError", ({ message }) => Effect.succeed(unknown(message))))
  })

  const transfer = Effect.fn("SandboxFiat.transfer")(function* (
    order: TransferOrder,
    seen: string | null
  ): Effect.fn.Return<ProviderResult<TransferState>> {
    const now = yield* Clock.currentTimeMillis
    const row = (yield* state.get).transfers[order.reference]
    if (row === undefined) return yield* answerOfAbsence(order.sentAt, seen)
    const found = transferAt(row, now, stepMs)
    return found === undefined ? unknown("the sandbox says nothing of the order") : done(found)
  })

  return { send, transfer }
}
