import { Deposit } from "@bursar/core/deposit/Deposit"
import type { KnownTransaction } from "@bursar/core/reconciliation/chainMovements"
import { Queries } from "@bursar/core/store/Queries"
import type { Utxo } from "@bursar/core/port/Utxo"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { attemptKey, TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { utxoKey, WalletUtxo } from "@bursar/core/transaction/WalletUtxo"
import { Effect } from "effect"

/**
 * Outputs that a transaction spends and that have left the chain, as far as it was read: while one is gone, nothing that spends it can be on the
 * chain, and a node finds it neither unspent nor spent.
 */
export const lostUtxos = Effect.fn("transactions.lostUtxos")(function* ({
  tenantId,
  transaction: { guard, network }
}: Pick<KnownTransaction, "tenantId" | "transaction">) {
  if (guard._tag !== "Utxos") return []
  const queries = yield* Queries
  const all = yield* Effect.forEach(guard.utxos, (utxo) =>
    Effect.gen(function* () {
      const { txHash, vout } = utxo
      const deposit = yield* queries.record(tenantId, Deposit, { network, txHash, transferIndex: vout })
      const owned = yield* queries.record(tenantId, WalletUtxo, utxoKey(network, utxo))
      return deposit?.status === "REORGED" || owned?.state === "GONE" ? [utxo] : []
    })
  )
  return all.flat()
})

/** How many of the transactions that make an output are followed back, each by what it spends itself. */
const makersMax = 16

/** The transactions of ours that made outputs which are lost, and those that made what these spend and is lost, too. */
export const makersOf = Effect.fn("transactions.makersOf")(function* (
  { tenantId, transaction: { network } }: Pick<KnownTransaction, "tenantId" | "transaction">,
  lost: ReadonlyArray<Utxo>
) {
  const queries = yield* Queries
  const found = new Map<string, TransactionAttempt>()
  const hashes = new Set(lost.map(({ txHash }) => txHash))
  // what is added is looked at, too
  for (const hash of hashes) {
    if (found.size >= makersMax) break
    const maker = yield* queries.record(tenantId, TransactionAttempt, attemptKey(network, hash))
    const transaction = maker && (yield* queries.record(tenantId, OutboundTransaction, maker.transactionId))
    if (maker === undefined || transaction === undefined) continue
    found.set(hash, maker)
    for (const { txHash } of yield* lostUtxos({ tenantId, transaction })) hashes.add(txHash)
  }
  return [...found.values()]
})
