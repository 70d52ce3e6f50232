import { Result } from "effect"
import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import { Refusal } from "../base/Refusal.ts"
import type { View } from "../engine/View.ts"
import type { Amount } from "../money/Amount.ts"
import type { Currency } from "../money/Currency.ts"
import { notRefundable } from "../money/refuseAmount.ts"
import { isMovedBeside } from "../operation/contradictions.ts"
import { returnedOf, wholeOf } from "../operation/movedAmount.ts"
import { Operation, ofKind } from "../operation/Operation.ts"
import type { Objection } from "../operation/waits.ts"
import type { Payee, Sender, TransferState } from "../port/FiatProvider.ts"
import { stateSaid } from "./bankSaid.ts"
import { accountKey, compact } from "./PaidAccount.ts"
import { payeeOfSender, senderOf } from "./sender.ts"
import { payeeOf } from "./transferOrder.ts"
import { isReturnStated, isSuspended } from "./transferState.ts"
import { putRecord, readRecord } from "../engine/Records.ts"

/** What a refund pays back, and to whom. */
export interface RefundRequest {
  /** The id of the ON_RAMP that it pays back; null where what was given names none. */
  readonly refundOf: string | null
  readonly amount: Amount
  readonly customerId: string | null
  /** How the receiver is called where the provider has not told whose account the money came from. */
  readonly name: string
}

const refuse = (message: string) => Result.fail(new Refusal({ code: "beneficiary_invalid", message }))

const refundedOf = ({ details }: Operation): bigint => {
  const { refunded } = details
  return refunded === undefined ? 0n : BigInt(refunded)
}

/** The operation that a refund pays back; undefined for what is no refund. */
export const refundSourceOf = ({ details, kind }: Operation): string | undefined =>
  (kind === "REFUND" ? details.refund_of : null) ?? undefined

/**
 * How much an ON_RAMP brought that can be paid back: what arrived and was credited, without what the bank took back since.
 */
export const refundableOf = (operation: Operation): bigint => {
  if (operation.kind !== "ON_RAMP" || operation.settledAt === null || isSuspended(operation)) return 0n
  const arrived = wholeOf(operation).units
  const credited = operation.toAmount?.units ?? arrived
  const brought = (credited < arrived ? credited : arrived) - returnedOf(operation)
  return brought > 0n ? brought : 0n
}

/** Notes on the source how much of it all refunds together take. */
const withRefunded = (source: Operation, units: bigint): Change =>
  putRecord(Operation, { ...source, details: { ...ofKind(source, "ON_RAMP").details, refunded: units.toString() } })

/** What accepting a refund reads. */
export const refundReads = (request: Pick<RefundRequest, "refundOf"> | undefined): ReadonlyArray<Read> =>
  request === undefined || request.refundOf === null ? [] : [readRecord(Operation, request.refundOf)]

/** What recording the end of a refund reads beside it. */
export const sourceReads = (operation: Operation): ReadonlyArray<Read> => {
  const id = refundSourceOf(operation)
  return id === undefined ? [] : [readRecord(Operation, id)]
}

/** What a refund did not pay out, or what came back of it, can be paid back again. Nothing for what is no refund. */
export const givenBack = (view: View, refund: Operation, units: bigint): ReadonlyArray<Change> => {
  const id = refundSourceOf(refund)
  const source = id === undefined ? undefined : view.get(Operation, id)
  return source === undefined ? [] : [withRefunded(source, refundedOf(source) - units)]
}

/** Why a refund may not be sent: the bank took back what it pays back since it was accepted. Undefined where it did not. */
export const takenBack = (view: View, refund: Operation): Objection | undefined => {
  const id = refundSourceOf(refund)
  const source = id === undefined ? undefined : view.get(Operation, id)
  return source === undefined || refundedOf(source) <= refundableOf(source)
    ? undefined
    : { reason: "source_taken_back", detail: `The bank took back what ON_RAMP ${source.id} had brought.` }
}

const elsewhere = "it goes to another account than the one that the money came from"

const bankDigits = 8

/** What a BIC names beside the bank: its branch; nothing for the head office. */
const branchOf = (bic: string | null): string =>
  compact(bic ?? "")
    .slice(bankDigits)
    .replace(/^XXX$/u, "")

/**
 * Whether a payee is paid on an account that was told, however each is written. What it names beside the number that tells its account must have been
 * told, too: a provider may go by it. Without an IBAN, a number may stand for one account at each branch of a bank.
 */
const isPaidOn = (payee: Payee, told: Payee): boolean => {
  const isTold = (named: string | null, of: string | null, length?: number): boolean =>
    named === null || (of !== null && compact(named).slice(0, length) === compact(of).slice(0, length))
  return (
    accountKey(payee) === accountKey(told) &&
    isTold(payee.accountNumber, told.accountNumber) &&
    isTold(payee.sortCode, told.sortCode) &&
    isTold(payee.routingNumber, told.routingNumber) &&
    isTold(payee.bic, told.bic, bankDigits) &&
    (payee.iban !== null || ["", branchOf(told.bic)].includes(branchOf(payee.bic)))
  )
}

/** Why a refund may not be sent: it goes to another account than the one that its ON_RAMP came from. Undefined where it does not. */
export const paidElsewhere = (view: View, refund: Operation): Objection | undefined => {
  if (refund.kind !== "REFUND") return undefined
  const id = refundSourceOf(refund)
  const source = id === undefined ? undefined : view.get(Operation, id)
  const [sender, payee] = [source === undefined ? null : senderOf(source), payeeOf(refund)]
  if (sender !== null && payee !== null && isPaidOn(payee, sender)) return undefined
  return { reason: "not_granted", detail: elsewhere }
}

