import { Result } from "effect"
import { claimOrder, claimReads } from "../custody/claimOrder.ts"
import { custodianSaid } from "../custody/custodianSaid.ts"
import { excessiveFee } from "../custody/excessiveFee.ts"
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
import { ofKind, Operation } from "../operation/Operation.ts"
import { unreserve, unreserveReads } from "../operation/reserveAssets.ts"
import { isOver } from "../operation/OperationMachine.ts"
import { providerFailed, watchAgain } from "../operation/resolved.ts"
import { withSaid } from "../operation/said.ts"
import type { ProviderResult } from "../port/ProviderResult.ts"
import type { WithdrawalState } from "../port/Custodian.ts"
import type { ProviderOrder } from "../custody/ProviderOrder.ts"
import { hearWithdrawalLate } from "./hearWithdrawalLate.ts"
import { implausibleFee } from "./implausibleFee.ts"
import {
  claimPayments,
  paidOther,
  type PartOf,
  paymentReads,
  type PaymentSource,
  provingPayments
} from "./paymentOf.ts"
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

/** The payments of the transaction by which it is said to be settled, or was said to be under way, and by whom; none where no transaction was named. */
const paidBy = ({
  answer,
  currencies,
  operation,
  partOf,
  stated
}: WithdrawalReport): { readonly payments: ReadonlyArray<ProviderOrder>; readonly source: PaymentSource } => {
  const state = answer._tag === "Done" && answer.value._tag === "Settled" ? answer.value : undefined
  const named = namedIn(currencies.networks, operation, state?.txHash ?? null)
  const txHash = state === undefined ? null : (named ?? operation.txHash)
  return {
    payments: txHash === null ? [] : provingPayments(operation, txHash, partOf),
    // what they do not name is not their word
    source: stated === true && named !== null ? "operators" : "custodian"
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
  const { changes, operation: after } = concluded(view, currencies, operation, "failed", failedWith(operation, failure))
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

const decide = (
  view: View,
  report: WithdrawalReport,
  operation: Operation
): Decision<Operation | undefined>["changes"] => {
  const { answer, currencies, networkFeeBorneBy } = report
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
            failed(view, currencies, operation, {
              reason: state.reason,
              reference: state.providerReference,
              more: providerFailed(view.now)
            })
          )
        case "Settled": {
          const { payments, source } = paidBy(report)
          const txHash = transactionOf(currencies.networks, operation, state.txHash)
          const other = paidOther(view, payments, source)
          // where operators name none, they say that the order was paid, by whatever it was
          const isByOrder = report.stated === true && state.txHash === null
          const why =
            other === undefined || isByOrder
              ? objection(view, report, operation, state.networkFee)
              : `the transaction ${txHash} has paid operation ${other}`
          // one that is another's is not named as this one's
          const named = other === undefined ? { ...operation, txHash } : operation
          if (why !== undefined) return unbookable(view, currencies, named, why, state.providerReference)
          const own = other === undefined ? { txHash, payments } : { txHash: null, payments: [] }
          const { changes, operation: after } = concluded(view, currencies, operation, "settled", {
            providerReference: state.providerReference,
            txHash: own.txHash,
            networkFee: state.networkFee,
            details: {
              ...ofKind(operation, "WITHDRAWAL").details,
              ...noDispute(operation),
              network_fee_borne_by: networkFeeBorneBy
            }
          })
          const further =
            networkFeeBorneBy === "SERVICE" && state.networkFee !== null ? networkFeeLegs(state.networkFee) : []
          return [
            ...changes,
            ...claimPayments(view, own.payments, source),
            take(after, "custodian", further),
            ...unreserve(view, operation),
            unschedule(custodianQueue, operation.id)
          ]
        }
      }
    }
  }
}

/**
 * Records what the custodian said of a withdrawal: on its way, settled (what was reserved is spent), failed (it is given
 * back, and does not count for the limit any more), or not known (flagged; nothing moves). That the custodian denies an order
 * which it had is not known, nor is one of which it tells a fee that cannot be so (`implausibleFee`), or is too much to be believed
 * (`excessiveFee`), or that it was settled by a payment which operators have stated for another operation. An operation that is over stays as it is
 * (`hearWithdrawalLate`).
 */
export const recordWithdrawal = (heard: WithdrawalReport): Command<Operation | undefined> => {
  const report = { ...heard, answer: storableWithdrawal(heard.answer) }
  const { amount, id } = report.operation
  const state = report.answer._tag === "Done" ? report.answer.value : undefined
  const feeCurrency = state?._tag === "Settled" ? (state.networkFee?.currency ?? amount.currency) : amount.currency
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
      if (isOver(operation.status)) {
        const word = { answer: report.answer, networks: report.currencies.networks, partOf: report.partOf }
        const { changes, operation: after } = hearWithdrawalLate(view, operation, word)
        return Result.succeed({ changes, reply: after })
      }
      const { answer, changes } = claimOrder(view, operation, report.answer, report.stated)
      return Result.succeed({
        changes: withSaid(
          [...changes, ...decide(view, { ...report, answer }, operation)],
          operation,
          // also what is no answer: operators decide on all that was said
          custodianSaid(report.answer)
        ),
        reply: operation
      })
    }
  }
}
