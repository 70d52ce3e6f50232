import { Result } from "effect"
import { ownerOf, ownerReads } from "../custody/claimOrder.ts"
import { providerOrderKey } from "../custody/ProviderOrder.ts"
import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import { readGroup, readRecord } from "../engine/Records.ts"
import { Refusal } from "../base/Refusal.ts"
import type { View } from "../engine/View.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { CommonDetails } from "../operation/details/CommonDetails.ts"
import { withoutContradictionsOf } from "../operation/contradictions.ts"
import { Operation } from "../operation/Operation.ts"
import { isOver } from "../operation/OperationMachine.ts"
import { returnedOf } from "../operation/movedAmount.ts"
import { keepTold } from "../operation/orderIds.ts"
import { lastWord, putOf } from "../operation/said.ts"
import { wasSent } from "../operation/wasSent.ts"
import { isTransfer } from "../transfer/Transfer.ts"
import { isFinished, isSuspended } from "../transfer/transferState.ts"
import { isResolvable, type Statement } from "./Resolution.ts"
import { orderOf, statedAnswer, type StatementFacts } from "./statedAnswer.ts"
import { implausibleFee } from "../withdrawal/implausibleFee.ts"
import { PayoutEvidence } from "../payout/PayoutEvidence.ts"

const conflict = (message: string) => new Refusal({ code: "state_conflict", message })

const invalid = (field: string, message: string) =>
  new Refusal({
    code: "invalid_request",
    message,
    detail: { fields: [{ path: `body.${field}`, code: "invalid_request", message }] }
  })

/** Why nothing can be stated of an operation as it stands; undefined where something can. */
const objectionTo = (operation: Operation, { outcome }: Statement): Refusal | undefined => {
  const { kind, status, unresolved } = operation
  if (kind === "CHAIN_PAYOUT")
    return conflict("The chain says what becomes of a payout: give a transaction as evidence.")
  if (!isResolvable(kind)) return conflict(`No provider carries out a ${kind}.`)
  if (!wasSent(operation)) return conflict("It was not sent: cancel it, if it is not to be sent.")
  const comesBack = isTransfer(kind) && outcome === "RETURNED" && !isFinished(operation)
  return isOver(status) && !unresolved && !comesBack ? conflict(`The operation is ${status}.`) : undefined
}

/** What a statement lacks, or says too much of, for its operation. */
const fault = (operation: Operation, stated: Statement, currencies: CurrencyTable): Refusal | undefined => {
  const { kind } = operation
  const { basis, networkFee, outcome, received, txHash } = stated
  if (outcome === "RETURNED" && !isTransfer(kind)) return invalid("outcome", `A ${kind} does not come back.`)
  if (basis === "CHAIN" && (kind !== "WITHDRAWAL" || outcome !== "SETTLED" || txHash === null))
    return invalid("basis", "The chain proves by a transaction that a withdrawal was paid, and nothing else.")
  if (networkFee !== null && (kind !== "WITHDRAWAL" || outcome !== "SETTLED"))
    return invalid("network_fee", "The network takes a fee for a withdrawal that was paid, and for nothing else.")
  const strange = networkFee === null ? undefined : implausibleFee(operation, networkFee, currencies)
  if (strange !== undefined) return invalid("network_fee", `That cannot be: ${strange}.`)
  if (received !== null && (kind === "WITHDRAWAL" || outcome === "FAILED"))
    return invalid("received", "Nothing is received by this.")
  if (received === null && outcome !== "FAILED" && kind !== "WITHDRAWAL")
    return invalid("received", "Say what was received, or came back: nothing is assumed of it.")
  if (outcome === "SETTLED" && orderOf(operation, stated) === null)
    return invalid("provider_reference", "Say under which id the provider has the order.")
  return received !== null && received.units <= 0n
    ? invalid("received", "What was received is more than nothing.")
    : undefined
}

/** What applying a statement reads, beside the operation's resolutions. */
export const statementReads = (operation: Operation, stated: Statement, facts: StatementFacts): ReadonlyArray<Read> => [
  readRecord(Operation, operation.id),
  readGroup(PayoutEvidence, operation.id),
  ...ownerReads(orderKey(operation)),
  ...(statedAnswer(operation, stated, facts)?.reads ?? [])
]

