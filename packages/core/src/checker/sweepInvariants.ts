import type { OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import { sweepableKey, type SweepableDeposit, unbackedWhileFree } from "../sweep/SweepableDeposit.ts"
import { holderOf } from "../deposit/ownTransfer.ts"
import type { AssetAccount } from "../ledger/Account.ts"
import type { Operation } from "../operation/Operation.ts"
import type { Sweep, SweptDeposit } from "../sweep/Sweep.ts"
import { isSweepOver } from "../sweep/SweepMachine.ts"
import { takenElsewhere } from "../sweep/takenElsewhere.ts"
import { makeHolders } from "./holders.ts"
import type { Invariant } from "./Invariant.ts"
import { requiredLegs } from "./legs/requiredLegs.ts"
import { sweepableSubject } from "./subjects.ts"

/** Whether nothing that moves was reserved of a sweep: one that was given up before may move its deposits after all. */
const isOnlyToppedUp = ({ state, sweepTransactionId, topUpTransactionId }: Sweep): boolean =>
  topUpTransactionId !== null && sweepTransactionId === null && !isSweepOver(state)

/**
 * Whether a sweep still has its deposits, or has moved them for good. One that is over and not closed is about to let them go or take them, and
 * one that only gives coin to its address may lose them.
 */
const takes = (sweep: Sweep): boolean =>
  sweep.closedAt === null ? !isSweepOver(sweep.state) && !isOnlyToppedUp(sweep) : sweep.state === "SWEPT"

/** The deposits that a sweep has: of one that was given up those which it has not let go. */
const takenBy = (sweep: Sweep, found: ReadonlyArray<SweepableDeposit | undefined>): ReadonlyArray<SweptDeposit> =>
  takes(sweep) ? sweep.deposits : sweep.deposits.filter((_, at) => found[at]?.sweepId === sweep.id)

/**
 * Whether a sweep has moved after all what a later one was signed for, which cannot: it was given up, and ended while the other was open. The other is
 * open until what excludes it is deep enough.
 */
const hasMovedFor = (one: Sweep, later: Sweep): boolean =>
  one.state === "SWEPT" &&
  !isSweepOver(later.state) &&
  one.createdAt <= later.createdAt &&
  later.createdAt <= (one.endedAt ?? 0)

/** A deposit that a sweep has not let go when it was closed without moving anything, and that nobody else has moved either. */
const keptInVain = (
  sweep: Sweep,
  found: ReadonlyArray<SweepableDeposit>,
  transaction: OutboundTransaction | undefined
): SweepableDeposit | undefined => {
  if (takes(sweep) || sweep.closedAt === null) return undefined
  const taken = new Set(takenElsewhere(sweep, transaction).map(sweepableKey))
  return found.find((one) => one.sweepId === sweep.id && !taken.has(sweepableKey(one)))
}

/** Whether a deposit lies where its sweep moves from, and is what it moves. */
const isOfAddress = (sweep: Sweep, { address, addressId, contract, network }: SweepableDeposit): boolean =>
  sweep.address === address && sweep.addressId === addressId && sweep.contract === contract && sweep.network === network

const unitsOf = (transaction: OutboundTransaction): bigint =>
  transaction.payments.reduce((sum, { units }) => sum + units, 0n)

/** A deposit is swept once at most, by a transaction that moves no more than what arrived. */
export const sweptDeposits: Invariant = {
  name: "sweeps",
  rule: "every deposit that is being swept, or was, is named by one sweep, and by a later one while that waits for the proof that one given up has moved it after all, a sweep that was given up keeps what somebody else has moved and no more, and every sweep stands where its transaction does and moves no more than its deposits, from where they are",
  bySubject: ({ owns }) => {
    const transactions = new Map<string, OutboundTransaction>()
    const sweepables = new Map<string, SweepableDeposit>()
    const named = makeHolders(hasMovedFor)
    const byTransaction = new Map<string, bigint>()
    return {
      all: {
        transaction: (transaction) => {
          if (transaction.purpose === "SWEEP") transactions.set(transaction.id, transaction)
          return undefined
        },
        sweepable: (sweepable) => {
          sweepables.set(sweepableKey(sweepable), sweepable)
          return undefined
        },
        sweep: (sweep) => {
          const { deposits, sweepTransactionId, units } = sweep
          const found = deposits.map((deposit) => sweepables.get(sweepableKey(deposit)))
          if (sweepTransactionId !== null && owns(sweepTransactionId))
            byTransaction.set(sweepTransactionId, (byTransaction.get(sweepTransactionId) ?? 0n) + units)
          for (const deposit of takenBy(sweep, found)) {
            if (!owns(sweepableSubject(deposit))) continue
            const both = named.add(sweepableKey(deposit), sweep)
            if (both !== undefined)
              return `deposit ${deposit.depositId} is in the sweeps ${both[0].id} and ${both[1].id}`
          }
          return undefined
        }
      },
      sweep: (sweep) => {
        const { currency, deposits, id, state, sweepTransactionId, units } = sweep
        const found = deposits.flatMap((deposit) => sweepables.get(sweepableKey(deposit)) ?? [])
        const transaction = sweepTransactionId === null ? undefined : transactions.get(sweepTransactionId)
        const mayLose = transaction?.guard._tag === "Utxos" && transaction.phase !== "FINAL"
        // whether another that says to have one has moved it after all is for those who see both
        const isLost = ({ sweepId }: SweepableDeposit) => sweepId !== id && !(mayLose && sweepId !== null)
        if (found.length < deposits.length || (takes(sweep) && found.some(isLost)))
          return `sweep ${id} names deposits that are not its own`
        const sum = found.reduce((all, one) => all + one.units, 0n)
        if (takes(sweep) && (sum !== units || found.some((one) => one.currency !== currency)))
          return `sweep ${id} is of ${units} ${currency}, its deposits come to ${sum}`
        if (found.some((one) => !isOfAddress(sweep, one)))
          return `sweep ${id} moves ${sweep.contract ?? "coin"} from ${sweep.address} on ${sweep.network}, its deposits are not there`
        const hasMoved = transaction?.outcome === "done" && transaction.payments.length > 0
        if ((state === "SWEPT") !== hasMoved) {
          return `sweep ${id} is ${state}, its transaction has come to ${transaction?.outcome ?? "nothing"}`
        }
        const kept = keptInVain(sweep, found, transaction)
        if (kept !== undefined)
          return `sweep ${id} was given up and keeps deposit ${kept.depositId}, which nobody has moved`
        return transaction?.phase === "FINAL" && !isSweepOver(state)
          ? `sweep ${id} is ${state}, its transaction is over`
          : undefined
      },
      finish: () => {
        for (const sweepable of sweepables.values()) {
          const { depositId, sweepId } = sweepable
          if (
            sweepId !== null &&
            owns(sweepableSubject(sweepable)) &&
            named.of(sweepableKey(sweepable))?.id !== sweepId
          ) {
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

const isCredited = ({ bookedBy, gone }: SweepableDeposit): boolean => !gone && bookedBy === null

/** The account that an operation of a deposit has brought coins to, or taken them from. */
const broughtTo = ({ details, network }: Operation): AssetAccount | undefined => {
  if (network === null) return undefined
  if (details.taken_over !== undefined) return `chain:${network}:deposits`
  return details.origin === undefined ? undefined : holderOf(network, details.origin)
}

/** The legs of what arrives on an address depend on no account of a customer, and on no currency. */
const noContext = { currencyOf: () => undefined, networkOf: () => null }

/** What the books have credited on addresses of the service is what its sweeps know of. */
export const sweepable: Invariant = {
  name: "sweepable",
  rule: "what was credited on addresses is what can be swept from them, or was, and lies where its deposit came",
  run: () => {
    const arrived = new Map<string, bigint>()
    const came = new Map<string, bigint>()
    return {
      // that the legs of an operation are those that it must have is another rule
      operation: (operation) => {
        const holder = broughtTo(operation)
        if (holder?.endsWith(":deposits") !== true) return undefined
        for (const { account, currency, units } of requiredLegs(operation, noContext).lines) {
          const key = `${holder}|${currency}`
          if (account === holder) came.set(key, (came.get(key) ?? 0n) + units)
        }
        return undefined
      },
      sweepable: (one) => {
        const { currency, network, units } = one
        const key = `chain:${network}:deposits|${currency}`
        if (isCredited(one)) arrived.set(key, (arrived.get(key) ?? 0n) + units)
        return undefined
      },
      finish: () => {
        for (const key of new Set([...arrived.keys(), ...came.keys()])) {
          const [there, told] = [came.get(key) ?? 0n, arrived.get(key) ?? 0n]
          if (there !== told) return `${key} was credited ${there}, the deposits that can be swept come to ${told}`
        }
        return undefined
      }
    }
  },
  bySubject: ({ owns }) => {
    const known = new Map<string, SweepableDeposit>()
    return {
      all: {
        sweepable: (one) => {
          if (owns(one.depositId)) known.set(one.depositId, one)
          return undefined
        }
      },
      deposit: (deposit) => {
        const { creditedBy, id } = deposit
        const one = known.get(id)
        known.delete(id)
        if (one === undefined) return undefined
        if (isCredited(one) && creditedBy === null)
          return `deposit ${id} waits to be swept and is in the books of nobody`
        return sweepableKey(one) === sweepableKey(deposit) &&
          (one.gone || (one.address === deposit.address && one.addressId === deposit.addressId))
          ? undefined
          : `deposit ${id} came to ${deposit.address} by ${sweepableKey(deposit)}, what is swept of it is on ${one.address} by ${sweepableKey(one)}`
      },
      finish: () => {
        for (const id of known.keys()) return `deposit ${id}, which can be swept, does not exist`
        return undefined
      }
    }
  }
}

/** What is wrong with how much of an intake backs nothing: a sweep that has it or has moved it may have left any part. */
const wrongUnbacked = (one: SweepableDeposit): boolean => {
  const { key, sweepId, unbacked, units } = one
  if (sweepId === null) return unbacked !== unbackedWhileFree(one)
  return unbacked < 0n || unbacked > (key._tag === "Imported" ? units : 0n)
}

/** What a tenant may still move backs nothing: else it could be spent and moved. */
export const importedCoins: Invariant = {
  name: "imported-coins",
  rule: "what was credited on addresses of imported keys backs nothing before it is swept, and is counted",
  run: () => {
    const told = new Map<string, bigint>()
    return {
      sweepable: (one) => {
        const { currency, depositId, unbacked, units } = one
        told.set(currency, (told.get(currency) ?? 0n) + unbacked)
        return wrongUnbacked(one) ? `deposit ${depositId} backs all but ${unbacked} of ${units} ${currency}` : undefined
      },
      unsweptImports: ({ currency, units }) => {
        const sum = told.get(currency) ?? 0n
        told.delete(currency)
        return units === sum ? undefined : `${units} ${currency} are counted as unswept, the deposits come to ${sum}`
      },
      finish: () => {
        for (const [currency, sum] of told)
          if (sum !== 0n) return `0 ${currency} are counted as unswept, the deposits come to ${sum}`
        return undefined
      }
    }
  }
}
