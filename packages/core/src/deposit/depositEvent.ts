import type { Json } from "../base/Json.ts"
import { format } from "../money/Amount.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { Deposit } from "./Deposit.ts"

/** The data of a deposit's events (spec, "Event data"). `amount` is a bare decimal text. */
export const depositEventData = (deposit: Deposit, currencies: CurrencyTable): { readonly [key: string]: Json } => ({
  deposit_id: deposit.id,
  network: deposit.network,
  address: deposit.address,
  reference: deposit.reference,
  currency: deposit.currency,
  amount: format(deposit.units, decimalsOf(deposit.currency, currencies)),
  amount_units: deposit.units.toString(),
  tx_hash: deposit.txHash,
  transfer_index: deposit.transferIndex,
  block_number: deposit.block?.number ?? null,
  confirmations: deposit.confirmations,
  required_confirmations: deposit.requiredConfirmations,
  status: deposit.status,
  historical: deposit.historical,
  change_seq: deposit.changeSeq
})

/** The decimals of a currency that is in the books; one that is not in the table is a mistake of the configuration. */
const decimalsOf = (code: string, currencies: CurrencyTable): number => {
  const currency = currencies.byCode(code)
  if (currency === undefined) throw new Error(`currency ${code} is not in the table`)
  return currency.decimals
}
