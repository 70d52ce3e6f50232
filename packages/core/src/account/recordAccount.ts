import { Result } from "effect"
import { storable, whereStorable } from "../base/storable.ts"
import { ownerOf, ownerReads } from "../custody/claimOrder.ts"
import { ProviderOrder, providerOrderKey } from "../custody/ProviderOrder.ts"
import { unstorableId } from "../custody/storableAnswer.ts"
import { ownIdOf, schedule, unschedule } from "../engine/Job.ts"
import { Customer } from "../customer/Customer.ts"
import { permit } from "../customer/permit.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { moveOf } from "../engine/Machine.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import { done, type ProviderResult, unknown } from "../port/ProviderResult.ts"
import type { AccountState } from "../port/FiatProvider.ts"
import { accountMachine, accountTriggers } from "./AccountMachine.ts"
import { accountKey, accountQueue, lookAgain, restMs } from "./accountQueue.ts"
import { AccountNumber, boundKey, compactNumber, FiatAccount } from "./FiatAccount.ts"

const retryMs = 5_000

/** What a process of the worker does with an account that it begins to look at. */
export type AccountTask =
  | { readonly _tag: "Look"; readonly account: FiatAccount }
  /** It is not opened as things stand: it says why, and is looked at again. */
  | { readonly _tag: "Wait"; readonly account: FiatAccount; readonly detail: string }
  | { readonly _tag: "Nothing" }

/** Why an account may not be opened now, in words; undefined where it may, or is open. What was asked for by a customer who was permitted is not done for one who is not any more. */
const notToOpen = (view: View, { customerId, providerAccountId }: FiatAccount): string | undefined => {
  if (providerAccountId !== null) return undefined
  const permitted = permit(view, customerId, "account")
  return Result.isFailure(permitted) ? permitted.failure.message : undefined
}

/**
 * Begins a look at the account of a job; there is nothing to do where the job's key belongs to no record. The next look is put off in
 * the same commit, so that one that fails comes again a little later. One that is not open yet waits for as long as its customer may have none.
 * `customerId` is the account's, as it was read; undefined where none was found.
 */
