import type { ChainPayout, CreateChainPayout, Event } from "@bursar/client"

/** An id of a record. */
export const id = "019845e1-682f-7b02-a706-3b2422d13aec"

/** A payout to ask for. */
export const payout: CreateChainPayout = {
  amount: { amount: "12.5", currency: "USDT_TRON" },
  network: "tron",
  destination: { address: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8" },
  reference: "invoice-2041"
}

/** The payout as the service answers it. */
export const accepted: ChainPayout = {
  id,
  status: "ACCEPTED",
  review: null,
  amount: payout.amount,
  network: payout.network,
  destination: { address: payout.destination.address, memo: null },
  from_address: null,
  tx_hash: null,
  failure_reason: null,
  reference: payout.reference,
  created_at: "2027-01-01T00:00:00.000Z",
  settled_at: null,
  unresolved: false
}

/** An event of the feed. */
export const event = (number: number): Event => ({
  id: number,
  kind: "chain_payout.settled",
  resource_id: id,
  occurred_at: "2027-01-01T00:00:00.000Z",
  data: { operation_id: id, amount: "12.5" }
})
