import type { Json } from "../base/Json.ts"
import { format } from "../money/Amount.ts"
import { type CurrencyTable, decimalsOf } from "../money/Currency.ts"
import type { Deposit } from "./Deposit.ts"

/** The data of a deposit's events (spec, "Event data"). `amount` is a bare decimal text. */
export const depositEventData = (deposit: Deposit, currencies: CurrencyTable): { readonly [key: string]: Json } => ({
  deposit_id: deposit.id,
  network: deposit.network,
  address: deposit.address,
  reference: deposit.reference,
  currency: deposit.currency,
  amount: format(deposit.units, decimalsOf(currencies, deposit.currency)),
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
