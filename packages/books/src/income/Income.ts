import { normalSide } from "@bursar/core/ledger/Account"
import type { PostedLeg } from "@bursar/core/ledger/Leg"
import type { JournalEntry } from "@bursar/core/store/Journal"
import { debitOf } from "../Book.ts"
import { productOf } from "../product.ts"

/** The accounts on which the service earns and spends; value in conversion is there too, for as long as one is open. */
export const incomeAccounts = ["fees", "network_fees", "exchange"] as const

/** An account on which the service earns or spends. */
export type IncomeAccount = (typeof incomeAccounts)[number]

/** What one product earned and cost in a currency, in base units. */
export interface IncomeLine {
  /** What `productOf` says. */
  readonly product: string
  readonly currency: string
  /** Earned from fees and conversions, less what was given back. */
  readonly fees: bigint
  /** Paid to networks. */
  readonly networkFees: bigint
  /** What came into conversions that are open, less what left them, counted as a debit; nothing once they are over. */
  readonly exchange: bigint
}

const isIncome = (leg: PostedLeg): leg is PostedLeg & { readonly account: IncomeAccount } =>
  incomeAccounts.some((account) => account === leg.account)

const nothing = { fees: 0n, networkFees: 0n, exchange: 0n }

const field = { fees: "fees", network_fees: "networkFees", exchange: "exchange" } as const

/** Sums of postings by product and currency. There are few of them, however many postings. */
export class IncomeSums {
  readonly #lines = new Map<string, IncomeLine>()

  add({ legs, subject }: Pick<JournalEntry, "legs" | "subject">): void {
    const product = productOf(subject)
    for (const leg of legs) {
      if (!isIncome(leg)) continue
      const key = `${product}|${leg.currency}`
      const before = this.#lines.get(key) ?? { product, currency: leg.currency, ...nothing }
      const name = field[leg.account]
      const change = normalSide(leg.account) === "DEBIT" ? debitOf(leg) : -debitOf(leg)
      this.#lines.set(key, { ...before, [name]: before[name] + change })
    }
  }

  /** By product and currency; without those that came to nothing. */
  lines(): ReadonlyArray<IncomeLine> {
    return [...this.#lines]
      .filter(([, { exchange, fees, networkFees }]) => fees !== 0n || networkFees !== 0n || exchange !== 0n)
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([, line]) => line)
  }
}
