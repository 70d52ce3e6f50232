import type { Account } from "../Account.ts"
import type { AccountEffect } from "../Effect.ts"
import type { Draft } from "../State.ts"

/** One operation being applied. */
export interface Step {
  readonly state: Draft
  /** The account that acts. */
  readonly source: string
  /** The same as the transaction named it, muxed or not. */
  readonly sourceAddress: string
  readonly ledger: number
  readonly time: number
  readonly record: (effect: AccountEffect) => void
}

/** The account that acts, which was looked up before the operation was applied. */
export const actor = ({ source, state }: Step): Account => {
  const account = state.get(source)
  if (account === undefined) throw new Error(`${source} is gone`)
  return account
}

/** Puts an account as changed by this ledger. */
export const update = ({ ledger, state, time }: Step, account: Account): void =>
  state.put(account.id, { ...account, modified: { ledger, time } })
