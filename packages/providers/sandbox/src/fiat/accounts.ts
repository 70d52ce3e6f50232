import { done, refused, unknown } from "@bursar/core/port/ProviderResult"
import type { AccountOrder, AccountState, Incoming, RegisterOrder } from "@bursar/core/port/FiatProvider"
import { ProviderError } from "@bursar/core/port/ProviderError"
import { Clock, Effect, Redacted } from "effect"
import type { StoredState } from "../store/openState.ts"
import type { Tell } from "../webhook/SandboxWebhook.ts"
import { accountDetails } from "./accountDetails.ts"
import type { AccountRow, FiatState } from "./FiatState.ts"

const idDigits = 8

/** An account as it is after it was open for so long. */
export const accountAt = (row: AccountRow, now: number, activateAfterMs: number): AccountState => {
  const status = row.status ?? (now - row.openedAt >= activateAfterMs ? "ACTIVE" : "PENDING")
  const details = status === "PENDING" || status === "REJECTED" ? undefined : accountDetails(row.id, row.currency)
  return {
    providerAccountId: row.id,
    status,
    holderName: details === undefined ? null : `Sandbox customer ${row.customer.slice(-idDigits)}`,
    iban: details?.iban ?? null,
    accountNumber: details?.accountNumber ?? null,
    sortCode: details?.sortCode ?? null,
    bic: details?.bic ?? null,
    bankName: details?.bankName ?? null,
    expiresAt: null
  }
}

/** The account of the provider's id. */
export const accountOf = ({ accounts }: FiatState, id: string): AccountRow | undefined =>
  Object.values(accounts).find((row) => row.id === id)

const noSuchAccount = (doing: string) =>
  new ProviderError({ provider: "sandbox", doing, detail: "there is no such account" })

/** Registers people, opens accounts and tells what arrived on them. */
export const makeAccounts = (state: StoredState<FiatState>, activateAfterMs: number, tell: Tell) => {
  const register = Effect.fn("SandboxFiat.register")(
    function* ({ identity, reference }: RegisterOrder) {
      // It looks at the data as others do, and keeps none of it.
      if (!/^\d{4}-\d{2}-\d{2}$/u.test(Redacted.value(identity).dateOfBirth)) {
        return refused("the sandbox refuses: invalid date_of_birth")
      }
      const fresh = `cus_${crypto.randomUUID()}`
      yield* state.update((before) => ({ ...before, customers: { [reference]: fresh, ...before.customers } }))
      const providerCustomerId = (yield* state.get).customers[reference] ?? fresh
      return done({ providerCustomerId, newlyRegistered: providerCustomerId === fresh })
    },
    Effect.catchTag("StoreError", ({ message }) => Effect.succeed(unknown(message)))
  )

  const openAccount = Effect.fn("SandboxFiat.openAccount")(
    function* ({ currency, providerCustomerId, reference }: AccountOrder) {
      if (accountDetails("", currency) === undefined) return refused(`the sandbox has no accounts in ${currency}`)
      if (!Object.values((yield* state.get).customers).includes(providerCustomerId)) {
        return refused("the sandbox does not know the customer")
      }
      const now = yield* Clock.currentTimeMillis
      const id = `acc_${crypto.randomUUID()}`
      const fresh: AccountRow = { id, customer: providerCustomerId, currency, openedAt: now, status: null }
      yield* state.update((before) => ({ ...before, accounts: { [reference]: fresh, ...before.accounts } }))
      const row = (yield* state.get).accounts[reference] ?? fresh
      if (row.id === id) yield* tell({ what: "account", about: id }, activateAfterMs)
      return done(accountAt(row, now, activateAfterMs))
    },
    Effect.catchTag("StoreError", ({ message }) => Effect.succeed(unknown(message)))
  )

  const account = Effect.fn("SandboxFiat.account")(function* (id: string) {
    const row = accountOf(yield* state.get, id)
    if (row === undefined) return yield* noSuchAccount("read an account")
    return accountAt(row, yield* Clock.currentTimeMillis, activateAfterMs)
  })

  const incoming = Effect.fn("SandboxFiat.incoming")(function* (id: string, after: string | null) {
    const now = yield* state.get
    if (accountOf(now, id) === undefined) return yield* noSuchAccount("read what arrived")
    const all = now.arrivals.filter((row) => row.account === id)
    const start = after === null ? 0 : all.findIndex((row) => row.id === after) + 1
    return all.slice(start).map((row): Incoming => ({
      id: row.id,
      providerAccountId: id,
      amount: { units: row.units, currency: row.currency },
      description: row.description,
      arrivedAt: row.at
    }))
  })

  return { register, openAccount, account, incoming }
}
