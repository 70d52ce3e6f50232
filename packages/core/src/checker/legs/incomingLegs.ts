import { ledgerAccountOf } from "../../account/FiatAccount.ts"
import { holderOf } from "../../deposit/ownTransfer.ts"
import type { Account } from "../../ledger/Account.ts"
import type { Operation } from "../../operation/Operation.ts"
import { entry, mirrored, type RequiredLegs, unitsIn } from "./RequiredLine.ts"

/**
 * What arrived on an address: a DEPOSIT, the REVERSAL of one, or an ADJUSTMENT where the funds came from an address of the tenant's
 * own and all of them were credited there.
 *
 * | kind | legs |
 * |---|---|
 * | DEPOSIT | the holder of the address → `float:available`: what is credited; the holder → `chain:<n>:tenant`: what was credited before |
 * | REVERSAL | the mirror image |
 */
const depositLegs = (operation: Operation): RequiredLegs => {
  const { amount, details, kind, network } = operation
  if (network === null) return { lines: [] }
  const { currency } = amount
  const isMove = details.own_transfer === true
  const reverses = isMove ? details.reverses !== undefined : kind === "REVERSAL"
  const own = { currency, units: unitsIn(details.own_units) ?? 0n }
  const credited = { currency, units: isMove ? 0n : amount.units }
  const { origin } = details
  const holder = holderOf(network, origin ?? "REGISTERED")
  const lines = [
    ...entry(holder, "float:available", credited, "principal"),
    ...entry(holder, `chain:${network}:tenant`, own, "principal")
  ]
  return {
    lines: reverses ? mirrored(lines, "reversal") : lines,
    ...(origin === undefined ? { untold: [`chain:${network}:tenant`, `chain:${network}:deposits`] } : {})
  }
}

/** What came to a wallet: it stands there for nobody, but for what the tenant moved from addresses of its own. */
const walletLegs = ({ amount, details, network }: Operation): RequiredLegs => {
  if (network === null) return { lines: [] }
  const tenant: Account = `chain:${network}:tenant`
  const wallet: Account = `chain:${network}:payouts`
  const account: Account = `chain:${network}:deposits`
  const { place } = details
  const at = place === "ACCOUNT" ? account : wallet
  const sign = amount.units < 0n ? -1n : 1n
  const own = sign * (unitsIn(details.own_units) ?? 0n)
  return {
    lines: [
      ...entry(at, tenant, { ...amount, units: own }, "adjustment"),
      ...entry(at, "suspense", { ...amount, units: amount.units - own }, "adjustment")
    ],
    ...(place === undefined ? { untold: [wallet, account, tenant, "suspense"] } : {})
  }
}

const anyPlace = (network: string | null): ReadonlyArray<Account> => [
  "custodian",
  "bank",
  "suspense",
  "exchange",
  "fees",
  "network_fees",
  ...(["payouts", "deposits", "tenant"] as const).map((name) => `chain:${network ?? ""}:${name}` as Account) // a network of the table
]

/**
 * An ADJUSTMENT, by what it is of.
 *
 * | of | legs |
 * |---|---|
 * | a correction of the float | `against` → `float:available`; below zero the other way |
 * | `moved` | the place `from` is credited, the place `to` debited |
 * | `wallet_arrival` | the wallet → `suspense`, or → `chain:<n>:tenant` as far as the tenant moved it from there |
 * | `uncredited_deposit` | `chain:<n>:deposits` → `suspense` |
 * | `taken_over` | `chain:<n>:tenant` is credited, `chain:<n>:deposits` debited |
 * | `incoming` | `bank` → `account:<id>`, or → `suspense` in another currency than the account's |
 * | `own_transfer` | as a DEPOSIT that credits nothing |
 */
const adjustmentLegs = (operation: Operation, { currencyOf, networkOf }: LegContext): RequiredLegs => {
  const { amount, details, network } = operation
  if (details.own_transfer === true) return depositLegs(operation)
  if (details.wallet_arrival !== undefined) return walletLegs(operation)
  if (details.uncredited_deposit !== undefined && network !== null)
    return { lines: entry(`chain:${network}:deposits`, "suspense", amount, "adjustment") }
  if (details.taken_over !== undefined && network !== null)
    return { lines: entry(`chain:${network}:deposits`, `chain:${network}:tenant`, amount, "adjustment") }
  if (details.incoming !== undefined) {
    const accountId = String(details.account_id)
    const to = currencyOf(accountId) === amount.currency ? ledgerAccountOf(accountId) : "suspense"
    return { lines: entry("bank", to, amount, "principal") }
  }
  const { against, moved } = details
  // names that our own deciders wrote
  if (moved !== undefined) return { lines: entry(moved.to as Account, moved.from as Account, amount, "adjustment") }
  return against !== undefined
    ? { lines: entry(against as Account, "float:available", amount, "adjustment") }
    : {
        lines: entry("custodian", "float:available", amount, "adjustment"),
        untold: anyPlace(networkOf(amount.currency))
      }
}

/** What deriving legs has to know beside the operation. */
export interface LegContext {
  /** The currency of a customer's account; undefined where there is no such account. */
  readonly currencyOf: (accountId: string) => string | undefined
  /** The network that a currency is on; null where it is on none. */
  readonly networkOf: (currency: string) => string | null
}

/** What arrived or was put right: DEPOSIT, REVERSAL and ADJUSTMENT. */
export const incomingLegs = (operation: Operation, context: LegContext): RequiredLegs =>
  operation.kind === "ADJUSTMENT" ? adjustmentLegs(operation, context) : depositLegs(operation)
