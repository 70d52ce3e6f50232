import type { OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import { sweepableKey, type SweepableDeposit } from "../sweep/SweepableDeposit.ts"
import { holderOf } from "../deposit/ownTransfer.ts"
import { type AssetAccount, shortfallOf } from "../ledger/Account.ts"
import type { Sweep, SweptDeposit } from "../sweep/Sweep.ts"
import { isSweepOver } from "../sweep/SweepMachine.ts"
import type { Invariant } from "./Invariant.ts"

/** Whether nothing that moves was reserved of a sweep: one that was given up before may move its deposits after all. */
const isOnlyToppedUp = ({ state, sweepTransactionId, topUpTransactionId }: Sweep): boolean =>
  topUpTransactionId !== null && sweepTransactionId === null && !isSweepOver(state)

/**
 * Whether a sweep still has its deposits, or has moved them for good. One that is over and not closed is about to let them go or take them, and
 * one that only gives coin to its address may lose them.
 */
const takes = (sweep: Sweep): boolean =>
  sweep.closedAt === null ? !isSweepOver(sweep.state) && !isOnlyToppedUp(sweep) : sweep.state === "SWEPT"

/** The deposits that a sweep has. */
const takenBy = (sweep: Sweep, found: ReadonlyArray<SweepableDeposit | undefined>): ReadonlyArray<SweptDeposit> =>
  takes(sweep)
    ? sweep.deposits
    : sweep.closedAt === null
      ? sweep.deposits.filter((_, at) => found[at]?.sweepId === sweep.id)
      : []

const unitsOf = (transaction: OutboundTransaction): bigint =>
  transaction.payments.reduce((sum, { units }) => sum + units, 0n)

/** A deposit is swept once at most, by a transaction that moves no more than what arrived. */
export const sweptDeposits: Invariant = {
  name: "sweeps",
  rule: "every deposit that is being swept, or was, is named by one sweep, and every sweep stands where its transaction does and moves no more than its deposits",
  run: () => {
    const transactions = new Map<string, OutboundTransaction>()
    const sweepables = new Map<string, SweepableDeposit>()
    const named = new Map<string, string>()
    const byTransaction = new Map<string, bigint>()
    return {
      transaction: (transaction) => {
        if (transaction.purpose === "SWEEP" || transaction.purpose === "TOP_UP")
          transactions.set(transaction.id, transaction)
        return undefined
      },
      sweepable: (sweepable) => {
        sweepables.set(sweepableKey(sweepable), sweepable)
        return undefined
      },
      sweep: (sweep) => {
        const { currency, deposits, id, state, sweepTransactionId, units } = sweep
        const found = deposits.map((deposit) => sweepables.get(sweepableKey(deposit)))
        const foreign = found.find((sweepable) => sweepable === undefined || (takes(sweep) && sweepable.sweepId !== id))
        if (foreign !== undefined || found.includes(undefined)) {
          return `sweep ${id} names deposits that are not its own`
        }
        const sum = found.reduce((all, sweepable) => all + (sweepable?.units ?? 0n), 0n)
        if (takes(sweep) && (sum !== units || found.some((sweepable) => sweepable?.currency !== currency))) {
          return `sweep ${id} is of ${units} ${currency}, its deposits come to ${sum}`
        }
        for (const deposit of takenBy(sweep, found)) {
          const other = named.get(sweepableKey(deposit))
          if (other !== undefined) return `deposit ${deposit.depositId} is in the sweeps ${other} and ${id}`
          named.set(sweepableKey(deposit), id)
        }
        const transaction = sweepTransactionId === null ? undefined : transactions.get(sweepTransactionId)
        if (transaction !== undefined)
          byTransaction.set(transaction.id, (byTransaction.get(transaction.id) ?? 0n) + units)
        const hasMoved = transaction?.outcome === "done" && transaction.payments.length > 0
        if ((state === "SWEPT") !== hasMoved) {
          return `sweep ${id} is ${state}, its transaction has come to ${transaction?.outcome ?? "nothing"}`
        }
        return transaction?.phase === "FINAL" && !isSweepOver(state)
          ? `sweep ${id} is ${state}, its transaction is over`
          : undefined
      },
      finish: () => {
        for (const sweepable of sweepables.values()) {
          const { depositId, sweepId } = sweepable
          if (sweepId !== null && named.get(sweepableKey(sweepable)) !== sweepId) {
            return `deposit ${depositId} says that sweep ${sweepId} has it, which says otherwise`
          }
        }
        for (const [id, units] of byTransaction) {
          const moved = transactions.get(id)
          if (moved !== undefined && unitsOf(moved) > units) {
            return `transaction ${id} moves ${unitsOf(moved)}, the deposits of its sweeps come to ${units}`
          }
        }
        return undefined
      }
    }
  }
}

/** What the books have credited on addresses of the service is what its sweeps know of. */
export const sweepable: Invariant = {
  name: "sweepable",
  rule: "what was credited on addresses is what can be swept from them, or was",
  run: () => {
    /** The account that each operation of a deposit has brought coins to, or taken them from. */
    const origins = new Map<string, AssetAccount>()
    const credited = new Map<string, { readonly units: bigint; readonly key: string }>()
    const came = new Map<string, bigint>()
    return {
      operation: (operation) => {
        const { details, id, kind, network } = operation
        const ofDeposit = kind === "DEPOSIT" || kind === "REVERSAL" || details.own_transfer === true
        const { origin } = details
        if (ofDeposit && origin !== undefined && network !== null) origins.set(id, holderOf(network, origin))
        if (details.taken_over !== undefined && network !== null) origins.set(id, `chain:${network}:deposits`)
        return undefined
      },
      sweepable: ({ bookedBy, currency, depositId, gone, network, units }) => {
        if (!gone && bookedBy === null) {
          credited.set(depositId, { units, key: `chain:${network}:deposits|${currency}` })
        }
        return undefined
      },
      leg: ({ account, currency, direction, operationId, units }) => {
        const signed = direction === "DEBIT" ? units : -units
        const holder = origins.get(operationId)
        // what was not there any more when a deposit was taken back is short of the same account
        if (holder?.endsWith(":deposits") === true && (account === holder || account === shortfallOf(holder))) {
          const key = `${holder}|${currency}`
          came.set(key, (came.get(key) ?? 0n) + signed)
        }
        return undefined
      },
      deposit: ({ creditedBy, id }) => {
        return credited.has(id) && creditedBy === null
          ? `deposit ${id} waits to be swept and is in the books of nobody`
          : undefined
      },
      finish: () => {
        const arrived = new Map<string, bigint>()
        for (const { key, units } of credited.values()) arrived.set(key, (arrived.get(key) ?? 0n) + units)
        for (const key of new Set([...arrived.keys(), ...came.keys()])) {
          const [there, told] = [came.get(key) ?? 0n, arrived.get(key) ?? 0n]
          if (there !== told) return `${key} was credited ${there}, the deposits that can be swept come to ${told}`
        }
        return undefined
      }
    }
  }
}
