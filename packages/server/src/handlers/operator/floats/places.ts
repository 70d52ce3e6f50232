import type { AgainstAccount } from "@bursar/api/operator/againstAccounts"
import type { Account } from "@bursar/core/ledger/Account"
import type { Currency } from "@bursar/core/money/Currency"

const chainPlaces = {
  payout_wallet: "payouts",
  deposit_addresses: "deposits",
  tenant_addresses: "tenant"
} as const satisfies { readonly [name in AgainstAccount]?: string }

/** The account of a place; undefined for a place on a network where the currency is on none. */
export const accountOf = (place: AgainstAccount, { asset }: Pick<Currency, "asset">): Account | undefined => {
  switch (place) {
    case "custodian":
    case "bank":
    case "suspense":
      return place
    case "payout_wallet":
    case "deposit_addresses":
    case "tenant_addresses":
      return asset === null ? undefined : `chain:${asset.network}:${chainPlaces[place]}`
  }
}

/** The name of an account as adjustments name it. */
export const placeOf = (account: Account): string => {
  const [, , kind] = account.split(":")
  const found = Object.entries(chainPlaces).find(([, suffix]) => account.startsWith("chain:") && suffix === kind)
  return found === undefined ? account : found[0]
}
