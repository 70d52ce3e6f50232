import type { ChainError } from "@bursar/core/port/Chain"
import type { ChainSender } from "@bursar/core/port/ChainSender"
import type {
  CountedAccount,
  GuardPlan,
  OwnAccounts,
  Provisioner,
  TransactionPlanner
} from "@bursar/core/port/TransactionPlanner"
import { Effect, Result } from "effect"
import { agreedAnswer } from "./agreedAnswer.ts"
import { payoutsByAgreed } from "./agreedPayouts.ts"
import type { SeveralNodes } from "./SeveralNodes.ts"

/** How operators agree on the numbers of accounts. */
export interface AgreedSequence extends Pick<ChainSender, "firstSequence"> {
  /** The number of an account is known without them. */
  readonly settled: (account: string) => void
}

/** The number that an account goes on with is known where nodes of two operators say the same. */
export const agreedSequence = (several: SeveralNodes): AgreedSequence => {
  const { agreed, settled } = agreedAnswer<bigint | null>(several, {
    doing: "ask a second node for the next sequence of an account",
    subject: "sequence",
    log: Effect.logError("network.sequence_disputed"),
    saySame: (one, other) => one === other,
    words: (first) => (first === null ? "there is no such account" : `it goes on with ${first}`)
  })
  const firstSequence: ChainSender["firstSequence"] = Effect.fnUntraced(function* (account) {
    const first = yield* several.ask((sender) => sender.firstSequence(account))
    return yield* agreed({ about: account, ...first }, ({ sender }) => sender.firstSequence(account))
  })
  return { firstSequence, settled }
}

/** An account with its number, as the records have it. */
type Recorded = Pick<CountedAccount, "address" | "nextSequence">

/** Whether a plan takes a number that one node tells and the records do not. */
const isByNode = (
  { account, first }: { readonly account: string; readonly first: bigint },
  accounts: ReadonlyArray<Recorded>
): boolean => {
  const own = accounts.find(({ address }) => address === account)?.nextSequence ?? null
  return own === null || first > own
}

const ownOf = ({ channels, wallet }: OwnAccounts): ReadonlyArray<CountedAccount> => [wallet, ...channels]

type Lend = Provisioner["lend"]

/** Chooses among lenders whose numbers are agreed on: one that is disputed keeps nothing waiting for which another is free. */
const lendByAgreed = (
  lend: Lend,
  agreed: (guard: GuardPlan, lenders: ReadonlyArray<CountedAccount>) => Effect.Effect<GuardPlan, ChainError>
): Lend => {
  // each try leaves a lender out, so there are no more of them than lenders
  const byAgreed: Lend = Effect.fnUntraced(function* (lenders) {
    const guard = yield* lend(lenders)
    if (guard === null) return null
    const said = yield* Effect.result(agreed(guard, lenders))
    if (Result.isSuccess(said)) return said.success
    const others = lenders.filter(({ address }) => guard._tag !== "Sequence" || address !== guard.account)
    if (others.length === 0 || others.length === lenders.length) return yield* said.failure
    // where the others are busy, what is in the way is told
    return (yield* byAgreed(others)) ?? (yield* said.failure)
  })
  return byAgreed
}

/**
 * Lets a planner begin with a number, or pass numbers over, only where operators agree on it: one that a node makes up may never be reached,
 * and what is signed under it would wait for ever. A node that is behind holds up nothing: what it says is not above the records.
 */
export const planByAgreed = (
  planner: TransactionPlanner,
  { firstSequence, settled }: AgreedSequence
): TransactionPlanner => {
  const { provisioner } = planner
  const agreed = Effect.fnUntraced(function* (guard: GuardPlan, accounts: ReadonlyArray<Recorded>) {
    if (guard._tag !== "Sequence") return guard
    const { account, first } = guard
    if (first === null) return guard
    if (isByNode({ account, first }, accounts))
      return { ...guard, first: yield* firstSequence(account) } satisfies GuardPlan
    settled(account)
    return guard
  })
  const agreedOrNone = (guard: GuardPlan | null, accounts: ReadonlyArray<Recorded>) =>
    guard === null ? Effect.succeed(null) : agreed(guard, accounts)
  return {
    ...planner,
    payouts: payoutsByAgreed(planner.payouts, agreed),
    sweep: Effect.fnUntraced(function* (question) {
      const plan = yield* planner.sweep(question)
      if (plan._tag !== "Sweep") return plan
      const { account: address, nextSequence } = question
      return { ...plan, guard: yield* agreed(plan.guard, [{ address, nextSequence }]) }
    }),
    topUp: Effect.fnUntraced(function* (question) {
      const plan = yield* planner.topUp(question)
      return { ...plan, guard: yield* agreedOrNone(plan.guard, ownOf(question.accounts)) }
    }),
    ...(provisioner && {
      provisioner: {
        ...provisioner,
        lend: lendByAgreed(provisioner.lend, agreed)
      }
    })
  }
}
