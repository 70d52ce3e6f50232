import type { Spend } from "../outbound/Spend.ts"
import { coinsHeld, operationsOf, taken } from "../outbound/Spend.ts"
import { isPending } from "../outbound/SpendMachine.ts"
import { addUnits, type AssetUnits, type PayoutWallet } from "../outbound/PayoutWallet.ts"
import { coinKey } from "../outbound/WalletCoin.ts"
import type { Operation } from "../operation/Operation.ts"
import { isOver } from "../operation/OperationMachine.ts"
import type { Payout } from "../payout/Payout.ts"
import { payoutDetails, provenHash } from "../payout/payoutDetails.ts"
import { writeMemo } from "../payout/readMemo.ts"
import type { Pass } from "./Pass.ts"

/** Whether a spend has used its token up, or still may. */
const holdsToken = ({ outcome }: Spend): boolean => outcome !== "expired" && outcome !== "released"

/** A payout is in one spend at most, and is where its spend is. */
export const payoutsInSpends: Pass = {
  name: "payouts",
  rule: "every chain payout has its order, which pays what was asked for to whom it was asked for, is named by at most one spend that is not over, names that spend and stands where it does; of the spends before, which it names too, nothing can take effect",
  run: () => {
    const operations = new Map<string, Operation>()
    const spends = new Map<string, Spend>()
    const live = new Map<string, string>()
    const expired = new Map<string, ReadonlyArray<string>>()
    return {
      operation: (operation) => {
        if (operation.kind === "CHAIN_PAYOUT") operations.set(operation.id, operation)
        return undefined
      },
      spend: (spend) => {
        spends.set(spend.id, spend)
        if (spend.outcome === "expired")
          for (const id of operationsOf(spend)) expired.set(id, [...(expired.get(id) ?? []), spend.id])
        if (spend.phase === "FINAL") return undefined
        for (const id of operationsOf(spend)) {
          const other = live.get(id)
          if (other !== undefined)
            return `payout ${id} is in the spends ${other} and ${spend.id}, neither of which is over`
          live.set(id, spend.id)
        }
        return undefined
      },
      payout: (payout) => {
        const { currency, operationId, phase, spendId, units } = payout
        const operation = operations.get(operationId)
        operations.delete(operationId)
        if (operation === undefined) return `payout ${operationId} is of no chain payout`
        if (operation.amount.units !== units || operation.amount.currency !== currency) {
          return `payout ${operationId} is of ${units} ${currency}, its operation of ${operation.amount.units} ${operation.amount.currency}`
        }
        const asked = payoutDetails(operation)
        const memo = payout.memo === null ? null : writeMemo(payout.memo)
        if (asked.address !== payout.to || asked.memo !== memo)
          return `payout ${operationId} goes to ${shownReceiver(payout.to, memo)}, its operation to ${shownReceiver(asked.address, asked.memo)}`
        const spend = spendId === null ? undefined : spends.get(spendId)
        const payment = spend?.payments.find((one) => one.operationId === operationId)
        if (
          payment !== undefined &&
          (payment.to !== payout.to || payment.units !== units || payment.contract !== payout.contract)
        )
          return `payout ${operationId} is of ${units} to ${payout.to}, its spend ${spendId} pays ${payment.units} to ${payment.to}`
        if (spendId !== null && spend === undefined)
          return `payout ${operationId} names spend ${spendId}, which does not exist`
        const named = live.get(operationId)
        if (named !== undefined && named !== spendId)
          return `payout ${operationId} is in spend ${named} and names ${spendId}`
        if (spend !== undefined && phase !== spend.phase && !(operation.status === "FAILED" && phase === "FINAL")) {
          return `payout ${operationId} is ${phase}, its spend ${spend.id} is ${spend.phase}`
        }
        const earlier = expired.get(operationId)?.filter((id) => id !== spendId) ?? []
        if (earlier.toSorted().join() !== payout.earlierSpends.toSorted().join())
          return `payout ${operationId} was in ${list(payout.earlierSpends)} before, the spends of it that expired are ${list(earlier)}`
        return outcomeOf(operation, payout, spend)
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
const outcomeOf = (operation: Operation, payout: Payout, spend: Spend | undefined): string | undefined => {
  const { id, status, txHash } = operation
  const own = spend?.outcome === "done" && txHash !== null && spend.hashes.includes(txHash)
  // none of its own can take effect, or the one that did has not paid; and the chain has proven another
  const over = spend?.outcome === "replaced" || spend?.outcome === "expired" || spend?.outcome === "done"
  const other = over && txHash === provenHash(operation)
  if (status === "SETTLED" && !own && !(other && txHash !== null)) {
    return `chain payout ${id} is settled by ${txHash}, which is not of a spend that is done`
  }
  if (!isOver(status) && spend?.phase === "FINAL")
    return `chain payout ${id} is ${status}, its spend ${spend.id} is over`
  return status === "FAILED" && payout.phase !== "HELD" && payout.phase !== "FINAL"
    ? `chain payout ${id} has failed and is still ${payout.phase}`
    : undefined
}

/** No token is used by two spends. */
export const spendTokens: Pass = {
  name: "spends",
  rule: "every number of an account and every coin is used by one spend, and what was signed for a spend is one chain of replacements",
  run: () => {
    const used = new Map<string, string>()
    const spends = new Map<string, Spend>()
    const signed = new Map<string, Set<string>>()
    return {
      spend: (spend) => {
        spends.set(spend.id, spend)
        signed.set(spend.id, new Set(spend.hashes))
        if (spend.freed.length > 0 && spend.outcome !== "replaced")
          return `spend ${spend.id} has given coins back and is not replaced`
        if (!holdsToken(spend)) return undefined
        const { network, token } = spend
        const keys =
          token._tag === "Sequence"
            ? [`number ${token.number} of ${token.account} on ${network}`]
            : coinsHeld(spend).map((coin) => `coin ${coinKey(network, coin)}`)
        for (const key of keys) {
          const other = used.get(key)
          if (other !== undefined) return `${key} is used by the spends ${other} and ${spend.id}`
          used.set(key, spend.id)
        }
        return undefined
      },
      transaction: ({ hash, pays, replaces, spendId }) => {
        const spend = spends.get(spendId)
        if (spend === undefined) return `transaction ${hash} is of spend ${spendId}, which does not exist`
        const at = spend.hashes.indexOf(hash)
        if (at < 0 || (spend.hashes[at - 1] ?? null) !== replaces) {
          return `transaction ${hash} replaces ${replaces}, which spend ${spendId} does not say`
        }
        signed.get(spendId)?.delete(hash)
        const strange = pays.find((id) => !operationsOf(spend).includes(id))
        return strange === undefined
          ? undefined
          : `transaction ${hash} pays ${strange}, which spend ${spendId} does not`
      },
      coin: ({ network, spendId, state, txHash, vout }) => {
        const key = `coin ${coinKey(network, { txHash, vout })}`
        const owner = used.get(key) ?? null
        if (state === "GONE") return undefined
        return owner === spendId ? undefined : `${key} is ${state} and names spend ${spendId}, the spends say ${owner}`
      },
      finish: () => {
        for (const [id, [missing]] of signed) {
          if (missing !== undefined) return `spend ${id} names transaction ${missing}, which does not exist`
        }
        return undefined
      }
    }
  }
}

const shown = (all: ReadonlyArray<AssetUnits>): string =>
  all
    .map(({ contract, units }) => `${units} of ${contract ?? "the coin"}`)
    .toSorted()
    .join(", ") || "nothing"

/** A wallet's counters are what its spends make of them. */
export const walletCounters: Pass = {
  name: "wallets",
  rule: "every wallet counts its open spends and what they take, and its next number is above all that are used",
  run: () => {
    const open = new Map<string, number>()
    const committed = new Map<string, ReadonlyArray<AssetUnits>>()
    const highest = new Map<string, bigint>()
    const wallets: Array<PayoutWallet> = []
    return {
      spend: (spend) => {
        const { counterId, phase, token, walletId } = spend
        const ids = [...new Set([walletId, counterId].filter((id) => id !== null))]
        if (phase !== "FINAL") for (const id of ids) open.set(id, (open.get(id) ?? 0) + 1)
        if (walletId !== null && isPending(phase))
          committed.set(walletId, addUnits(committed.get(walletId) ?? [], taken(spend)))
        if (counterId !== null && token._tag === "Sequence" && holdsToken(spend)) {
          const before = highest.get(counterId) ?? -1n
          highest.set(counterId, token.number > before ? token.number : before)
        }
        return undefined
      },
      wallet: (wallet) => {
        wallets.push(wallet)
        return undefined
      },
      finish: () => {
        for (const { committed: stored, id, nextSequence, openSpends } of wallets) {
          const made = open.get(id) ?? 0
          if (made !== openSpends) return `wallet ${id} counts ${openSpends} open spends where there are ${made}`
          const takes = shown(committed.get(id) ?? [])
          if (takes !== shown(stored))
            return `wallet ${id} has committed ${shown(stored)}, its open spends take ${takes}`
          const last = highest.get(id)
          if (last !== undefined && (nextSequence === null || nextSequence <= last)) {
            return `the next number of wallet ${id} is ${nextSequence}, its spends have used ${last}`
          }
        }
        return undefined
      }
    }
  }
}
