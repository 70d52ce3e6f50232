import type { GuardPlan } from "@bursar/core/port/TransactionPlanner"
import type { GuardRequest } from "@bursar/core/transaction/reserveGuard"
import type { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { Result } from "effect"

/** The accounts of one tenant on a network, as they were read. */
export interface Accounts {
  readonly wallet: PayoutWallet
  readonly channels: ReadonlyArray<PayoutWallet>
}

/** Turns what the adapter has planned into what the core reserves; says in words where it names an account that is not given. */
export const guardRequest = (
  accounts: ReadonlyArray<PayoutWallet>,
  plan: GuardPlan
): Result.Result<GuardRequest, string> => {
  if (plan._tag !== "Sequence") return Result.succeed(plan)
  const account = accounts.find(({ address }) => address === plan.account)
  return account === undefined
    ? Result.fail(`The account ${plan.account} is not the tenant's.`)
    : Result.succeed({ _tag: "Next", account, first: plan.first })
}
