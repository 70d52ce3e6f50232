import type { PayoutsPlan, PayoutsRequest, WaitingPayment } from "@bursar/core/port/TransactionPlanner"
import type { Utxo } from "@bursar/core/port/Utxo"
import { selectUtxos, type UtxoSelection, utxosMaxDefault } from "./selectUtxos.ts"
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

/** What may be chosen of some UTXOs, in words: there may be enough of them, and too many for one transaction. */
const offeredWords = ({ length }: ReadonlyArray<Utxo>): string =>
  length > utxosMaxDefault
    ? `the ${utxosMaxDefault} largest of ${length} free confirmed UTXOs, which are all that one transaction spends,`
    : "the free confirmed UTXOs"

/** What one transaction pays, and what it leaves out for want of coins. */
interface GroupChoice {
  readonly taken: ReadonlyArray<WaitingPayment>
  readonly chosen: Extract<UtxoSelection, { readonly _tag: "Selected" }> | undefined
  readonly left: ReadonlyArray<{ readonly id: string; readonly lacks: bigint }>
}

/**
 * The payments of a group that some UTXOs pay together, the oldest first: one that they do not pay beside those before it keeps none after it
 * waiting. All at once is tried first, as that is how it is nearly always.
 */
const chooseFor = (
  group: ReadonlyArray<WaitingPayment>,
  select: (targets: ReadonlyArray<WaitingPayment>) => UtxoSelection
): GroupChoice => {
  const all = select(group)
  if (all._tag === "Selected") return { taken: group, chosen: all, left: [] }
  const [only, ...others] = group
  if (only !== undefined && others.length === 0)
    return { taken: [], chosen: undefined, left: [{ id: only.id, lacks: all.units }] }
  let choice: GroupChoice = { taken: [], chosen: undefined, left: [] }
  for (const payment of group) {
    const more = select([...choice.taken, payment])
    choice =
      more._tag === "Selected"
        ? { ...choice, taken: [...choice.taken, payment], chosen: more }
        : { ...choice, left: [...choice.left, { id: payment.id, lacks: more.units }] }
  }
  return choice
}

/**
 * Chooses free UTXOs that pay as many payments as they can, the oldest first: one that is too large waits alone. They are chosen so that a replacement at twice the rate
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
    const free = offered
    const { chosen, left, taken } = chooseFor(group, (targets) =>
      selectUtxos({ utxos: free, targets, changeTo, sizes: utxoSizes, feeRate, reserveRate: 2n * feeRate })
    )
    for (const { id, lacks } of left) {
      const detail = `${offeredWords(free)} of ${changeTo} lack ${lacks} satoshi`
      waiting.push({ id, reason: "insufficient_wallet", detail, retry: "later" })
    }
    if (chosen === undefined) continue
    const { fee, utxos: spent } = chosen
    transactions.push({ ids: taken.map(({ id }) => id), guard: { _tag: "Utxos", utxos: spent, fee } })
    const keys = new Set(spent.map(keyOf))
    offered = offered.filter((utxo) => !keys.has(keyOf(utxo)))
  }
  return { transactions, waiting }
}
