import type { JsonObject } from "../json.ts"
import type { Ledger } from "../Ledger.ts"
import { baseFee, baseReserve, operationsPerLedgerMax, protocolVersion, totalCoins } from "../network.ts"
import { toid } from "../toid.ts"
import { textOf } from "../units.ts"
import { link, pagedLink, timeText } from "./links.ts"

/** A ledger as Horizon writes it. */
export const ledgerJson = (base: string, ledger: Ledger): JsonObject => {
  const self = `${base}/ledgers/${ledger.sequence}`
  const successful = ledger.executed.filter((executed) => executed.successful)
  const count = (some: typeof successful) =>
    some.reduce((sum, { submission }) => sum + submission.inner.operations.length, 0)
  return {
    _links: {
      self: link(self),
      transactions: pagedLink(`${self}/transactions`),
      operations: pagedLink(`${self}/operations`),
      payments: pagedLink(`${self}/payments`),
      effects: pagedLink(`${self}/effects`)
    },
    id: ledger.hash,
    paging_token: toid(ledger.sequence).toString(),
    hash: ledger.hash,
    prev_hash: ledger.sequence === 1 ? undefined : ledger.previousHash,
    sequence: ledger.sequence,
    successful_transaction_count: successful.length,
    failed_transaction_count: ledger.executed.length - successful.length,
    operation_count: count(successful),
    tx_set_operation_count: count([...ledger.executed]),
    closed_at: timeText(ledger.time),
    total_coins: textOf(totalCoins),
    fee_pool: textOf(ledger.feePool),
    base_fee_in_stroops: Number(baseFee),
    base_reserve_in_stroops: Number(baseReserve),
    max_tx_set_size: operationsPerLedgerMax,
    protocol_version: protocolVersion,
    header_xdr: ledger.headerXdr
  }
}