export const beginAccount = (key: string, customerId: string | undefined): Command<AccountTask> => ({
  name: "BeginAccount",
  reads: [
    readRecord(FiatAccount, ownIdOf(key)),
    ...(customerId === undefined ? [] : [readRecord(Customer, customerId)])
  ],
  decide: (view) => {
    const account = view.get(FiatAccount, ownIdOf(key))
    if (account === undefined || customerId === undefined || accountKey(account) !== key)
      return Result.succeed({ changes: [unschedule(accountQueue, key)], reply: { _tag: "Nothing" } })
    const detail = notToOpen(view, account)
    return detail === undefined
      ? Result.succeed({
          changes: [schedule(accountQueue, key, view.now + retryMs)],
          reply: { _tag: "Look", account }
        })
      : Result.succeed({ changes: [lookAgain(account, view.now)], reply: { _tag: "Wait", account, detail } })
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

/** What is told, as it can be stored. */
const storableState = (state: AccountState): AccountState => ({
  ...state,
  holderName: state.holderName && storable(state.holderName),
  bankName: state.bankName && storable(state.bankName),
  iban: whereStorable(state.iban),
  accountNumber: whereStorable(state.accountNumber),
  sortCode: whereStorable(state.sortCode),
  bic: whereStorable(state.bic)
})

const withState = (view: View, found: FiatAccount, state: AccountState): FiatAccount => {
  const { providerAccountId, status: said, ...details } = state
  const status = statusAfter(found, said)
  const changedAt = status === found.status && found.providerAccountId !== null ? found.changedAt : view.now
  return { ...found, providerAccountId, status, details, changedAt }
}

/**
 * The answer, unless it is about another account than the provider has opened, or one whose id cannot be stored: then it says nothing of this one,
 * which keeps its id for ever.
 */
const ofAccount = (
  { providerAccountId }: Pick<FiatAccount, "providerAccountId">,
  answer: ProviderResult<AccountState>
): ProviderResult<AccountState> => {
  if (answer._tag !== "Done") return answer
  const told = answer.value.providerAccountId
  const odd = unstorableId(told)
  if (odd !== undefined) return unknown(odd)
  return providerAccountId !== null && told !== providerAccountId
    ? unknown(`the provider was asked for ${providerAccountId} and answered with ${told}`)
    : answer
}

/** What became of an answer about an account, and the account as it then stands. */
export type AccountTaken =
  | { readonly _tag: "Taken"; readonly account: FiatAccount }
  /** It says nothing of this account, and why. */
  | { readonly _tag: "Unread"; readonly account: FiatAccount; readonly detail: string }
  /** It names the account that another of ours has, of whichever tenant: it says nothing of this one. */
  | { readonly _tag: "Another"; readonly account: FiatAccount; readonly owner: string }

/** An answer that says nothing: the account stays as it is, and is asked about again. */
const askedAgain = (view: View, found: FiatAccount): Change => {
  // a provider may take days over a customer before it opens anything
  const waitMs = found.providerAccountId === null ? Math.max(retryMs, restMs(found, view.now)) : retryMs
  // and may know no more of what is closed
  return found.status === "CLOSED"
    ? lookAgain(found, view.now)
    : schedule(accountQueue, accountKey(found), view.now + waitMs)
}

/**
 * Records what the provider said of an account that it was asked to open, or was asked about. One that it will not open is
 * REJECTED; a provider that could not be read changes nothing, and is asked about one that is not open yet the more seldom, the longer that takes. An
 * account of the provider's belongs to the first of ours that it was told of: what arrives there is nobody else's.
 */
export const recordAccount = (
  { id: accountId, provider }: Pick<FiatAccount, "id" | "provider">,
  heard: ProviderResult<AccountState>
): Command<AccountTaken | undefined> => {
  const told = ofAccount({ providerAccountId: null }, heard._tag === "Done" ? done(storableState(heard.value)) : heard)
  const numbers = told._tag === "Done" ? numbersIn(told.value) : []
  const providerReference = told._tag === "Done" ? boundKey(told.value.providerAccountId) : undefined
  const key = providerReference === undefined ? undefined : providerOrderKey(provider, providerReference)
  return {
    name: "RecordAccount",
    reads: [
      readRecord(FiatAccount, accountId),
      ...(key === undefined ? [] : ownerReads(key)),
      ...numbers.map((number) => readRecord(AccountNumber, number))
    ],
    decide: (view) => {
      const found = view.get(FiatAccount, accountId)
      if (found === undefined) return Result.succeed({ changes: [], reply: undefined })
      const answer = ofAccount(found, told)
      if (answer._tag === "Unknown")
        return Result.succeed({
          changes: [askedAgain(view, found)],
          reply: { _tag: "Unread", account: found, detail: answer.detail }
        })
      const owner = key === undefined ? null : ownerOf(view, key)
      if (owner !== null && owner !== accountId)
        return Result.succeed({
          changes: [lookAgain(found, view.now)],
          reply: { _tag: "Another", account: found, owner }
        })
      const account: FiatAccount =
        answer._tag === "Done"
          ? withState(view, found, answer.value)
          : { ...found, status: statusAfter(found, "REJECTED"), changedAt: view.now }
      const moved = accountKey(account) !== accountKey(found)
      return Result.succeed({
        changes: [
          putRecord(FiatAccount, account),
          ...(owner === null && providerReference !== undefined
            ? [putRecord(ProviderOrder, { provider, providerReference, operationId: accountId })]
            : []),
          ...named(view, accountId, numbers),
          ...(moved ? [unschedule(accountQueue, accountKey(found))] : []),
          lookAgain(account, view.now)
        ],
        reply: { _tag: "Taken", account }
      })
    }
  }
}
