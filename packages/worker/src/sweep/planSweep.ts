import type { ChainError } from "@bursar/core/port/Chain"
import type { GuardPlan, PlannedDeposit, SweepPlan } from "@bursar/core/port/TransactionPlanner"
import type { StorageError } from "@bursar/core/engine/StorageError"
import { Queries } from "@bursar/core/store/Queries"
import { assessSweep, type SweepAssessment } from "@bursar/core/sweep/assessSweep"
import { importedAddressKey, ImportedAddressKey } from "@bursar/core/sweep/ImportedAddressKey"
import { Effect } from "effect"
import type { Accounts } from "../transactions/Accounts.ts"
import type { Sweeping, Wallets } from "./Sweeping.ts"

/** Deposits of one currency that wait on accounts that are swept together. */
export interface Gathered {
  /** Who pays on the chain, where that is one account. */
  readonly account: string
  /** The number that its next transaction takes, as it is recorded; null until one was used. */
  readonly nextSequence: bigint | null
  readonly contract: string | null
  readonly currency: string
  /** Never more than these is moved: what else is there was not reported to anybody. */
  readonly deposits: ReadonlyArray<PlannedDeposit>
  /** `given`: the account got the native asset for this sweep, and gets no more. `stopped`: people have stopped that it gets any. */
  readonly topUp: "possible" | "given" | "stopped"
}

/** What is to be done with deposits. */
export type Decision =
  | Extract<SweepPlan, { readonly _tag: "Sweep" }>
  | { readonly _tag: "TopUp"; readonly units: bigint; readonly guard: GuardPlan }
  | {
      readonly _tag: "NotNow"
      readonly reason:
        | Extract<SweepAssessment, { readonly _tag: "NotNow" }>["reason"]
        | Extract<SweepPlan, { readonly _tag: "NotNow" }>["reason"]
        | "stopped"
        | "top_up_capped"
        | "wallet_short"
        | "wallet_busy"
    }

const notNow = (reason: Extract<Decision, { readonly _tag: "NotNow" }>["reason"]): Decision => ({
  _tag: "NotNow",
  reason
})

type Assess = (units: bigint, cost: bigint | null) => SweepAssessment

/** Assesses what is moved of a currency, by what the prices say now; undefined where there is no such currency. */
const assessor = Effect.fnUntraced(function* ({ limits, send, usd }: Sweeping, code: string) {
  const { currencies, sender, traits } = send
  const [currency, native] = [currencies.byCode(code), currencies.byAsset(sender.network, null)]
  if (currency === undefined || native === undefined) return undefined
  const [value, nativeUsd] = [yield* usd(code), yield* usd(native.code)]
  const terms = {
    costTimes: limits.costTimes,
    costShareMaxPercent: { ...traits.limits, ...limits.network }.sweepCostShareMaxPercent,
    unitsLeast: limits.unitsLeast[code] ?? 0n
  }
  return ((units, cost) =>
    assessSweep({ units, currency, usd: value, cost, native, nativeUsd }, terms)) satisfies Assess
})

/** A sweep of `units` for a `fee` whose account lacks some of the native asset for it. */
interface LackingSweep {
  readonly assess: Assess
  readonly units: bigint
  readonly fee: bigint
  readonly lacks: bigint
}

/** Whether an account is given the native asset first: what both transactions cost counts. */
const decideTopUp = Effect.fnUntraced(function* (
  { limits, send: { sender, traits } }: Sweeping,
  accounts: Accounts,
  account: string,
  { assess, fee, lacks, units }: LackingSweep
) {
  const { topUpMax } = { ...traits.limits, ...limits.network }
  const question = { accounts, to: account, units: lacks }
  const { fee: givingFee, guard, left } = yield* sender.planner.topUp(question)
  const assessed = assess(units, givingFee === null ? null : fee + givingFee)
  if (assessed._tag === "NotNow") return assessed
  if (lacks > topUpMax) return notNow("top_up_capped")
  const givingBudget = ((givingFee ?? 0n) * BigInt(limits.budgetPercent)) / 100n
  if (left < lacks + givingBudget) return notNow("wallet_short")
  return guard === null ? notNow("wallet_busy") : ({ _tag: "TopUp", units: lacks, guard } satisfies Decision)
})

/**
 * Decides whether deposits are swept, their account is first given the native asset for the fee, or they are left. The network's adapter
 * plans how they are moved and for how much; whether that is worth it is decided here, by what the prices say now.
 */
export const planSweep = Effect.fn("sweep.plan")(function* (
  sweeping: Sweeping,
  wallets: Wallets,
  { account, contract, currency, deposits, nextSequence, topUp }: Gathered
): Effect.fn.Return<Decision, ChainError | StorageError, Queries> {
  const { limits, send } = sweeping
  const { sender, traits } = send
  const assess = yield* assessor(sweeping, currency)
  if (assess === undefined) return notNow("price_unknown")
  const waiting = deposits.reduce((sum, { units }) => sum + units, 0n)
  // nothing is asked of a node for what would not be swept at any cost
  const free = assess(waiting, 0n)
  if (free._tag === "NotNow") return free
  const queries = yield* Queries
  const plan = yield* sender.planner.sweep({
    to: wallets.wallet.address,
    account,
    nextSequence,
    contract,
    deposits,
    costTimes: limits.costTimes,
    budgetPercent: limits.budgetPercent,
    keeps: { ...traits.limits, ...limits.network }.sweepKeeps,
    topUp: topUp === "given" ? "given" : "possible",
    publicKeyOf: (address) =>
      Effect.map(
        queries.record(wallets.tenantId, ImportedAddressKey, importedAddressKey(traits.family, address)),
        (key) => key?.publicKey
      )
  })
  if (plan._tag === "NotNow") return plan
  if (plan._tag === "LacksNative") {
    if (topUp === "stopped") return notNow("stopped")
    const { fee, lacks } = plan
    return yield* decideTopUp(sweeping, wallets, account, { assess, lacks, fee, units: waiting })
  }
  const assessed = assess(plan.units, plan.fee)
  return assessed._tag === "NotNow" ? assessed : plan
})
