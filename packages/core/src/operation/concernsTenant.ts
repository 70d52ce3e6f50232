import type { Account } from "../ledger/Account.ts"
import type { Operation } from "./Operation.ts"

/** How the accounts begin in which a tenant has something: its float, and the accounts of its customers. */
export const tenantAccountPrefixes = ["float:", "account:"] as const

/** The one kind that may also be booked between places of the service alone, such as what came to a wallet and is in suspense. */
export const kindOfCorrections = "ADJUSTMENT"

/**
 * Whether an operation is in the tenant's register, given the accounts of its legs. What moved between places of the service and
 * never touched the float or a customer's account is not the tenant's: operators see it, partners do not.
 */
export const concernsTenant = ({ kind }: Pick<Operation, "kind">, accounts: ReadonlyArray<Account>): boolean =>
  kind !== kindOfCorrections ||
  accounts.length === 0 ||
  accounts.some((account) => tenantAccountPrefixes.some((prefix) => account.startsWith(prefix)))
