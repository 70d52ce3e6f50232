import { Equal, Result } from "effect"
import { claimOrder, claimReads, isUnderAnotherId, ownAnswer } from "../custody/claimOrder.ts"
import { contradiction } from "../custody/contradiction.ts"
import { custodianSaid } from "../custody/custodianSaid.ts"
import { excessiveFee } from "../custody/excessiveFee.ts"
import { heardOpen } from "../custody/heardOpen.ts"
import { storableWithdrawal } from "../custody/storableAnswer.ts"
import { toldHash } from "../custody/toldHash.ts"
import {
  type CustodianFailure,
  deniedBy,
  doubted,
  failedWith,
  notKnown,
  pending,
  unbookable,
  wasTaken
} from "../custody/waitOn.ts"
import { custodianQueue } from "../custody/CustodyStep.ts"
import { unschedule } from "../engine/Job.ts"
import type { Command, Decision } from "../engine/Command.ts"
import type { Change } from "../engine/Change.ts"
import type { View } from "../engine/View.ts"
import { placeReads } from "../ledger/coverShortfall.ts"
import type { Leg } from "../ledger/Leg.ts"
import { countUsage, usageReads } from "../limit/limitedUsage.ts"
import type { Amount } from "../money/Amount.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { Rate } from "../money/Rate.ts"
import type { NetworkTable } from "../money/Network.ts"
import { holdReads, release, take } from "../operation/holds.ts"
import { noDispute } from "../operation/disputed.ts"
import { concluded } from "../operation/moveOperation.ts"
import { Operation } from "../operation/Operation.ts"
import { unreserve, unreserveReads } from "../operation/reserveAssets.ts"
import { isOver } from "../operation/OperationMachine.ts"
import { watchAgain } from "../operation/resolved.ts"
import { putOf, withSaid } from "../operation/said.ts"
import type { ProviderResult } from "../port/ProviderResult.ts"
import type { WithdrawalState } from "../port/Custodian.ts"
import type { ProviderOrder } from "../custody/ProviderOrder.ts"
import { hearWithdrawalLate } from "./hearWithdrawalLate.ts"
import { implausibleFee } from "./implausibleFee.ts"
import { claimNamed } from "./namedPayment.ts"
import {
  claimPayments,
  paidOther,
  type PartOf,
  paymentReads,
  type PaymentSource,
  provingPayments
} from "./paymentOf.ts"
import { keepingTold, type Settlement, withoutTold, withTold } from "./withTold.ts"
import { readRecord } from "../engine/Records.ts"

/** What the custodian said of a withdrawal. */
export interface WithdrawalReport {
  readonly operation: Operation
  readonly answer: ProviderResult<WithdrawalState>
  /** Who pays for the network. */
  readonly networkFeeBorneBy: "RECEIVER" | "SERVICE"
  readonly currencies: CurrencyTable
  /** What one whole unit of each currency is worth in US dollars, as far as it is known. */
  readonly usd?: ReadonlyMap<string, Rate | null>
  /** It is the word of two operators: the fee may be one that the custodian alone would not be believed. */
  readonly stated?: true
  /** How parts of an account are addressed on its network; absent where no account has any. */
  readonly partOf?: PartOf
}

/**
 * The transaction that an answer names, as its network writes it, so that it is found under one name whoever gives it; null where it names none. What
 * is no hash of the network, such as the name of a move within the custodian, stays as it was told.
 */
const namedIn = (networks: NetworkTable, { network }: Operation, told: string | null): string | null =>
  told === null || network === null ? told : (toldHash(networks.of(network), told) ?? told)

/** The same, or the one that was named before: an answer that names none takes back none. */
const transactionOf = (networks: NetworkTable, operation: Operation, told: string | null): string | null =>
  namedIn(networks, operation, told) ?? operation.txHash

/**
 * By what a withdrawal is settled, as it stands: by what is said now, and by what its custodian had told before and does not repeat. Of that, operators
 * take the transaction that was booked alone. Undefined where it is not said to be settled.
 */
