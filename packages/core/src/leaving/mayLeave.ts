import { Result } from "effect"
import { permit } from "../customer/permit.ts"
import type { Read } from "../engine/Read.ts"
import { readGroup, readRecord, readFact } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import type { AssetAccount } from "../ledger/Account.ts"
import { switchedOffFor } from "../payout/payoutSwitches.ts"
import { SigningKey, allSigningKeys, signingKeysOf } from "../signature/SigningKey.ts"
import { evidenceOf } from "../signature/SignatureEvidence.ts"
import { acceptedDestination } from "../destination/acceptedDestination.ts"
import { destinationGroup, usableDestination, Destination } from "../destination/Destination.ts"
import { assetPlaceOf } from "../operation/assetPlace.ts"
import { Operation } from "../operation/Operation.ts"
import { approvedAfter } from "../operation/Review.ts"
import { reservationReads, unreservedAt } from "../operation/reserveAssets.ts"
import type { Objection, WaitReason } from "../operation/waits.ts"
import { Customer } from "../customer/Customer.ts"
import { Payout } from "../payout/Payout.ts"
import { payoutsOff } from "../payout/payoutsOff.ts"

/** What of an operation says what has to be read to know whether it may leave. None of it ever changes. */
export type Leaving = Pick<Operation, "actsFor" | "amount" | "customerId" | "id" | "kind" | "network">

/** Whether an operation is money that goes out. An ON_RAMP is carried to a provider, too, and brings some in. */
const goesOut = ({ kind }: Leaving): boolean =>
  kind === "CHAIN_PAYOUT" ||
  kind === "WITHDRAWAL" ||
  kind === "SWAP" ||
  kind === "OFF_RAMP" ||
  kind === "BANK_TRANSFER" ||
  kind === "REFUND"

/** The customer in whose name it is made; null where it is made in the tenant's own. */
const permittedCustomer = ({ actsFor, customerId }: Leaving): string | null =>
  actsFor === "CUSTOMER" ? customerId : null

const placed = <A>(operation: Leaving, use: (place: AssetAccount) => ReadonlyArray<A>): ReadonlyArray<A> => {
  const place = assetPlaceOf(operation)
  return place === undefined ? [] : use(place)
}

/** What `mayLeave` reads. */
export const leaveReads = (operation: Leaving): ReadonlyArray<Read> => {
  if (!goesOut(operation)) return []
  const { amount, id, kind, network } = operation
  const customerId = permittedCustomer(operation)
  return [
    readRecord(Operation, id),
    { _tag: "Balance", account: "float:available", currency: amount.currency },
    ...placed(operation, (place) => reservationReads(place, amount.currency)),
    ...(customerId === null ? [] : [readRecord(Customer, customerId)]),
    ...(kind === "WITHDRAWAL" ? [readGroup(Destination, destinationGroup)] : []),
    ...(kind === "CHAIN_PAYOUT"
      ? ([readGroup(SigningKey, allSigningKeys), readRecord(Payout, id)] satisfies ReadonlyArray<Read>)
      : []),
    ...(kind === "CHAIN_PAYOUT" && network !== null
      ? ([readFact(payoutsOff, network)] satisfies ReadonlyArray<Read>)
      : [])
  ]
}

type Rule = (view: View, operation: Operation) => string | undefined

const inactive: Rule = ({ tenant }) => (tenant.status === "ACTIVE" ? undefined : `The tenant is ${tenant.status}.`)

const switchedOff: Rule = (view, { kind, network }) => {
  if (kind === "WITHDRAWAL") return view.tenant.policy.withdrawalsEnabled ? undefined : "Withdrawals are switched off."
  if (kind !== "CHAIN_PAYOUT" || network === null) return undefined
  return (
    switchedOffFor(view, network) ??
    (view.fact(payoutsOff, network) ? `Chain payouts on ${network} are switched off.` : undefined)
  )
}

const inReview: Rule = (_, { status }) => (status === "IN_REVIEW" ? "An operator has to approve it." : undefined)