/** What the provider said of an ON_RAMP when it was asked once more, just before a refund of it is sent. */
export type PayerSeen =
  | {
      readonly _tag: "Told"
      /** The id of the ON_RAMP. */
      readonly source: string
      /** What the provider calls its order in that answer. */
      readonly providerReference: string
      readonly status: TransferState["status"]
      readonly sender: Sender | null
      /** What arrived; null where it does not say. */
      readonly received: Amount | null
      /** What the payer's bank took back of it; null where it says of nothing. */
      readonly returned: Amount | null
    }
  /** It could not be asked, or knows of no such ON_RAMP. */
  | { readonly _tag: "Unknown"; readonly source: string; readonly detail: string }

/**
 * Whether a return of which the provider does not say how much is known: operators have stated how much, and knew of these very words. Where they are
 * new, more may have gone back since.
 */
const isReturnKnown = (source: Operation, seen: Extract<PayerSeen, { readonly _tag: "Told" }>): boolean =>
  isReturnStated(source) && source.details.said === stateSaid(seen)

/**
 * Why what all refunds of an ON_RAMP pay back together did not come and stay, by what the provider says of it; undefined where it did. A return of
 * which it does not say how much is known where operators have stated it (`isReturnKnown`).
 */
const moreThanCame = (
  view: View,
  { amount: { currency } }: Operation,
  seen: Extract<PayerSeen, { readonly _tag: "Told" }>
): string | undefined => {
  const { received, returned, source: id, status } = seen
  const source = view.get(Operation, id)
  if (source === undefined) return "it pays back no ON_RAMP"
  // by whichever word it is asked about it: one that lags says less than is known
  if (source.unresolved) return "what its provider has said of its ON_RAMP is for operators to decide first"
  if (isMovedBeside(source)) return "what contradicts its ON_RAMP is for operators to close first"
  if (status !== "SETTLED" && status !== "RETURNED")
    return `the provider says that its ON_RAMP is ${status}, not that it has settled`
  if (received !== null && received.currency !== currency) return "it is in another currency than what arrived"
  if (returned !== null && returned.currency !== currency) return "it is in another currency than what was taken back"
  const [booked, refunded] = [returnedOf(source), refundedOf(source)]
  if (received !== null && received.units < refunded + (returned?.units ?? 0n))
    return "with the other refunds of its ON_RAMP it is more than the provider says arrived and stayed"
  const isBooked = returned === null ? status === "SETTLED" || isReturnKnown(source, seen) : returned.units <= booked
  return isBooked ? undefined : "the provider says that more of what arrived was taken back than is booked"
}

/**
 * Why a refund may not be sent by what the provider says of its ON_RAMP: whoever writes to the database can change both of their rows, and not
 * what the provider has. Undefined where it may, and for what is no refund. The command reads `sourceReads`.
 */
export const paidElsewhereThanSeen = (
  view: View,
  refund: Operation,
  seen: PayerSeen | undefined
): Objection | undefined => {
  if (refund.kind !== "REFUND") return undefined
  const not = (detail: string): Objection => ({ reason: "payer_not_confirmed", detail })
  if (seen === undefined || seen.source !== refundSourceOf(refund))
    return not("nobody has asked whose money it pays back")
  if (seen._tag === "Unknown") return not(seen.detail)
  const [payee, { sender }] = [payeeOf(refund), seen]
  if (sender === null) return not("the provider does not say whose account the money came from")
  if (payee === null || !isPaidOn(payee, payeeOfSender(sender))) return not(elsewhere)
  const more = moreThanCame(view, refund, seen)
  return more === undefined ? undefined : not(more)
}

/** Why a refund may not be sent by any of the answers about its ON_RAMP, of which there is at least one; undefined where each lets it go. */
export const paidElsewhereThanTold = (
  view: View,
  refund: Operation,
  seen: ReadonlyArray<PayerSeen> = []
): Objection | undefined =>
  (seen.length === 0 ? [undefined] : seen)
    .map((one) => paidElsewhereThanSeen(view, refund, one))
    .find((objection) => objection !== undefined)

/**
 * Whom a refund pays, and the change that counts it: the account that the money of its ON_RAMP came from, and all refunds of it
 * together no more than it brought. Refuses what names no ON_RAMP of the tenant that was credited, another currency or customer,
 * and an ON_RAMP whose payer the provider never told (`beneficiary_invalid`), and more than is left of it
 * (`insufficient_balance`).
 */
export const refunding = (
  view: View,
  { amount, customerId, name, refundOf }: RefundRequest,
  currency: Currency
): Result.Result<{ readonly payee: Payee; readonly change: Change }, Refusal> => {
  const source = refundOf === null ? undefined : view.get(Operation, refundOf)
  if (source?.kind !== "ON_RAMP" || source.settledAt === null)
    return refuse("A REFUND names what it pays back: beneficiary_account is the id of an ON_RAMP that has settled.")
  const { currency: came } = wholeOf(source)
  if (came !== amount.currency) return refuse(`The ON_RAMP brought ${came}, not ${amount.currency}.`)
  if (customerId !== null && customerId !== source.customerId) return refuse("The ON_RAMP is not of that customer.")
  const sender = senderOf(source)
  if (sender === null)
    return refuse("The provider has not told which account the money came from, so it cannot be paid back there.")
  const [brought, refunded] = [refundableOf(source), refundedOf(source)]
  const left = brought > refunded ? brought - refunded : 0n
  if (amount.units > left) return Result.fail(notRefundable(currency, { brought, left }))
  return Result.succeed({
    payee: { ...sender, name: sender.name === "" ? name : sender.name },
    change: withRefunded(source, refunded + amount.units)
  })
}
