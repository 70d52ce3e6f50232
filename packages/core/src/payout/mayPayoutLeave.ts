import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import type { Read } from "../engine/Read.ts"
import { readFact, readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
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
  overdrawn,
  uncovered
} from "../leaving/rules.ts"
import { signingKeyOff, signingKeyReads } from "../leaving/signingKeyOff.ts"
import { unansweredKey, unreviewed, type Valued } from "../leaving/unreviewed.ts"
import type { Ruling } from "../grant/Ruling.ts"
import { of } from "../money/Amount.ts"
import { Operation } from "../operation/Operation.ts"
import type { Objection } from "../operation/waits.ts"
import type { Reached } from "../environment/reach.ts"
import type { Asked } from "../transaction/beingSigned.ts"
import { notItself } from "./paymentsOf.ts"
import { Payout } from "./Payout.ts"
import { payoutsOff } from "../operation/payoutsOff.ts"
import { switchedOffFor } from "./payoutSwitches.ts"
import { paidBefore, standingReads } from "./standingEvidence.ts"

/** What of a payout says what has to be read to know whether it may leave. */
export const leavingOf = ({ currency, network, operationId, units }: Payout): Leaving => ({
  id: operationId,
  kind: "CHAIN_PAYOUT",
  amount: of(units, currency),
  network,
  customerId: null,
  actsFor: "TENANT",
  provider: null
})

/** The API key that asked for a payout. */
const madeByOf = (view: View, { id }: Pick<Operation, "id">): string | undefined => view.get(Payout, id)?.madeBy

/** What `objectionsTo` reads of one payout. */
export const leaveReads = (payout: Leaving): ReadonlyArray<Read> => [
  readRecord(Operation, payout.id),
  readRecord(Payout, payout.id),
  ...coverReads(payout),
  ...signingKeyReads,
  ...(payout.network === null ? [] : [readFact(payoutsOff, payout.network)])
]

const switchedOff: LeavingRule = (view, { network }) =>
  network === null
    ? undefined
    : (switchedOffFor(view, network) ??
      (view.fact(payoutsOff, network) ? `Chain payouts on ${network} are switched off.` : undefined))

/** That there is no key at all is for the signer to refuse, who verifies the signature itself. */
const unsigned: LeavingRule = signingKeyOff(madeByOf)

/** A payout that is in an outbound transaction has reserved its own already. */
const isReserved = (view: View, { id }: Operation): boolean => (view.get(Payout, id)?.transactionId ?? null) !== null

const rules: LeavingRules = [
  ["tenant_not_active", inactive],
  ["other_environment", foreign],
  ["switched_off", switchedOff],
  ["in_review", inReview],
  ["signing_key_revoked", unsigned],
  ["float_overdrawn", overdrawn],
  ["insufficient_wallet", uncovered(isReserved)]
]

/** What is known beside the rows: what is granted, and what things are worth. */
export interface PayoutJudgement {
  readonly ruling?: Ruling
  readonly valued?: Valued
}

/**
 * Which of some payouts may not leave now, and why: what is not named may. It is asked in the very commits that put a payout into an
 * outbound transaction and store the first attempt of it, as `mayNotLeave` is for what a provider carries out. `through` is the network
 * that they are sent on. The command reads `leaveReads` of each.
 */
export const objectionsTo = (
  view: View,
  payouts: ReadonlyArray<Leaving>,
  through: Reached,
  { ruling, valued }: PayoutJudgement = {}
): ReadonlyMap<string, Objection> =>
  new Map(
    payouts.flatMap(({ id }) => {
      const operation = view.get(Operation, id)
      const objection =
        operation &&
        (firstObjection(rules, view, operation, through) ??
          notGranted(view, operation, ruling) ??
          (ruling && notItself(operation, view.get(Payout, id))) ??
          unansweredKey(view, operation, ruling, madeByOf(view, operation)) ??
          unreviewed(operation, { ruling, valued, now: view.now }))
      return objection === undefined ? [] : [[id, objection] as const]
    })
  )

/**
 * What has to hold for payouts to leave by a transaction that pays them all, for the command that begins its signing: they may leave, and no evidence that
 * came since they were put into it says that they are paid. `given` are the transactions that were given for them, as they were read (`hashesGiven`).
 */
export const leavingConditions = (
  payouts: ReadonlyArray<Leaving>,
  through: Reached,
  { given = [], ...judgement }: PayoutJudgement & { readonly given?: ReadonlyArray<string> }
): Asked<Objection> => ({
  reads: payouts.flatMap((payout) => [
    ...leaveReads(payout),
    ...(payout.network === null ? [] : standingReads(payout.network, payout.id, given))
  ]),
  objection: (view) =>
    objectionsTo(view, payouts, through, judgement).values().next().value ??
    payouts.flatMap(({ id }) => paidBefore(view, id, given) ?? []).at(0)
})

/** Asks which of some payouts may not leave now, and why, by the rows and by what is granted. What is answered counts for nothing: the intent to send asks again. */
export const askLeaving = (
  payouts: ReadonlyArray<Leaving>,
  through: Reached,
  judgement: PayoutJudgement = {}
): Command<ReadonlyMap<string, Objection>> => ({
  name: "AskLeaving",
  reads: payouts.flatMap(leaveReads),
  decide: (view) => Result.succeed({ changes: [], reply: objectionsTo(view, payouts, through, judgement) })
})