/** The destination that was accepted must be the one that would be taken now: verified, cooled, not rejected, not replaced. */
const unusable: Rule = (view, operation) => {
  const { amount, kind, network } = operation
  if (kind !== "WITHDRAWAL") return undefined
  const now = usableDestination(view.group(Destination, destinationGroup), amount.currency, view.now)
  if (now === undefined) return `There is no verified destination for ${amount.currency} any more.`
  const accepted = acceptedDestination(operation)
  const same = accepted?.address === now.address && accepted.memo === now.memo && network === now.network
  return same ? undefined : `The verified destination for ${amount.currency} is another one by now.`
}

const unpermitted: Rule = (view, operation) => {
  const customerId = permittedCustomer(operation)
  if (customerId === null) return undefined
  const found = permit(view, customerId, operation.kind === "SWAP" ? "swap" : "transfer")
  return Result.isFailure(found) ? found.failure.message : undefined
}

/**
 * The key that signed the request, as it is bound to the API key that made it, else to any. That there is none at all is for the
 * signer to refuse, who verifies the signature itself.
 */
const unsigned: Rule = (view, operation) => {
  if (operation.kind !== "CHAIN_PAYOUT") return undefined
  const keyid = evidenceOf(operation)?.keyid
  const madeBy = view.get(Payout, operation.id)?.madeBy
  const bound = signingKeysOf(view).filter((key) => key.keyid === keyid)
  const own = bound.filter(({ apiKeyId }) => apiKeyId === madeBy)
  const counts = own.length > 0 ? own : bound
  // an operator who approved it since answers for it
  const isOff = ({ revokedAt }: SigningKey) => revokedAt !== null && !approvedAfter(operation, revokedAt)
  return counts.length > 0 && counts.every(isOff) ? `The signing key ${keyid} of the request was revoked.` : undefined
}

/** A deposit that was reorged away, or a return, took more than was free: what is reserved is not the tenant's to spend until that is covered. */
const overdrawn: Rule = (view, { amount: { currency } }) =>
  view.balance("float:available", currency).units < 0n
    ? `The float in ${currency} is below zero: it has to be covered first.`
    : undefined

/**
 * What leaves must stand where it leaves from, beside what operations in flight take there: else it would be paid with nobody's
 * coins. A payout that is in an outbound transaction has reserved its own already.
 */
const uncovered: Rule = (view, operation) => {
  const place = assetPlaceOf(operation)
  if (place === undefined) return undefined
  const { currency, units } = operation.amount
  const reserved = operation.kind === "CHAIN_PAYOUT" && (view.get(Payout, operation.id)?.transactionId ?? null) !== null
  const free = unreservedAt(view, place, currency) + (reserved ? units : 0n)
  return free < units
    ? `${place} has ${free} units of ${currency} in the books that nothing in flight takes, ${units} are needed.`
    : undefined
}

const rulesForAll: ReadonlyArray<readonly [WaitReason, Rule]> = [["in_review", inReview]]

const rules: ReadonlyArray<readonly [WaitReason, Rule]> = [
  ["tenant_not_active", inactive],
  ["switched_off", switchedOff],
  ...rulesForAll,
  ["destination_not_usable", unusable],
  ["customer_not_permitted", unpermitted],
  ["signing_key_revoked", unsigned],
  ["float_overdrawn", overdrawn],
  ["insufficient_wallet", uncovered]
]

/**
 * Why an operation may not leave as things stand now; undefined where it may. It is asked in the very commit that records the
 * intent to send, so nothing can come between accepted and sent: whatever was true at acceptance has to be true still. What may
 * not leave keeps what it holds, says why (`waiting`), is looked at again, and goes on once the reason is gone. What was sent is
 * never asked again: it is a fact. The command reads `leaveReads`.
 */
export const mayNotLeave = (view: View, operation: Operation): Objection | undefined => {
  for (const [reason, rule] of goesOut(operation) ? rules : rulesForAll) {
    const detail = rule(view, operation)
    if (detail !== undefined) return { reason, detail }
  }
  return undefined
}