/** Whether the books have taken what was stated: as the outcome, or as a part that went back of what stands in `suspense`, whose rest is still open. */
const isTaken = (before: Operation, after: Operation, { outcome }: Statement): boolean =>
  after.status === outcome && (!after.unresolved || (isSuspended(after) && returnedOf(after) > returnedOf(before)))

const orderKey = ({ provider, providerReference }: Operation): string =>
  providerOrderKey(provider ?? "", providerReference ?? "")

/** Why a statement changes nothing: the books have it, or it names the order of another operation, as the provider may have done before. */
const whyUnchanged = (view: View, { id, provider, providerReference }: Operation, stated: Statement): string => {
  const reference = stated.providerReference ?? providerReference
  const owner = reference === null ? null : ownerOf(view, providerOrderKey(provider ?? "", reference))
  return owner === null || owner === id
    ? "The books have that already."
    : `The books do not take it as ${stated.outcome}: the order ${reference} belongs to operation ${owner}.`
}

/** An operation without its order where that is another operation's. */
const withOwnOrder = (view: View, operation: Operation): Operation => {
  const owner = ownerOf(view, orderKey(operation))
  return owner === null || owner === operation.id ? operation : { ...operation, providerReference: null }
}

/** A change in whose event a reference that is not that of the order is what is known of that: our own, or that of another's order. */
const withReference = (change: Change, { id, providerReference }: Operation, known: string | null): Change =>
  change._tag === "EventEmitted" &&
  [id, providerReference].some((one) => change.event.data["provider_reference"] === one)
    ? { ...change, event: { ...change.event, data: { ...change.event.data, provider_reference: known } } }
    : change

/**
 * What a statement makes of its operation: what its provider's own answer would. Refused: what nothing can be stated of as it
 * stands, an operation whose order became known since it was `read`, what the chain has not proven, and what the books would not
 * take for an outcome (`state_conflict`); a statement that lacks something or says too much (`invalid_request`).
 */
export const applyStatement = (
  view: View,
  read: Operation,
  stated: Statement,
  facts: StatementFacts
): Result.Result<{ readonly operation: Operation; readonly changes: ReadonlyArray<Change> }, Refusal> => {
  const operation = view.get(Operation, read.id)
  if (operation === undefined) return Result.fail(new Refusal({ code: "not_found", message: "No such operation." }))
  const refusal = objectionTo(operation, stated) ?? fault(operation, stated, facts.currencies)
  if (refusal !== undefined) return Result.fail(refusal)
  // the order that the command reads is the one that was known then
  if (operation.providerReference !== read.providerReference)
    return Result.fail(conflict("Its provider has told another reference since it was read: read it again."))
  const proven = view
    .group(PayoutEvidence, operation.id)
    .some(({ txHash, verdict }) => txHash === stated.txHash && verdict === "PROVEN")
  if (stated.basis === "CHAIN" && !proven)
    return Result.fail(conflict("The chain has not proven that transaction: give it as evidence first."))
  const answer = statedAnswer(operation, stated, facts)
  if (answer === undefined) return Result.fail(conflict(`No provider carries out a ${operation.kind}.`))
  return Result.flatMap(answer.decide(view), ({ changes }) => {
    const own = withOwnOrder(view, operation)
    // what came to nothing keeps no order that is another operation's
    const known = orderOf(stated.outcome === "FAILED" ? own : operation, stated)
    const { said } = operation.details
    const all = lastWord(changes, operation.id, (one) => {
      // it was not the provider that said this
      const { said: _, ...rest } = one.details
      const details = { ...rest, ...keepTold(own, known), ...(said !== undefined && { said }) }
      // what it had said of the order that is booked now was decided on
      return withoutContradictionsOf({ ...one, providerReference: known, details }, known)
    })
    const told = all.map((change) => withReference(change, operation, known))
    const after = putOf(told, operation.id)
    if (after === undefined) return Result.fail(conflict(whyUnchanged(view, operation, stated)))
    if (!isTaken(operation, after, stated)) {
      const why = after.details.unresolved_because ?? "it stays unresolved"
      return Result.fail(conflict(`The books do not take it as ${stated.outcome}: ${why}.`))
    }
    return Result.succeed({ operation: after, changes: told })
  })
}

/** An operation with more in its details. */
export const withDetails =
  (more: CommonDetails) =>
  (operation: Operation): Operation => ({ ...operation, details: { ...operation.details, ...more } })
