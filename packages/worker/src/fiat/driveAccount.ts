import { FiatAccount } from "@bursar/core/account/FiatAccount"
import { beginAccount, recordAccount } from "@bursar/core/account/recordAccount"
import { recordIncoming } from "@bursar/core/account/recordIncoming"
import { type Job, ownIdOf } from "@bursar/core/engine/Job"
import type { Fence } from "@bursar/core/engine/fenced"
import { beginLook, endLook } from "@bursar/core/engine/look"
import { amountText } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { type ProviderResult, done, unknown } from "@bursar/core/port/ProviderResult"
import type { AccountState, FiatProvider } from "@bursar/core/port/FiatProvider"
import { askReach } from "@bursar/core/environment/reach"
import { Queries } from "@bursar/core/store/Queries"
import { Effect } from "effect"
import { defectAsUnknown } from "../queue/defectAsUnknown.ts"
import { submitFenced, submitInEnvironment } from "../watch/submitFenced.ts"

type Fiat = FiatProvider["Service"]

/** The provider of an account, where it can be asked and is of the tenant's environment; else why it is not asked. */
const askable = Effect.fnUntraced(function* (
  fence: Fence,
  { tenantId }: Job,
  account: FiatAccount,
  fiats: ReadonlyArray<Fiat>
) {
  const fiat = fiats.find(({ name }) => name === account.provider)
  if (fiat === undefined) return { problem: `the account is of ${account.provider}, which is not configured` }
  const problem = yield* submitInEnvironment(fence, tenantId, askReach(fiat))
  return problem === null ? { fiat } : { problem }
})

/** Opens the account where it is not open, else reads it. Opening again under our id gives the same account. */
const lookAt = (account: FiatAccount, fiat: Fiat): Effect.Effect<ProviderResult<AccountState>> => {
  const { country, currency, id, providerAccountId, providerCustomerId } = account
  if (providerAccountId !== null)
    return defectAsUnknown(
      fiat.account(providerAccountId).pipe(
        Effect.map((state) => done(state)),
        Effect.catchTag("ProviderError", (error) => Effect.succeed(unknown(error.message)))
      )
    )
  return providerCustomerId === null
    ? Effect.succeed(unknown("the customer is not registered with the provider"))
    : defectAsUnknown(fiat.openAccount({ reference: id, providerCustomerId, currency, country }))
}

/** Books what arrived since the newest payment that was booked, oldest first. */
const book = Effect.fnUntraced(function* (
  fence: Fence,
  { tenantId }: Job,
  account: FiatAccount,
  fiat: Fiat,
  currencies: CurrencyTable
) {
  if (account.providerAccountId === null) return
  const arrived = yield* fiat.incoming(account.providerAccountId, account.lastIncoming).pipe(
    Effect.catchTag("ProviderError", (error) =>
      Effect.as(
        Effect.annotateLogs(Effect.logWarning("account.payments_unreadable"), {
          account: account.id,
          detail: error.message
        }),
        []
      )
    )
  )
  for (const incoming of arrived) {
    const taken = yield* submitFenced(fence, tenantId, recordIncoming(account, incoming, currencies))
    if (taken._tag === "Another")
      yield* Effect.annotateLogs(Effect.logError("account.payment_of_another"), {
        account: account.id,
        payment: incoming.id,
        operation: taken.operationId
      })
    // those after it are booked all the same: neither is to hold the money of others
    if (taken._tag === "UnstorableId")
      yield* Effect.annotateLogs(Effect.logError("account.payment_id_unstorable"), {
        provider: account.provider,
        account: account.id,
        providerAccount: incoming.providerAccountId,
        payment: incoming.id,
        amount: amountText(currencies, incoming.amount),
        arrivedAt: incoming.arrivedAt
      })
    if (taken._tag === "UnknownCurrency")
      yield* Effect.annotateLogs(Effect.logError("account.payment_in_unknown_currency"), {
        provider: account.provider,
        account: account.id,
        providerAccount: incoming.providerAccountId,
        payment: incoming.id,
        amount: amountText(currencies, incoming.amount),
        currency: incoming.amount.currency,
        expected: account.currency
      })
    if (taken._tag === "Booked" && incoming.amount.currency !== account.currency)
      yield* Effect.annotateLogs(Effect.logError("account.payment_in_other_currency"), {
        account: account.id,
        payment: incoming.id,
        currency: incoming.amount.currency,
        expected: account.currency
      })
  }
})

/**
 * Opens an account at the provider that it names, for a customer who may still have one, reads what it says of it, and books what arrived there, each payment once. A provider
 * that cannot be read is read again soon.
 */
export const driveAccount = Effect.fn("fiat.driveAccount")(function* (
  fence: Fence,
  item: Job,
  fiats: ReadonlyArray<Fiat>,
  currencies: CurrencyTable
) {
  const read = yield* (yield* Queries).record(item.tenantId, FiatAccount, ownIdOf(item.key))
  const begin = beginLook(item, beginAccount(item.key, read?.customerId))
  const { look, reply: task } = yield* submitFenced(fence, item.tenantId, begin)
  if (task._tag === "Nothing") return
  const { account: begun } = task
  if (task._tag === "Wait") {
    const why = { account: begun.id, detail: task.detail }
    return yield* Effect.annotateLogs(Effect.logWarning("account.deferred"), why)
  }
  const { fiat, problem } = yield* askable(fence, item, begun, fiats)
  const answer = fiat === undefined ? unknown(problem) : yield* lookAt(begun, fiat)
  const taken = yield* submitFenced(fence, item.tenantId, endLook(look, recordAccount(begun, answer)))
  if (taken?._tag === "Unread")
    yield* Effect.annotateLogs(Effect.logWarning("account.unreadable"), { account: begun.id, detail: taken.detail })
  if (taken?._tag === "Another")
    yield* Effect.annotateLogs(Effect.logError("account.of_another"), {
      provider: begun.provider,
      account: begun.id,
      owner: taken.owner
    })
  if (taken?._tag === "Taken" && fiat !== undefined && answer._tag === "Done")
    yield* book(fence, item, taken.account, fiat, currencies)
})
