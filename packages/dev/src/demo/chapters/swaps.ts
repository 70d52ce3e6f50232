import { Effect } from "effect"
import { ask } from "../ask.ts"
import { settledBy } from "../outcome.ts"
import type { Chapter, Scene } from "../Scene.ts"

const amount = { amount: "100", currency: "USDT_TRON" }
const to_currency = "BTC"

const swap: Scene = {
  name: "USDT to BTC",
  play: (world, reached) =>
    Effect.gen(function* () {
      const { client, run } = world
      const quote = yield* ask("client.conversions.quote", (signal) =>
        client.conversions.quote({ product: "SWAP", amount, to_currency }, { signal })
      )
      yield* reached(`quoted ${quote.amount_received.amount} ${to_currency}, fee ${quote.customer_fee.amount}`)
      const { id } = yield* ask("client.conversions.swap", (signal) =>
        client.conversions.swap(
          { amount, to_currency, quote_id: quote.id, partner_reference: `swap-${run}` },
          { signal }
        )
      )
      const { operation } = yield* settledBy(world, reached, {
        id,
        kind: "swap",
        read: (signal) => client.conversions.get(id, { signal })
      })
      const { to_amount } = operation
      return `${amount.amount} ${amount.currency} became ${to_amount?.amount} ${to_amount?.currency}, as quoted`
    })
}

/** A conversion at a quoted price. */
export const swaps: Chapter = {
  title: "Swaps",
  words: "A quote holds a price for a minute and reserves nothing; the swap that uses it is charged that price.",
  scenes: [swap]
}
