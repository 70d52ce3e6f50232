import type { CurrencyTable } from "../money/Currency.ts"
import type { NetworkAdapter } from "../port/NetworkAdapter.ts"

/**
 * Why a canonical address cannot be paid: it is that of an asset itself, its contract or its issuer, in whatever form. Undefined where it is
 * not.
 */
export const assetObjection = (
  { accountOf, traits }: Pick<NetworkAdapter, "accountOf" | "traits">,
  { contracts }: Pick<CurrencyTable, "contracts">,
  address: string
): string | undefined => {
  const account = (accountOf?.(address) ?? address).toLowerCase()
  return contracts(traits.name).some((asset) => asset.split(":").at(-1)?.toLowerCase() === account)
    ? "This is the address of the asset itself; what is sent there is lost."
    : undefined
}