const settlementOf = (
  { answer, currencies: { networks }, stated }: WithdrawalReport,
  operation: Operation
): Settlement | undefined => {
  if (answer._tag !== "Done" || answer.value._tag !== "Settled") return undefined
  const state = answer.value
  const whole = stated === true ? { ...state, txHash: state.txHash ?? operation.txHash } : withTold(operation, state)
  return { ...whole, txHash: namedIn(networks, operation, whole.txHash) }
}

/** Whether operators say that an order was paid, by whatever it was. */
const isByOrder = ({ answer, stated }: WithdrawalReport): boolean =>
  stated === true && answer._tag === "Done" && answer.value._tag === "Settled" && answer.value.txHash === null

/** The payments of the transaction by which it is said to be settled, or was said to be under way, and by whom; none where no transaction was named. */
const paidBy = (
  report: WithdrawalReport
): { readonly payments: ReadonlyArray<ProviderOrder>; readonly source: PaymentSource } => {
  const { operation, partOf, stated } = report
  const txHash = settlementOf(report, operation)?.txHash ?? null
  return {
    payments: txHash === null ? [] : provingPayments(operation, txHash, partOf),
    // what they do not name is not their word
    source: stated === true && !isByOrder(report) ? "operators" : "custodian"
  }
}

const networkFeeLegs = ({ currency, units }: Amount): ReadonlyArray<Leg> =>
  units === 0n
    ? []
    : [
        { account: "network_fees", direction: "DEBIT", currency, units, what: "network_fee" },
        { account: "custodian", direction: "CREDIT", currency, units, what: "network_fee" }
      ]

const failed = (view: View, currencies: CurrencyTable, operation: Operation, failure: CustodianFailure) => {
  const { changes, operation: after } = concluded(
    view,
    currencies,
    operation,
    "failed",
    failedWith(view, operation, failure)
  )
  return [
    ...changes,
    release(after),
    ...unreserve(view, operation),
    ...countUsage(view, [operation], -1n),
    watchAgain(custodianQueue, after, view.now)
  ]
}

/** Why the fee that is told cannot be booked; undefined where it can. How much it may be binds nobody but the custodian. */
const objection = (
  { now }: View,
  { currencies, networkFeeBorneBy: borneBy, stated, usd = new Map() }: WithdrawalReport,
  operation: Operation,
  fee: Amount | null
): string | undefined => {
  if (fee === null) return undefined
  return (
    implausibleFee(operation, { amount: fee, borneBy }, currencies) ??
    // what the receiver bears is told, and not booked
    (stated === true || borneBy === "RECEIVER"
      ? undefined
      : excessiveFee([fee], { currencies, now, ordered: operation.amount, usd }))
  )
}

/** What becomes of a withdrawal that is said to be settled under an id. */
const settled = (
  view: View,
  report: WithdrawalReport,
  operation: Operation,
  settlement: Settlement
): ReadonlyArray<Change> => {
  const { currencies, networkFeeBorneBy } = report
  const { networkFee, providerReference, txHash } = settlement
  // what it is judged by was read with it
  if (!Equal.equals(settlement, settlementOf(report, report.operation)))
    return notKnown(view, currencies, operation, "more was told of it since it was read", providerReference)
  const { payments, source } = paidBy(report)
  const other = paidOther(view, payments, source)
  const why =
    other === undefined || isByOrder(report)
      ? objection(view, report, operation, networkFee)
      : `the transaction ${txHash} has paid operation ${other}`
  if (why !== undefined) {
    const told = keepingTold(operation, settlement, other !== undefined)
    return unbookable(view, currencies, told, why, providerReference)
  }
  // one that is another's is not named as this one's
  const own = other === undefined ? { txHash, payments } : { txHash: null, payments: [] }
  const { changes, operation: after } = concluded(view, currencies, operation, "settled", {
    providerReference,
    txHash: own.txHash,
    networkFee,
    details: {
      ...withoutTold(operation),
      ...noDispute(operation),
      network_fee_borne_by: networkFeeBorneBy
    }
  })
  const further = networkFeeBorneBy === "SERVICE" && networkFee !== null ? networkFeeLegs(networkFee) : []
  return [
    ...changes,
    ...claimPayments(view, own.payments, source),
    take(after, "custodian", further),
    ...unreserve(view, operation),
    unschedule(custodianQueue, operation.id)
  ]
}

