import type { PayoutsPlan, PayoutsRequest, WaitingPayment } from "@bursar/core/port/TransactionPlanner"
import type { Utxo } from "@bursar/core/port/Utxo"
import { selectUtxos } from "./selectUtxos.ts"
import { utxoSizes } from "./UtxoSizes.ts"

/** Payments that are to share transactions, and the UTXOs that may pay them. */
export interface PayoutsChoice {
  readonly request: Pick<PayoutsRequest, "accounts" | "payments">
  readonly utxos: ReadonlyArray<Utxo>
  /** Satoshi per 1,000 virtual bytes; null where the node cannot tell. */
  readonly feeRate: bigint | null
  /** How many payments one transaction makes at most. */
  readonly paymentsMax: number
}

/** Those that share no transaction each by itself, then the others in groups that fit into one. */
const groupsOf = (
  payments: ReadonlyArray<WaitingPayment>,
  paymentsMax: number
): ReadonlyArray<ReadonlyArray<WaitingPayment>> => {
  const together = payments.filter(({ alone }) => !alone)
  const groups = Math.ceil(together.length / paymentsMax)
  return [
    ...payments.filter(({ alone }) => alone).map((payment) => [payment]),
    ...Array.from({ length: groups }, (_, at) => together.slice(at * paymentsMax, (at + 1) * paymentsMax))
  ]
}

const keyOf = ({ txHash, vout }: Utxo): string => `${txHash}:${vout}`

/**
 * Chooses free UTXOs that pay as many payments as they can, the oldest first. They are chosen so that a replacement at twice the rate
 * could still be paid from the change. While the rate is not known, all payments wait. No UTXO is in two transactions. Pure.
 */
export const planPayouts = ({ feeRate, paymentsMax, request, utxos }: PayoutsChoice): PayoutsPlan => {
  const { accounts, payments } = request
  if (feeRate === null) {
    const detail = "the node gives no fee rate"
    return {
      transactions: [],
      waiting: payments.map(({ id }) => ({ id, reason: "fees_unknown", detail, retry: "later" }))
    }
  }
  const changeTo = accounts.wallet.address
  const transactions: Array<PayoutsPlan["transactions"][number]> = []
  const waiting: Array<PayoutsPlan["waiting"][number]> = []
  let offered = utxos
  for (const group of groupsOf(payments, paymentsMax)) {
    for (let taken = group; taken.length > 0; taken = taken.slice(0, -1)) {
      const choice = { utxos: offered, targets: taken, changeTo, sizes: utxoSizes }
      const chosen = selectUtxos({ ...choice, feeRate, reserveRate: 2n * feeRate })
      if (chosen._tag === "Selected") {
        const { fee, utxos: spent } = chosen
        transactions.push({ ids: taken.map(({ id }) => id), guard: { _tag: "Utxos", utxos: spent, fee } })
        const keys = new Set(spent.map(keyOf))
        offered = offered.filter((utxo) => !keys.has(keyOf(utxo)))
        break
      }
      const detail = `the free confirmed UTXOs of ${changeTo} lack ${chosen.units} satoshi`
      waiting.push(
        ...taken.slice(-1).map(({ id }) => ({ id, reason: "insufficient_wallet", detail, retry: "later" }) as const)
      )
    }
  }
  return { transactions, waiting }
}
