import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import type { Read } from "../engine/Read.ts"
import { readFact, readGroup, readRecord } from "../engine/Records.ts"
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
import type { Ruling } from "../grant/Ruling.ts"
import { idOfShown } from "../access/KeyFormat.ts"
import { of } from "../money/Amount.ts"
import { Operation } from "../operation/Operation.ts"
import { approvedAfter } from "../operation/Review.ts"
import type { Objection } from "../operation/waits.ts"
import { evidenceOf } from "../signature/SignatureEvidence.ts"
import { SigningKey, allSigningKeys, signingKeysOf } from "../signature/SigningKey.ts"
import type { Reached } from "../environment/reach.ts"
import { Payout } from "./Payout.ts"
import { payoutsOff } from "../operation/payoutsOff.ts"
import { switchedOffFor } from "./payoutSwitches.ts"

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

/** What `objectionsTo` reads of one payout. */
export const leaveReads = (payout: Leaving): ReadonlyArray<Read> => [
  readRecord(Operation, payout.id),
  readRecord(Payout, payout.id),
  ...coverReads(payout),
  readGroup(SigningKey, allSigningKeys),
  ...(payout.network === null ? [] : [readFact(payoutsOff, payout.network)])
]

const switchedOff: LeavingRule = (view, { network }) =>
  network === null
    ? undefined
    : (switchedOffFor(view, network) ??
      (view.fact(payoutsOff, network) ? `Chain payouts on ${network} are switched off.` : undefined))

/**
 * The key that signed the request, as it is bound to the API key that made it, else to any. That there is none at all is for the
 * signer to refuse, who verifies the signature itself.
 */
const unsigned: LeavingRule = (view, operation) => {
  const keyid = evidenceOf(operation)?.keyid
  const madeBy = view.get(Payout, operation.id)?.madeBy
  const madeById = madeBy === undefined ? undefined : idOfShown(madeBy)
  const bound = signingKeysOf(view).filter((key) => key.keyid === keyid)
  const own = bound.filter(({ apiKeyId }) => apiKeyId === madeById)
  const counts = own.length > 0 ? own : bound
  // an operator who approved it since answers for it
  const isOff = ({ revokedAt }: SigningKey) => revokedAt !== null && !approvedAfter(operation, revokedAt)
  return counts.length > 0 && counts.every(isOff) ? `The signing key ${keyid} of the request was revoked.` : undefined
}

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

/**
 * Which of some payouts may not leave now, and why: what is not named may. It is asked in the very commits that put a payout into an
 * outbound transaction and store the first attempt of it, as `mayNotLeave` is for what a provider carries out. `through` is the network
 * that they are sent on. The command reads `leaveReads` of each.
 */
export const objectionsTo = (
  view: View,
  payouts: ReadonlyArray<Leaving>,
  through: Reached,
  ruling?: Ruling
): ReadonlyMap<string, Objection> =>
  new Map(
    payouts.flatMap(({ id }) => {
      const operation = view.get(Operation, id)
      const objection =
        operation && (firstObjection(rules, view, operation, through) ?? notGranted(view, operation, ruling))
      return objection === undefined ? [] : [[id, objection] as const]
    })
  )

/** Asks which of some payouts may not leave now, and why, by the rows and by what is granted. What is answered counts for nothing: the intent to send asks again. */
export const askLeaving = (
  payouts: ReadonlyArray<Leaving>,
  through: Reached,
  ruling?: Ruling
): Command<ReadonlyMap<string, Objection>> => ({
  name: "AskLeaving",
  reads: payouts.flatMap(leaveReads),
  decide: (view) => Result.succeed({ changes: [], reply: objectionsTo(view, payouts, through, ruling) })
})
