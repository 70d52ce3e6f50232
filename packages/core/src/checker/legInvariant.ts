import { isAsset } from "../ledger/Account.ts"
import type { Leg } from "../ledger/Leg.ts"
import { bearerOf } from "../transaction/transactionLegs.ts"
import { requiredLegs } from "./legs/requiredLegs.ts"
import type { RequiredLine } from "./legs/RequiredLine.ts"
import { transactionLines } from "./legs/transactionLines.ts"
import type { Invariant } from "./Invariant.ts"

const shortfallPrefix = "suspense:"

/** The account that a line counts for: what is short of a place and the place are one. */
const placeOf = (account: string): string =>
  account.startsWith(shortfallPrefix) ? account.slice(shortfallPrefix.length) : account

const keyOf = ({ account, currency, what }: Pick<Leg, "account" | "currency" | "what">): string =>
  `${placeOf(account)}|${currency}|${what}`

/** What one operation or transaction must still have, less what it has. */
interface Open {
  readonly named: string
  /** What is missing on an account, by account, currency and purpose; nothing that is even. */
  readonly left: Map<string, bigint>
  readonly untold: ReadonlySet<string>
}

const add = ({ left }: Open, line: Pick<RequiredLine, "account" | "currency" | "units" | "what">): void => {
  const key = keyOf(line)
  const units = (left.get(key) ?? 0n) + line.units
  if (units === 0n) left.delete(key)
  else left.set(key, units)
}

/** What of a place was taken from what is short of it, or covered that: together with the place it comes to nothing. */
const withoutShortfalls = (left: ReadonlyMap<string, bigint>): ReadonlyMap<string, bigint> => {
  const even = new Map<string, bigint>()
  for (const [key, units] of left) {
    const [account = "", currency = ""] = key.split("|")
    const shortfall = `${account}|${currency}|shortfall`
    const into = left.has(shortfall) ? shortfall : key
    even.set(into, (even.get(into) ?? 0n) + units)
  }
  return even
}

const mistakeIn = ({ left, named, untold }: Open): string | undefined => {
  for (const [key, units] of withoutShortfalls(left)) {
    const [account = "", currency, what] = key.split("|")
    if (units === 0n || untold.has(account)) continue
    return `${named}: its legs on ${account} in ${currency} as ${what} are off by ${-units}, debits less credits`
  }
  return undefined
}

/** An operation has the legs of its kind and state: all, and no others. */
export const operationLegs: Invariant = {
  name: "legs",
  rule: "the legs of every operation and of every outbound transaction are those that its kind and state must have, on the accounts, in the currencies and with the amounts that its record says",
  run: () => {
    const places = new Map<string, bigint>()
    return {
      leg: ({ account, balance, currency, direction, operationId, ordinal, postingSeq, what }) => {
        if (isAsset(account)) places.set(`${account}|${currency}`, balance)
        const isShort = account.startsWith(shortfallPrefix) && direction === "CREDIT" && what === "shortfall"
        return isShort && (places.get(`${placeOf(account)}|${currency}`) ?? 0n) > 0n
          ? `leg ${postingSeq}/${ordinal} of operation ${operationId} takes from ${account} what ${placeOf(account)} has`
          : undefined
      }
    }
  },
  bySubject: ({ currencies }) => {
    const accounts = new Map<string, string>()
    const open = new Map<string, Open>()
    const settled = new Set<string>()
    const context = {
      currencyOf: (id: string) => accounts.get(id),
      networkOf: (code: string) => currencies.byCode(code)?.asset?.network ?? null
    }
    return {
      all: {
        account: ({ currency, id }) => {
          accounts.set(id, currency)
          return undefined
        },
        operation: ({ id, kind, status }) => {
          if (kind === "CHAIN_PAYOUT" && status === "SETTLED") settled.add(id)
          return undefined
        },
        transaction: (transaction) => {
          const bearer = bearerOf(transaction)
          const payout = bearer === null ? undefined : open.get(bearer)
          if (payout === undefined) return undefined
          for (const line of transactionLines(transaction, (id) => settled.has(id), currencies).ofPayout)
            add(payout, line)
          return undefined
        }
      },
      operation: (operation) => {
        const { id, kind, status } = operation
        const { lines, untold = [] } = requiredLegs(operation, context)
        const one: Open = { named: `${kind} ${id}, which is ${status}`, left: new Map(), untold: new Set(untold) }
        for (const line of lines) add(one, line)
        open.set(id, one)
        return undefined
      },
      transaction: (transaction) => {
        const { own } = transactionLines(transaction, (id) => settled.has(id), currencies)
        const one: Open = {
          named: `transaction ${transaction.id}, a ${transaction.purpose}`,
          left: new Map(),
          untold: new Set()
        }
        for (const line of own) add(one, line)
        open.set(transaction.id, one)
        return undefined
      },
      leg: ({ account, currency, direction, operationId, units, what }) => {
        const one = open.get(operationId)
        if (one !== undefined) add(one, { account, currency, what, units: direction === "DEBIT" ? -units : units })
        return undefined
      },
      finish: () => {
        for (const one of open.values()) {
          const mistake = mistakeIn(one)
          if (mistake !== undefined) return mistake
        }
        return undefined
      }
    }
  }
}
