import type { Account } from "../ledger/Account.ts"
import type { Currency } from "../money/Currency.ts"

const chainPlaces: Readonly<Record<string, "deposits" | "payouts" | "tenant">> = {
  payout_wallet: "payouts",
  deposit_addresses: "deposits",
  tenant_addresses: "tenant"
}

const otherPlaces = ["custodian", "bank", "suspense"] as const

/** The account of a place as adjustments name it; undefined for a name of none, and for a place on a network where the currency is on none. */
export const accountOfPlace = (place: string, { asset }: Pick<Currency, "asset">): Account | undefined => {
  const kind = Object.hasOwn(chainPlaces, place) ? chainPlaces[place] : undefined
  if (kind !== undefined) return asset === null ? undefined : `chain:${asset.network}:${kind}`
  return otherPlaces.find((other) => other === place)
}

/** The name of an account as adjustments name it. */
export const placeOfAccount = (account: Account): string => {
  const [, , kind] = account.split(":")
  const found = Object.entries(chainPlaces).find(([, suffix]) => account.startsWith("chain:") && suffix === kind)
  return found === undefined ? account : found[0]
}
