import { committedUnits } from "@bursar/core/transaction/PayoutWallet"
import type { ChainError } from "@bursar/core/port/Chain"
import type { ChainSender } from "@bursar/core/port/ChainSender"
import { assessSweep, type SweepAssessment } from "@bursar/core/sweep/assessSweep"
import { Effect } from "effect"
import { failpoint } from "../transactions/Failpoint.ts"
import type { Sweeping, Wallets } from "./Sweeping.ts"

/** What waits on one account in one currency. */
export interface Gathered {
  readonly account: string
  readonly contract: string | null
  readonly currency: string
  /** What its deposits come to. Never more than that is moved: what else is there was not reported to anybody. */
  readonly units: bigint
}

/** What is to be done with an account. */
export type Plan =
  | { readonly _tag: "Sweep"; readonly units: bigint }
  | { readonly _tag: "TopUp"; readonly units: bigint }
  | {
      readonly _tag: "NotNow"
      readonly reason:
        | Extract<SweepAssessment, { readonly _tag: "NotNow" }>["reason"]
        | "top_up_capped"
        | "wallet_short"
        | "no_coin"
    }

const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other)

const notNow = (reason: Extract<Plan, { readonly _tag: "NotNow" }>["reason"]): Plan => ({ _tag: "NotNow", reason })

/** What an account can give of the native asset: where it has to keep some for itself, without that. */
const spendableOf = ({ balance, accountState }: ChainSender, account: string): Effect.Effect<bigint, ChainError> =>
  accountState === undefined
    ? balance(account, null)
    : Effect.map(accountState(account, []), ({ spendable }) => (spendable > 0n ? spendable : 0n))

/**
 * Decides from what the chain and the prices say now whether an account is swept, is first given coin for the fee, or is left. The
 * address pays for its sweep; what it has of the native asset counts, and what is left of a top-up is there for the next. `toppedUp` says
 * that it was given coin for this: it is given no more.
 */
export const planAccount = Effect.fn("sweep.plan")(function* (
  { limits, send: { currencies, sender, traits }, usd }: Sweeping,
  { wallet }: Wallets,
  { account, contract, currency: code, units: waiting }: Gathered,
  toppedUp: boolean
): Effect.fn.Return<Plan, ChainError> {
  const { network } = sender
  const { sweepCostShareMaxPercent, sweepKeeps, topUpMax } = { ...traits.limits, ...limits.network }
  const [currency, native] = [currencies.byCode(code), currencies.byAsset(network, null)]
  if (currency === undefined || native === undefined) return notNow("price_unknown")
  const [value, nativeUsd] = [yield* usd(code), yield* usd(native.code)]
  const terms = {
    costTimes: limits.costTimes,
    costShareMaxPercent: sweepCostShareMaxPercent,
    unitsLeast: limits.unitsLeast[code] ?? 0n
  }
  const assess = (units: bigint, cost: bigint | null) =>
    assessSweep({ units, currency, usd: value, cost, native, nativeUsd }, terms)
  // nothing is asked of a node for what would not be swept at any cost
  const free = assess(waiting, 0n)
  if (free._tag === "NotNow") return free
  const { fee } = yield* sender.estimate({ from: account, to: wallet.address, contract, units: waiting })
  if (fee === null) return notNow("cost_unknown")
  const budget = (fee * BigInt(limits.budgetPercent)) / 100n
  const has = yield* spendableOf(sender, account)
  yield* failpoint("sweep.balance.read")
  // what pays for moving coin is taken from what is confirmed of it: what else shows may be gone with the next block
  const units =
    contract === null
      ? smaller(waiting, has - sweepKeeps) - budget
      : smaller(waiting, yield* sender.balance(account, contract))
  if (contract === null || has >= (toppedUp ? fee : budget)) {
    const assessed = assess(units, fee)
    return assessed._tag === "NotNow" ? assessed : { _tag: "Sweep", units }
  }
  if (toppedUp) return notNow("no_coin")
  const gives = budget - has
  const { fee: givingFee } = yield* sender.estimate({ from: wallet.address, to: account, contract: null, units: gives })
  const assessed = assess(units, givingFee === null ? null : fee + givingFee)
  if (assessed._tag === "NotNow") return assessed
  if (gives > topUpMax) return notNow("top_up_capped")
  const left = (yield* sender.balance(wallet.address, null)) - committedUnits(wallet, null)
  const givingBudget = ((givingFee ?? 0n) * BigInt(limits.budgetPercent)) / 100n
  return left < gives + givingBudget ? notNow("wallet_short") : { _tag: "TopUp", units: gives }
})
