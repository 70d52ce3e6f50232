import { type AccountRules, accountPlanner, nextSequenceGuard } from "@bursar/core/port/accountPlanner"
import type { ChainError } from "@bursar/core/port/Chain"
import type { ChainSender } from "@bursar/core/port/ChainSender"
import type { OwnAccount, OwnAccounts, Provisioner, TransactionPlanner } from "@bursar/core/port/TransactionPlanner"
import { Effect } from "effect"
import {
  type AccountState,
  provisioningAmounts,
  type ProvisioningAmounts,
  provisioningNeed
} from "./internal/plan/provisioningNeed.ts"

export type { AccountState, ProvisioningAmounts } from "./internal/plan/provisioningNeed.ts"

/** What the planner asks a node. */
export interface StellarQuestions
  extends Pick<ChainSender, "balance" | "estimate" | "firstSequence">, Pick<AccountRules, "payoutFee" | "promisable"> {
  /** How an account stands in the newest ledger, and which of these assets it has no trustline for. */
  readonly accountState: (address: string, assets: ReadonlyArray<string>) => Effect.Effect<AccountState, ChainError>
}

/** A transaction that expires leaves its sequence unused, and those behind it could never pass it. */
const underWayMax = 1

/** Channel accounts lend their sequences where there are any: so the wallet pays many payouts at once. */
const lendersOf = ({ channels, wallet }: OwnAccounts): ReadonlyArray<OwnAccount> =>
  channels.length > 0 ? channels : [wallet]

/** Chooses the channel accounts of payouts, and what accounts need before they can receive an asset. */
export const stellarPlanner = (
  questions: StellarQuestions,
  amounts: ProvisioningAmounts = provisioningAmounts
): TransactionPlanner => {
  const { accountState, firstSequence } = questions
  const guardOf = nextSequenceGuard(firstSequence)
  const provisioner: Provisioner = {
    walletKeeps: amounts.forFeesLeast,
    look: Effect.fn("StellarPlanner.look")(function* ({ address, role }, assets, promised) {
      const state = yield* accountState(address, role === "CHANNEL" ? [] : assets)
      const { exists, spendable, unissued = [] } = state
      const canLend = spendable >= amounts.forFeesLeast
      return { exists, spendable, canLend, need: provisioningNeed(role, state, promised, amounts), unissued }
    }),
    lend: (lenders) => {
      const free = lenders.find(({ openTransactions }) => openTransactions < underWayMax)
      return free === undefined ? Effect.succeed(null) : guardOf(free)
    }
  }
  return {
    ...accountPlanner({
      ...questions,
      spendable: (account) =>
        Effect.map(accountState(account, []), ({ spendable }) => (spendable > 0n ? spendable : 0n)),
      lenders: lendersOf,
      underWayMax,
      guardOf
    }),
    provisioner
  }
}
