import { Result } from "effect"
import { permit } from "../customer/permit.ts"
import type { Read } from "../engine/Read.ts"
import { readGroup, readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import { acceptedDestination } from "../destination/acceptedDestination.ts"
import { destinationGroup, usableDestination, Destination } from "../destination/Destination.ts"
import { Operation } from "../operation/Operation.ts"
import type { Objection } from "../operation/waits.ts"
import { placeStopped, placeStopReads } from "../operation/placeStops.ts"
import type { Reached } from "../environment/reach.ts"
import type { Ruling } from "../grant/Ruling.ts"
import { signingKeyOff, signingKeyReads } from "./signingKeyOff.ts"
import { type Cooled, uncooled } from "./uncooled.ts"
import { unansweredKey, unreviewed, type Valued } from "./unreviewed.ts"
import type { Unsigned } from "./unsigned.ts"
import { Customer } from "../customer/Customer.ts"
import { type Market, quoteOvertaken } from "./quoteOvertaken.ts"
import {
  coverReads,
  firstObjection,
  foreign,
  inactive,
  inReview,
  type Leaving,
  type LeavingRule,
  type LeavingRules,
  notGranted,
  notSigned,
  overdrawn,
  uncovered
} from "./rules.ts"

/** What is known beside the rows, where anything is: what is granted and since when, what was seen of the partner's signature, what things are worth, and what a conversion would bring. */
export interface Judgement {
  readonly ruling?: Ruling
  readonly seen?: Unsigned
  readonly valued?: Valued
  readonly cooling?: Cooled | undefined
  readonly market?: Market | undefined
}

/** Whether an operation is money that goes out. An ON_RAMP is carried to a provider, too, and brings some in. */
const goesOut = ({ id, kind }: Leaving): boolean => {
  if (kind === "CHAIN_PAYOUT") throw new Error(`chain payout ${id} is taken out by no provider`)
  return (
    kind === "WITHDRAWAL" || kind === "SWAP" || kind === "OFF_RAMP" || kind === "BANK_TRANSFER" || kind === "REFUND"
  )
}

/** The customer in whose name it is made; null where it is made in the tenant's own. */
const permittedCustomer = ({ actsFor, customerId }: Leaving): string | null =>
  actsFor === "CUSTOMER" ? customerId : null

/** What `mayNotLeave` reads. */
export const leaveReads = (operation: Leaving): ReadonlyArray<Read> => {
  const { id, kind } = operation
  const customerId = permittedCustomer(operation)
  const customerReads = customerId === null ? [] : [readRecord(Customer, customerId)]
  if (!goesOut(operation)) return customerReads
  return [
    readRecord(Operation, id),
    ...coverReads(operation),
    ...signingKeyReads,
    ...placeStopReads(operation),
    ...customerReads,
    ...(kind === "WITHDRAWAL" ? [readGroup(Destination, destinationGroup)] : [])
  ]
}

const switchedOff: LeavingRule = ({ tenant }, { kind }) =>
  kind === "WITHDRAWAL" && !tenant.policy.withdrawalsEnabled ? "Withdrawals are switched off." : undefined

/** The destination that was accepted must be the one that would be taken now: verified, cooled, not rejected, not replaced. */
const unusable: LeavingRule = (view, operation) => {
  const { amount, kind, network } = operation
  if (kind !== "WITHDRAWAL") return undefined
  const now = usableDestination(view.group(Destination, destinationGroup), amount.currency, view.now)
  if (now === undefined) return `There is no verified destination for ${amount.currency} any more.`
  const accepted = acceptedDestination(operation)
  const same = accepted?.address === now.address && accepted.memo === now.memo && network === now.network
  return same ? undefined : `The verified destination for ${amount.currency} is another one by now.`
}

const unpermitted: LeavingRule = (view, operation) => {
  const customerId = permittedCustomer(operation)
  if (customerId === null) return undefined
  const found = permit(view, customerId, operation.kind === "SWAP" ? "swap" : "transfer")
  return Result.isFailure(found) ? found.failure.message : undefined
}

const rulesForAll: LeavingRules = [
  ["other_environment", foreign],
  ["in_review", inReview],
  ["customer_not_permitted", unpermitted]
]

const rules: LeavingRules = [
  ["tenant_not_active", inactive],
  ["switched_off", switchedOff],
  ["switched_off", placeStopped],
  ...rulesForAll,
  ["destination_not_usable", unusable],
  ["signing_key_revoked", signingKeyOff((_, { details }) => details.made_by)],
  ["float_overdrawn", overdrawn],
  ["insufficient_wallet", uncovered(() => false)]
]

/**
 * Why an operation that a provider carries out may not leave as things stand now; undefined where it may. It is asked in the very
 * commit that records the intent to send, so nothing can come between accepted and sent: whatever was true at acceptance has to be true
 * still. What may not leave keeps what it holds, says why (`waiting`), is looked at again, and goes on once the reason is gone. What
 * was sent is never asked again: it is a fact. Last come what is granted (`ruling`), reviews among it, and what the partner has signed (`seen`), which no row changes; and what the market says of a quote (`market`). The command reads `leaveReads`. Chain payouts have rules of their own
 * (`payout/mayPayoutLeave`). `through` is the provider.
 */
export const mayNotLeave = (
  view: View,
  operation: Operation,
  through: Reached,
  { cooling, market, ruling, seen, valued }: Judgement = {}
): Objection | undefined =>
  firstObjection(goesOut(operation) ? rules : rulesForAll, view, operation, through) ??
  notGranted(view, operation, ruling) ??
  uncooled(operation, { ruling, cooling, now: view.now }) ??
  (goesOut(operation) ? unansweredKey(view, operation, ruling) : undefined) ??
  unreviewed(operation, { ruling, valued, now: view.now }) ??
  notSigned(operation, seen) ??
  quoteOvertaken(operation, { market, ruling, now: view.now })
