import { isPut, putRecord } from "@bursar/core/engine/Records"
import { ofKind, Operation } from "@bursar/core/operation/Operation"
import { Quote } from "@bursar/core/pricing/Quote"
import { Clock, Effect, Result } from "effect"
import type { Plant } from "../world/Plant.ts"
import { changing, seeing } from "./planting.ts"

const using = ["CreateSwap", "CreateTransfer"]

const hourMs = 3_600_000

/** A quote that promises one unit more, in what is kept and in what is told. */
const roundedUp: Plant = {
  command: (command) =>
    command.name !== "CreateQuote"
      ? command
      : {
          ...command,
          decide: (view) =>
            Result.map(command.decide(view), ({ reply }) => {
              const quote = reply as Quote // the reply of this command
              const { amountReceived } = quote
              const more: Quote = { ...quote, amountReceived: { ...amountReceived, units: amountReceived.units + 1n } }
              return { reply: more as typeof reply, changes: [putRecord(Quote, more)] }
            })
        }
}

/** Mistakes with prices and quotes. */
export const quoteMistakes = {
  "expired quote honoured": seeing(using, Quote, (quote) => ({ ...quote, expiresAt: quote.expiresAt + hourMs })),
  "quote used twice": changing(using, (changes) => changes.filter((one) => !isPut(Quote, one))),
  "quote rounded up": roundedUp,
  "stale price taken": {
    prices: (prices) => ({
      ...prices,
      rate: (from, to) =>
        Effect.zipWith(prices.rate(from, to), Clock.currentTimeMillis, (rate, observedAt) =>
          rate === null ? null : { ...rate, observedAt }
        )
    })
  },
  "rate the wrong way round": { prices: (prices) => ({ ...prices, rate: (from, to) => prices.rate(to, from) }) },
  "fee of the custodian not priced in": {
    custodian: (custodian) => ({ ...custodian, conversionFee: () => Effect.succeed({ units: 0n, decimals: 0 }) })
  },
  "promise of a quote not kept": seeing(["RecordSwap"], Operation, (operation) => ({
    ...operation,
    details: { ...ofKind(operation, "SWAP").details, floor: null }
  })),
  "euro worth a dollar": {
    prices: (prices) => ({
      ...prices,
      usd: (currency) =>
        Effect.map(prices.usd(currency), (rate) =>
          rate === null || currency !== "EUR" ? rate : { ...rate, price: { units: 1n, decimals: 0 } }
        )
    })
  }
} as const satisfies Readonly<Record<string, Plant>>
