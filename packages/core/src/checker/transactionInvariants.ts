import type { OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import { utxosHeld, operationsOf, taken } from "../transaction/OutboundTransaction.ts"
import { isPending } from "../transaction/TransactionMachine.ts"
import { addUnits, type AssetUnits, type PayoutWallet } from "../transaction/PayoutWallet.ts"
import { utxoKey } from "../transaction/WalletUtxo.ts"
import type { Operation } from "../operation/Operation.ts"
import { isOver } from "../operation/OperationMachine.ts"
import type { Payout } from "../payout/Payout.ts"
import { payoutDetails, provenHash } from "../payout/payoutDetails.ts"
import { writeMemo } from "../port/MemoText.ts"
import { makeHolders } from "./holders.ts"
import type { Invariant } from "./Invariant.ts"
import { sequenceSubject, utxoSubject } from "./subjects.ts"

/** Whether a transaction has consumed its replay guard, or still may. */
const holdsGuard = ({ outcome }: OutboundTransaction): boolean => outcome !== "expired" && outcome !== "released"

/**
 * Whether a sweep has moved after all the UTXOs that a later one was signed for, which cannot: it was given up, and ended while the other was open. The
 * other is open until what excludes it is deep enough.
 */
const hasMovedFor = (one: OutboundTransaction, later: OutboundTransaction): boolean =>
  one.purpose === "SWEEP" &&
  later.purpose === "SWEEP" &&
  one.guard._tag === "Utxos" &&
  one.outcome === "done" &&
  later.outcome === null &&
  one.reservedAt <= later.reservedAt &&
  later.reservedAt <= (one.endedAt ?? 0)

/** A payout is in one transaction at most. */
export const payoutsInTransactions: Invariant = {
  name: "payouts",
  rule: "every chain payout has its order, which pays what was asked for, as what its currency is on the network, to whom it was asked for, is named by at most one transaction that is not over, names that transaction; of the transactions before, which it names too, nothing can take effect",
  bySubject: ({ currencies, owns }) => {
    // a currency that the service does not offer any more is what it was
    const contractOf = (payout: Payout) => (currencies.byCode(payout.currency)?.asset ?? payout).contract
    const operations = new Map<string, Operation>()
    const transactions = new Map<string, OutboundTransaction>()
    const live = new Map<string, string>()
    const expired = new Map<string, ReadonlyArray<string>>()
    return {
      operation: (operation) => {
        if (operation.kind === "CHAIN_PAYOUT") operations.set(operation.id, operation)
        return undefined
      },
      all: {
        transaction: (transaction) => {
          transactions.set(transaction.id, transaction)
          const paid = operationsOf(transaction).filter(owns)
          if (transaction.outcome === "expired")
            for (const id of paid) expired.set(id, [...(expired.get(id) ?? []), transaction.id])
          if (transaction.phase === "FINAL") return undefined
          for (const id of paid) {
            const other = live.get(id)
            if (other !== undefined)
              return `payout ${id} is in the transactions ${other} and ${transaction.id}, neither of which is over`
            live.set(id, transaction.id)
          }
          return undefined
        }
      },
      payout: (payout) => {
        const { currency, operationId, transactionId, units } = payout
        const operation = operations.get(operationId)
        operations.delete(operationId)
        if (operation === undefined) return `payout ${operationId} is of no chain payout`
        if (operation.amount.units !== units || operation.amount.currency !== currency) {
          return `payout ${operationId} is of ${units} ${currency}, its operation of ${operation.amount.units} ${operation.amount.currency}`
        }
        if (payout.network !== operation.network || payout.contract !== contractOf(payout))
          return `payout ${operationId} moves ${payout.contract ?? "coin"} on ${payout.network}, its operation is of ${currency} on ${operation.network}`
        const asked = payoutDetails(operation)
        const memo = payout.memo === null ? null : writeMemo(payout.memo)
        if (asked.address !== payout.to || asked.memo !== memo)
          return `payout ${operationId} goes to ${shownReceiver(payout.to, memo)}, its operation to ${shownReceiver(asked.address, asked.memo)}`
        const transaction = transactionId === null ? undefined : transactions.get(transactionId)
        const payment = transaction?.payments.find((one) => one.operationId === operationId)
        if (
          payment !== undefined &&
          (payment.to !== payout.to || payment.units !== units || payment.contract !== payout.contract)
        )
          return `payout ${operationId} is of ${units} to ${payout.to}, its transaction ${transactionId} pays ${payment.units} to ${payment.to}`
        if (transactionId !== null && transaction === undefined)
          return `payout ${operationId} names transaction ${transactionId}, which does not exist`
        const named = live.get(operationId)
        if (named !== undefined && named !== transactionId)
          return `payout ${operationId} is in transaction ${named} and names ${transactionId}`
        const earlier = expired.get(operationId)?.filter((id) => id !== transactionId) ?? []
        if (earlier.toSorted().join() !== payout.earlierTransactions.toSorted().join())
          return `payout ${operationId} was in ${list(payout.earlierTransactions)} before, the transactions of it that expired are ${list(earlier)}`
        return outcomeOf(operation, transaction)
      },
      finish: () => {
        const [missing] = operations.keys()
        return missing === undefined ? undefined : `chain payout ${missing} has no order`
      }
    }
  }
}

const shownReceiver = (address: string | null, memo: string | null): string =>
  `${address ?? "nobody"}${memo === null ? "" : ` with memo ${memo}`}`

const list = (ids: ReadonlyArray<string>): string => (ids.length === 0 ? "none" : ids.join(", "))

/** What the chain has made is settled, and what is settled the chain has made. */
const outcomeOf = (operation: Operation, transaction: OutboundTransaction | undefined): string | undefined => {
  const { id, status, txHash } = operation
  const own = transaction?.outcome === "done" && txHash !== null && transaction.hashes.includes(txHash)
  // nothing of its own can take effect any more, or what did has not paid; and the chain has proven another
  const over = transaction === undefined || (transaction.outcome !== null && transaction.outcome !== "released")
  const other = over && txHash === provenHash(operation)
  if (status === "SETTLED" && !own && !(other && txHash !== null)) {
    return `chain payout ${id} is settled by ${txHash}, which is not of a transaction that is done`
  }
  if (!isOver(status) && transaction?.phase === "FINAL")
    return `chain payout ${id} is ${status}, its transaction ${transaction.id} is over`
  return status === "FAILED" && transaction !== undefined && transaction.phase !== "FINAL"
    ? `chain payout ${id} has failed, its transaction ${transaction.id} is ${transaction.phase}`
    : undefined
}

/** No replay guard is used by two transactions. */
export const transactionGuards: Invariant = {
  name: "transactions",
  rule: "every sequence of an account and every UTXO is used by one outbound transaction, but for a later sweep of what one that was given up has moved after all, and its attempts are one chain of replacements",
  bySubject: ({ owns }) => {
    const used = makeHolders(hasMovedFor)
    const transactions = new Map<string, OutboundTransaction>()
    const signed = new Map<string, Set<string>>()
    return {
      transaction: (transaction) => {
        transactions.set(transaction.id, transaction)
        signed.set(transaction.id, new Set(transaction.hashes))
        const { freed, givenUpAfter, outcome, purpose } = transaction
        if (freed.length > 0 && outcome !== "replaced" && (outcome !== null || givenUpAfter === null))
          return `transaction ${transaction.id} has freed UTXOs and is not replaced`
        if (givenUpAfter !== null && purpose !== "SWEEP")
          return `transaction ${transaction.id} is a ${purpose}, which nothing gives up`
        return undefined
      },
      all: {
        transaction: (transaction) => {
          const { outcome, purpose } = transaction
          if (!holdsGuard(transaction)) return undefined
          // a sweep whose deposits another one of ours has moved, which was given up before
          if (purpose === "SWEEP" && outcome === "replaced" && transaction.guard._tag === "Utxos") return undefined
          const { network, guard } = transaction
          const keys: ReadonlyArray<readonly [string, string]> =
            guard._tag === "Sequence"
              ? [
                  [
                    sequenceSubject(network, guard.account, guard.sequence),
                    `sequence ${guard.sequence} of ${guard.account} on ${network}`
                  ]
                ]
              : utxosHeld(transaction).map((utxo) => [utxoSubject(network, utxo), `utxo ${utxoKey(network, utxo)}`])
          for (const [subject, key] of keys) {
            if (!owns(subject)) continue
            const both = used.add(subject, transaction)
            if (both !== undefined) return `${key} is used by the transactions ${both[0].id} and ${both[1].id}`
          }
          return undefined
        }
      },
      attempt: ({ hash, network, pays, replaces, transactionId }) => {
        const transaction = transactions.get(transactionId)
        if (transaction === undefined) return `attempt ${hash} is of transaction ${transactionId}, which does not exist`
        if (transaction.network !== network)
          return `attempt ${hash} is on ${network}, its transaction ${transactionId} on ${transaction.network}`
        const at = transaction.hashes.indexOf(hash)
        if (at < 0 || (transaction.hashes[at - 1] ?? null) !== replaces) {
          return `attempt ${hash} replaces ${replaces}, which transaction ${transactionId} does not say`
        }
        signed.get(transactionId)?.delete(hash)
        const strange = pays.find((id) => !operationsOf(transaction).includes(id))
        return strange === undefined
          ? undefined
          : `attempt ${hash} pays ${strange}, which transaction ${transactionId} does not`
      },
      utxo: ({ network, transactionId, state, txHash, vout }) => {
        const owner = used.of(utxoSubject(network, { txHash, vout }))?.id ?? null
        if (state === "GONE") return undefined
        return owner === transactionId
          ? undefined
          : `utxo ${utxoKey(network, { txHash, vout })} is ${state} and names transaction ${transactionId}, the transactions say ${owner}`
      },
      finish: () => {
        for (const [id, [missing]] of signed) {
          if (missing !== undefined) return `transaction ${id} names attempt ${missing}, which does not exist`
        }
        return undefined
      }
    }
  }
}

const shown = (all: ReadonlyArray<AssetUnits>): string =>
  all
    .map(({ contract, units }) => `${units} of ${contract ?? "the native asset"}`)
    .toSorted()
    .join(", ") || "nothing"

/** A wallet's counters are what its transactions make of them. */
export const walletCounters: Invariant = {
  name: "wallets",
  rule: "every wallet counts its open transactions and what they take, and its next sequence is above all that are used; what a wallet pays or counts, it pays on its own network",
  run: () => {
    const open = new Map<string, number>()
    const committed = new Map<string, ReadonlyArray<AssetUnits>>()
    const highest = new Map<string, bigint>()
    const wallets: Array<PayoutWallet> = []
    const used = new Map<string, OutboundTransaction>()
    return {
      transaction: (transaction) => {
        const { counterId, network, phase, guard, walletId } = transaction
        const ids = [...new Set([walletId, counterId].filter((id) => id !== null))]
        for (const id of ids) {
          const other = used.get(id)
          if (other !== undefined && other.network !== network)
            return `transaction ${transaction.id} is on ${network}, ${other.id} of the same wallet ${id} is on ${other.network}`
          used.set(id, transaction)
        }
        if (phase !== "FINAL") for (const id of ids) open.set(id, (open.get(id) ?? 0) + 1)
        if (walletId !== null && isPending(phase))
          committed.set(walletId, addUnits(committed.get(walletId) ?? [], taken(transaction)))
        if (counterId !== null && guard._tag === "Sequence" && holdsGuard(transaction)) {
          const before = highest.get(counterId) ?? -1n
          highest.set(counterId, guard.sequence > before ? guard.sequence : before)
        }
        return undefined
      },
      wallet: (wallet) => {
        wallets.push(wallet)
        return undefined
      },
      finish: () => {
        for (const { id, network } of wallets) {
          const one = used.get(id)
          used.delete(id)
          if (one !== undefined && one.network !== network)
            return `wallet ${id} is on ${network}, its transaction ${one.id} is on ${one.network}`
        }
        for (const [id, one] of used) return `transaction ${one.id} names wallet ${id}, which does not exist`
        for (const { committed: stored, id, nextSequence, openTransactions } of wallets) {
          const made = open.get(id) ?? 0
          if (made !== openTransactions)
            return `wallet ${id} counts ${openTransactions} open transactions where there are ${made}`
          const takes = shown(committed.get(id) ?? [])
          if (takes !== shown(stored))
            return `wallet ${id} has committed ${shown(stored)}, its open transactions take ${takes}`
          const last = highest.get(id)
          if (last !== undefined && (nextSequence === null || nextSequence <= last)) {
            return `the next sequence of wallet ${id} is ${nextSequence}, its transactions have used ${last}`
          }
        }
        return undefined
      }
    }
  }
}
