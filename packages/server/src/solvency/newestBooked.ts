import type { Network } from "@bursar/core/money/Network"
import type { Positions } from "@bursar/core/reconciliation/Positions"
import { Effect } from "effect"

/** The newest block above a height whose deposits, transfers or transactions are in the books of a network; -1 where none are. */
export const newestBooked = Effect.fnUntraced(function* (
  positions: Positions["Service"],
  network: Network,
  above: number
) {
  const { deposits, transactions, transfers } = yield* positions.chain(network, above)
  const booked = [
    ...deposits.map(({ deposit, isBooked }) => (isBooked ? deposit.block?.number : undefined)),
    ...transfers.map(({ isBooked, transfer }) => (isBooked ? transfer.block.number : undefined)),
    ...transactions.map(({ transaction: { blockNumber, phase } }) => (phase === "FINAL" ? blockNumber : undefined))
  ]
  return booked.reduce<number>((newest, number) => Math.max(newest, number ?? -1), -1)
})
