import { Result } from "effect"
import { storable } from "../base/storable.ts"
import { schedule, unschedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { moveOf } from "../engine/Machine.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import type { ProviderResult } from "../port/ProviderResult.ts"
import type { AccountState } from "../port/FiatProvider.ts"
import { accountMachine, accountTriggers } from "./AccountMachine.ts"
import { accountKey, accountQueue, lookAgain } from "./accountQueue.ts"
import { compactNumber, FiatAccount, AccountNumber } from "./FiatAccount.ts"

const retryMs = 5_000

/**
 * The account as a process of the worker begins to look at it; undefined where the job's key belongs to no record. The next look is put off in
 * the same commit, so that one that fails comes again a little later.
 */
export const beginAccount = (accountId: string, key: string): Command<FiatAccount | undefined> => ({
  name: "BeginAccount",
  reads: [readRecord(FiatAccount, accountId)],
  decide: (view) => {
    const account = view.get(FiatAccount, accountId)
    const current = account !== undefined && accountKey(account) === key
    return Result.succeed({
      changes: [current ? schedule(accountQueue, key, view.now + retryMs) : unschedule(accountQueue, key)],
      reply: current ? account : undefined
    })
  }
})

const statusAfter = ({ status }: FiatAccount, said: FiatAccount["status"]): FiatAccount["status"] => {
  const trigger = accountTriggers[said]
  return (trigger === null ? undefined : moveOf(accountMachine, status, trigger)?.to) ?? status
}

const numbersIn = ({ accountNumber, iban }: Pick<AccountState, "accountNumber" | "iban">): ReadonlyArray<string> =>
  [iban, accountNumber].flatMap((number) => (number === null ? [] : [compactNumber(number)]))

/** What the account's numbers name, from now on also this account. */
const named = (view: View, accountId: string, numbers: ReadonlyArray<string>): ReadonlyArray<Change> =>
  numbers.flatMap((number) => {
    const before = view.get(AccountNumber, number)?.accountIds ?? []
    return before.includes(accountId) ? [] : [putRecord(AccountNumber, { number, accountIds: [...before, accountId] })]
  })

const withState = (view: View, found: FiatAccount, state: AccountState): FiatAccount => {
  const { bankName, holderName, providerAccountId, status: said, ...numbers } = state
  const details = {
    ...numbers,
    holderName: holderName && storable(holderName),
    bankName: bankName && storable(bankName)
  }
  const status = statusAfter(found, said)
  const changedAt = status === found.status && found.providerAccountId !== null ? found.changedAt : view.now
  return { ...found, providerAccountId, status, details, changedAt }
}

/**
 * Records what the provider said of an account that it was asked to open, or was asked about. One that it will not open is
 * REJECTED; a provider that could not be read changes nothing.
 */
export const recordAccount = (
  accountId: string,
  answer: ProviderResult<AccountState>
): Command<FiatAccount | undefined> => {
  const numbers = answer._tag === "Done" ? numbersIn(answer.value) : []
  return {
    name: "RecordAccount",
    reads: [readRecord(FiatAccount, accountId), ...numbers.map((number) => readRecord(AccountNumber, number))],
    decide: (view) => {
      const found = view.get(FiatAccount, accountId)
      if (found === undefined) return Result.succeed({ changes: [], reply: undefined })
      if (answer._tag === "Unknown")
        return Result.succeed({
          // a provider may know no more of what is closed
          changes: [
            found.status === "CLOSED"
              ? lookAgain(found, view.now)
              : schedule(accountQueue, accountKey(found), view.now + retryMs)
          ],
          reply: found
        })
      const account: FiatAccount =
        answer._tag === "Done"
          ? withState(view, found, answer.value)
          : { ...found, status: statusAfter(found, "REJECTED"), changedAt: view.now }
      const moved = accountKey(account) !== accountKey(found)
      return Result.succeed({
        changes: [
          putRecord(FiatAccount, account),
          ...named(view, accountId, numbers),
          ...(moved ? [unschedule(accountQueue, accountKey(found))] : []),
          lookAgain(account, view.now)
        ],
        reply: account
      })
    }
  }
}
