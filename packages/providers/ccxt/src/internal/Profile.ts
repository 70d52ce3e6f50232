import type { Network } from "@bursar/core/money/Network"
import type { Effect } from "effect"
import type { Api } from "./Api.ts"
import type { CallError, RefusalReader } from "./CallError.ts"
import type { Exact } from "./Exact.ts"

/** A market of an exchange. Coins carry their common names (BTC, not XXBT). */
export interface Market {
  readonly id: string
  readonly base: string
  readonly quote: string
  /** What an amount of the base must be a multiple of, and at least. */
  readonly baseStep: Exact
  readonly baseMinimum: Exact | null
  /** What an amount of the quote that is spent must be a multiple of, and at least. */
  readonly quoteStep: Exact
  readonly quoteMinimum: Exact | null
  /** The share that it publishes for takers who are nobody in particular; null where it publishes none. */
  readonly takerFee: Exact | null
}

/** A fee, above zero where it was taken. */
export interface Fee {
  readonly coin: string
  readonly amount: Exact
}

/** The best offers of a market. `at` is null where the exchange does not tell. */
export interface Ticker {
  readonly market: string
  readonly bid: Exact
  readonly ask: Exact
  readonly at: number | null
}

/** What an exchange takes for a withdrawal on a network, and what it calls that network for the coin. */
export interface Terms {
  readonly network: string
  readonly fee: Exact | null
}

/** A withdrawal in the exchange's words; `amount` is a decimal text in whole units. */
export interface WireWithdrawal {
  readonly reference: string
  readonly sentAt: number
  readonly coin: string
  /** What the exchange calls the network. */
  readonly network: string
  readonly address: string
  readonly memo: string | null
  readonly amount: string
  /** Whether an id of the exchange is known to be that of another withdrawal of ours. */
  readonly isOthers: (id: string) => boolean
  /** From when on it is too old to be sent. */
  readonly sendBefore: number
}

/** A conversion in the exchange's words: sell the base, or spend the quote. */
export interface WireOrder {
  readonly reference: string
  readonly sentAt: number
  readonly market: Market
  readonly side: "buy" | "sell"
  /** Of the base where it is sold, of the quote where it is spent. */
  readonly amount: string
  /** From when on it is too old to be sent. */
  readonly sendBefore: number
}

/** A withdrawal as the exchange reports it. `fee` null: it does not say. */
export interface WithdrawalReport {
  readonly id: string
  readonly status: "pending" | "settled" | "failed"
  readonly txHash: string | null
  readonly fee: Exact | null
  readonly reason: string | null
}

/** An order as the exchange reports it. */
export type OrderReport =
  | { readonly _tag: "Open"; readonly id: string }
  /**
   * Ended with all of it traded, or a part. `sold`: what was sold, and fees that were taken out of the order's amount: by it a part is told from all of it. `beside`: fees that were taken from other holdings than what was
   * received, and on top of what was sold.
   */
  | {
      readonly _tag: "Filled"
      readonly id: string
      readonly received: Exact
      readonly sold: Exact
      readonly beside: ReadonlyArray<Fee>
    }
  /** Ended without any trade. */
  | { readonly _tag: "Dead"; readonly id: string; readonly reason: string }

/** What a search found. `Unclear` says why neither can be said. */
export type Found<A> =
  | { readonly _tag: "Found"; readonly report: A }
  | { readonly _tag: "Absent" }
  | { readonly _tag: "Unclear"; readonly why: string }

/** It is there. */
export const found = <A>(report: A): Found<A> => ({ _tag: "Found", report })

/** It is not there. */
export const absent: Found<never> = { _tag: "Absent" }

/** It may be there. */
export const unclear = (why: string): Found<never> => ({ _tag: "Unclear", why })

/** What an adapter must know of an exchange. Everything goes over the wire as the exchange writes it: no amount is ever a number. */
export interface Profile {
  readonly refusalOf: RefusalReader
  /** Whether a "no" says for certain that nothing was taken under our reference, and nothing was taken under it before. */
  readonly isCertain: (code: string, message: string) => boolean
  /** Whether a withdrawal that was taken can be found by our reference, so that not finding it says that it was not taken. */
  readonly findsWithdrawals: boolean
  readonly networkFeeBorneBy: "RECEIVER" | "SERVICE"
  /** What it may call the networks. */
  readonly networks: Readonly<Partial<Record<Network, ReadonlyArray<string>>>>
  /** The coins that count as a dollar, best first. */
  readonly dollars: ReadonlyArray<string>
  readonly markets: (api: Api) => Effect.Effect<ReadonlyArray<Market>, CallError>
  /** The share that it takes of a trade on a market from this account; null where it does not tell. */
  readonly takerFee: (api: Api, market: Market) => Effect.Effect<Exact | null, CallError>
  readonly tickers: (api: Api, markets: ReadonlyArray<Market>) => Effect.Effect<ReadonlyArray<Ticker>, CallError>
  /** By the common name of the coin. */
  readonly balances: (api: Api) => Effect.Effect<ReadonlyMap<string, Exact>, CallError>
  /** Null where the coin cannot be withdrawn on the network. */
  readonly terms: (api: Api, coin: string, networks: ReadonlyArray<string>) => Effect.Effect<Terms | null, CallError>
  /** Gives the exchange's own id. */
  readonly withdraw: (api: Api, withdrawal: WireWithdrawal) => Effect.Effect<string, CallError>
  readonly withdrawal: (
    api: Api,
    withdrawal: WireWithdrawal,
    id: string | null
  ) => Effect.Effect<Found<WithdrawalReport>, CallError>
  /** Gives the exchange's own id. */
  readonly order: (api: Api, order: WireOrder) => Effect.Effect<string, CallError>
  readonly orderState: (api: Api, order: WireOrder, id: string | null) => Effect.Effect<Found<OrderReport>, CallError>
}
