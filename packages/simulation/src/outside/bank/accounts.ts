import { createHash } from "node:crypto"
import type { AccountState, Incoming } from "@bursar/core/port/FiatProvider"
import { ProviderError } from "@bursar/core/port/ProviderError"
import { done, type ProviderResult, unknown } from "@bursar/core/port/ProviderResult"
import { Effect } from "effect"
import type { Random } from "../../kernel/Random.ts"
import type { Faults } from "../Faults.ts"

/** An account in a customer's name, and what arrived on it. */
export interface BankAccount {
  readonly id: string
  readonly reference: string
  readonly currency: string
  readonly activeAt: number
  readonly arrived: Array<Incoming>
}

const digitsOf = (text: string, count: number): string =>
  BigInt(`0x${createHash("sha256").update(text).digest("hex")}`)
    .toString()
    .slice(-count)

/** A German IBAN that follows from a text, with the check digits that it must have (ISO 7064). */
export const ibanOf = (text: string): string => {
  const account = digitsOf(text, 18)
  const check = 98n - (BigInt(`${account}131400`) % 97n)
  return `DE${check.toString().padStart(2, "0")}${account}`
}

/** How the bank is asked about accounts. */
export interface AccountsOptions {
  readonly faults: Faults
  readonly random: Random
  readonly now: () => number
  /** Takes what a webhook says: there is news of an account. */
  readonly tell: (about: string, inMs: number) => void
}

/** The people whom the bank knows, and their accounts. Asking again under the same reference gives the same. */
export const makeAccounts = ({ faults, now, random, tell }: AccountsOptions) => {
  const customers = new Map<string, string>()
  const accounts = new Map<string, BankAccount>()
  const answered = <A>(value: A): ProviderResult<A> =>
    faults.strikes("bank.unheard") ? unknown("no answer within 30 s") : done(value)

  const register = (reference: string) => {
    if (faults.strikes("bank.lost")) return unknown("no answer within 30 s")
    const newlyRegistered = !customers.has(reference)
    if (newlyRegistered) customers.set(reference, `customer-${reference}`)
    return answered({ providerCustomerId: customers.get(reference) ?? "", newlyRegistered })
  }

  const stateOf = ({ activeAt, id }: BankAccount): AccountState => {
    const active = activeAt <= now()
    return {
      providerAccountId: id,
      status: active ? "ACTIVE" : "PENDING",
      holderName: active ? "a customer" : null,
      iban: active ? ibanOf(id) : null,
      accountNumber: null,
      sortCode: null,
      bic: null,
      bankName: null,
      expiresAt: null
    }
  }

  const open = (reference: string, currency: string): ProviderResult<AccountState> => {
    if (faults.strikes("bank.lost")) return unknown("no answer within 30 s")
    const takesMs = random.below(10_000)
    const known = accounts.get(`account-${reference}`)
    const account = known ?? { id: `account-${reference}`, reference, currency, activeAt: now() + takesMs, arrived: [] }
    accounts.set(account.id, account)
    if (known === undefined) tell(account.id, takesMs)
    return answered(stateOf(account))
  }

  const reading = <A>(doing: string, id: string, read: (account: BankAccount) => A): Effect.Effect<A, ProviderError> =>
    Effect.suspend(() => {
      const account = accounts.get(id)
      return account === undefined || faults.strikes("bank.unreadable", doing)
        ? Effect.fail(new ProviderError({ provider: "bank", doing, detail: "503" }))
        : Effect.succeed(read(account))
    })

  return {
    /** All accounts, as they truly are. */
    all: (): ReadonlyArray<BankAccount> => [...accounts.values()],
    /** By which id it knows somebody; undefined for whom it does not know. */
    customerOf: (reference: string): string | undefined => customers.get(reference),
    /** Somebody pays to an account. */
    pay: (account: BankAccount, units: bigint): void => {
      const { arrived, currency, id: providerAccountId } = account
      const id = `${providerAccountId}-${arrived.length + 1}`
      arrived.push({ id, providerAccountId, amount: { units, currency }, description: "a payment", arrivedAt: now() })
      tell(providerAccountId, random.below(5_000))
    },
    register,
    open,
    read: (id: string) => reading("account", id, stateOf),
    /** What arrived after a payment. The newest may not be shown yet. */
    incoming: (id: string, after: string | null) =>
      reading("incoming", id, ({ arrived }) => {
        const shown = faults.strikes("bank.late") ? arrived.slice(0, -1) : arrived
        return shown.slice(after === null ? 0 : shown.findIndex((one) => one.id === after) + 1)
      })
  }
}

/** The people whom the bank knows, and their accounts. */
export type Accounts = ReturnType<typeof makeAccounts>