const decide = (
  view: View,
  report: WithdrawalReport,
  operation: Operation
): Decision<Operation | undefined>["changes"] => {
  const { answer, currencies } = report
  switch (answer._tag) {
    case "Unknown":
      return notKnown(view, currencies, operation, answer.detail)
    case "Refused":
      return wasTaken(operation)
        ? notKnown(view, currencies, operation, deniedBy(answer))
        : failed(view, currencies, operation, { reason: answer.reason, reference: null })
    case "Done": {
      const state = answer.value
      switch (state._tag) {
        case "Pending":
          return pending(view, operation, {
            providerReference: state.providerReference,
            txHash: transactionOf(currencies.networks, operation, state.txHash)
          })
        case "Failed":
          return (
            doubted(view, report, operation, state.providerReference) ??
            failed(view, currencies, operation, { reason: state.reason, reference: state.providerReference })
          )
        case "Settled":
          return settled(view, report, operation, settlementOf(report, operation) ?? state)
      }
    }
  }
}

/**
 * Records what the custodian said of a withdrawal: on its way, settled (what was reserved is spent), failed (it is given
 * back, and does not count for the limit any more), or not known (flagged; nothing moves). That the custodian denies an order
 * which it had is not known, nor is one of which it tells a fee that cannot be so (`implausibleFee`), or is too much to be believed
 * (`excessiveFee`), or that it was settled by a payment which operators have stated for another operation: a later word that says less takes nothing of it
 * back (`withTold`). That it was settled under another id is noted, and no failure is believed then; the transaction that is named of it carries out no
 * other withdrawal by operators' word. An operation that is over stays as it is (`hearWithdrawalLate`).
 */
export const recordWithdrawal = (heard: WithdrawalReport): Command<Operation | undefined> => {
  const report = { ...heard, answer: storableWithdrawal(heard.answer) }
  const { amount, id } = report.operation
  const feeCurrency = settlementOf(report, report.operation)?.networkFee?.currency ?? amount.currency
  return {
    name: "RecordWithdrawal",
    reads: [
      readRecord(Operation, id),
      ...usageReads("WITHDRAWAL"),
      ...claimReads(report.operation, report.answer),
      ...paymentReads(paidBy(report).payments),
      ...holdReads(amount.currency, "custodian"),
      ...unreserveReads(report.operation),
      { _tag: "Balance", account: "network_fees", currency: feeCurrency },
      ...placeReads("custodian", feeCurrency)
    ],
    decide: (view) => {
      const operation = view.get(Operation, id)
      if (operation === undefined)
        return Result.succeed({ changes: [unschedule(custodianQueue, id)], reply: operation })
      const word = { answer: report.answer, networks: report.currencies.networks, partOf: report.partOf }
      if (isOver(operation.status)) {
        const { changes, operation: after } = hearWithdrawalLate(view, operation, word)
        return Result.succeed({ changes, reply: after })
      }
      const known = report.stated === true ? operation : heardOpen(view, operation, report.answer, contradiction)
      const { answer, changes } = claimOrder(view, known, report.answer, report.stated)
      // what is noted of another id is booked by operators
      const isNoted =
        report.stated !== true &&
        isUnderAnotherId(operation, word.answer) &&
        ownAnswer(view, operation, word.answer) === word.answer
      const named = isNoted ? claimNamed(view, operation, word) : []
      const all = withSaid(
        [...changes, ...named, ...decide(view, { ...report, answer }, known)],
        operation,
        // also what is no answer: operators decide on all that was said
        custodianSaid(report.answer)
      )
      return Result.succeed({ changes: all, reply: putOf(all, operation.id) ?? operation })
    }
  }
}
