import { isAsset, isOwed } from "../ledger/Account.ts"
import { signedDelta } from "../ledger/post.ts"
import { isOver } from "../operation/OperationMachine.ts"
import type { PostedLeg } from "../ledger/Leg.ts"
import type { Invariant } from "./Invariant.ts"

const keyOf = ({ account, currency }: { readonly account: string; readonly currency: string }) =>
  `${account} ${currency}`

const place = (leg: PostedLeg) => `leg ${leg.postingSeq}/${leg.ordinal} of operation ${leg.operationId}`

/** Every posting moves as much out as in, per currency. */
export const postingsBalance: Invariant = {
  name: "postings-balance",
  rule: "debits and credits of every posting are equal per currency, and postings are numbered without a gap",
  run: ({ head }) => {
    let posting = 0
    let operationId = ""
    let sums = new Map<string, bigint>()
    const close = () => {
      for (const [currency, sum] of sums) {
        if (sum !== 0n)
          return `posting ${posting} of operation ${operationId} is out of balance by ${sum} units of ${currency}`
      }
      return undefined
    }
    return {
      leg: (leg) => {
        if (leg.postingSeq === posting) {
          if (leg.operationId !== operationId)
            return `${place(leg)}: posting ${posting} belongs to operation ${operationId}`
        } else {
          const wrong = close()
          if (wrong !== undefined) return wrong
          if (leg.postingSeq !== posting + 1) return `posting ${posting + 1} is missing before ${place(leg)}`
          posting = leg.postingSeq
          operationId = leg.operationId
          sums = new Map()
        }
        sums.set(leg.currency, (sums.get(leg.currency) ?? 0n) + (leg.direction === "DEBIT" ? leg.units : -leg.units))
        return undefined
      },
      finish: () =>
        close() ??
        (posting === head.postingSeq
          ? undefined
          : `the head counts ${head.postingSeq} postings, the books end at ${posting}`)
    }
  }
}

/** The lines of a posting were made together. */
export const postingMoments: Invariant = {
  name: "postings",
  rule: "the legs of every posting are numbered from 0 and were posted at one moment, no posting before an earlier one, and none after the tenant's last change",
  run: ({ head }) => {
    let last = { postingSeq: 0, ordinal: -1, postedAt: 0 }
    return {
      leg: (leg) => {
        const { ordinal, postedAt, postingSeq } = leg
        const before = last
        last = leg
        const isSame = postingSeq === before.postingSeq
        if (ordinal !== (isSame ? before.ordinal + 1 : 0))
          return `${place(leg)} is not the next of posting ${postingSeq}`
        if (isSame ? postedAt !== before.postedAt : postedAt < before.postedAt)
          return `${place(leg)} was posted at ${postedAt}, the one before at ${before.postedAt}`
        return postedAt > head.lastAt
          ? `${place(leg)} was posted at ${postedAt}, after the tenant's last change at ${head.lastAt}`
          : undefined
      }
    }
  }
}

/** Every account's legs tell its whole history. */
export const legChains: Invariant = {
  name: "leg-chains",
  rule: "the legs of every account are numbered without a gap and each carries the balance that those before it make",
  run: ({ balances }) => {
    const accounts = new Map<string, { units: bigint; version: number }>()
    return {
      leg: (leg) => {
        const before = accounts.get(keyOf(leg)) ?? { units: 0n, version: 0 }
        const units = before.units + signedDelta(leg)
        accounts.set(keyOf(leg), { units, version: before.version + 1 })
        if (leg.version !== before.version + 1)
          return `${place(leg)}: ${keyOf(leg)} has version ${leg.version} after ${before.version}`
        if (leg.balance !== units)
          return `${place(leg)}: ${keyOf(leg)} shows ${leg.balance} where the legs make ${units}`
        return undefined
      },
      finish: () => {
        for (const balance of balances) {
          const made = accounts.get(keyOf(balance)) ?? { units: 0n, version: 0 }
          if (made.units !== balance.units || made.version !== balance.version) {
            return `balance ${keyOf(balance)} is ${balance.units} at version ${balance.version}, its legs make ${made.units} at ${made.version}`
          }
          accounts.delete(keyOf(balance))
        }
        const [missing] = accounts.keys()
        return missing === undefined ? undefined : `there are legs of ${missing} but no balance`
      }
    }
  }
}

/** What is held is what open operations hold. */
export const holds: Invariant = {
  name: "holds",
  rule: "float:held is the sum of amount and fee of the operations that hold it and are not yet over",
  run: ({ balances }) => {
    const open = new Map<string, bigint>()
    return {
      operation: ({ amount, customerFee, kind, status }) => {
        const holding =
          kind === "CHAIN_PAYOUT" ||
          kind === "WITHDRAWAL" ||
          kind === "OFF_RAMP" ||
          kind === "BANK_TRANSFER" ||
          kind === "REFUND"
        if (isOver(status) || !holding) return undefined
        open.set(amount.currency, (open.get(amount.currency) ?? 0n) + amount.units + customerFee.units)
        return undefined
      },
      finish: () => {
        for (const { account, currency, units } of balances) {
          if (account !== "float:held") continue
          const expected = open.get(currency) ?? 0n
          if (units !== expected) return `float:held ${currency} is ${units} where open operations hold ${expected}`
          open.delete(currency)
        }
        for (const [currency, units] of open) {
          if (units !== 0n) return `open operations hold ${units} of ${currency} but float:held has none`
        }
        return undefined
      }
    }
  }
}

/** No place shows less than nothing, and nobody is owed less than nothing but where the chain or a bank took something back. */
export const balancesAboveZero: Invariant = {
  name: "balances",
  rule: "no place where value stands shows less than nothing, nor does what is held or stands on a customer's account",
  run: ({ balances }) => ({
    finish: () => {
      const below = balances.find(
        ({ account, units }) => units < 0n && account !== "float:available" && (isAsset(account) || isOwed(account))
      )
      return below === undefined ? undefined : `balance ${keyOf(below)} is ${below.units}`
    }
  })
}
