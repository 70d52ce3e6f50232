import { Effect, Schema } from "effect"
import { unitsOf } from "../model/money.ts"
import type { AskedKind, Meant, Quoted } from "../world/Records.ts"
import type { AtWork } from "./AtWork.ts"
import { written } from "./meaning.ts"

const Money = Schema.Struct({ amount: Schema.String, currency: Schema.String })

const QuoteBody = Schema.fromJsonString(
  Schema.Struct({
    id: Schema.String,
    expires_at: Schema.String,
    customer_fee: Money,
    amount_received: Money,
    exchange_rate: Schema.String,
    binding_floor: Schema.String,
    rate_observed_at: Schema.NullOr(Schema.String)
  })
)

/** The kinds that can be priced before they are asked for. */
const quotable: ReadonlySet<AskedKind> = new Set(["SWAP", "ON_RAMP", "OFF_RAMP", "BANK_TRANSFER"])

/** How often a partner asks for a price before it goes without one. */
const triesMax = 3

/** Asks for prices, and remembers what it was told. */
export const makeQuoting = ({ post, random, world }: AtWork) => {
  const { currencies, kernel, note, records } = world
  let asked = 0
  const decimals = (currency: string): number => currencies.byCode(currency)?.decimals ?? 0

  return Effect.fnUntraced(function* (meant: Meant): Effect.fn.Return<Quoted | null> {
    const { currency, kind, toCurrency, units } = meant
    if (!quotable.has(kind) || !random.chance(600)) return null
    const body = JSON.stringify({
      product: kind,
      amount: { amount: written(units, decimals(currency)), currency },
      ...(toCurrency !== null && { to_currency: toCurrency })
    })
    for (let tries = 0; tries < triesMax; tries++) {
      asked += 1
      const reply = yield* post("/v1/quotes", `quote-${asked}`, body)
      if (reply === "broken" || reply.status >= 300) {
        yield* Effect.sleep(1_000 + random.below(3_000))
        continue
      }
      const told = Schema.decodeUnknownSync(QuoteBody)(reply.body)
      const received = told.amount_received
      const quoted: Quoted = {
        id: told.id,
        product: kind,
        currency,
        units,
        fee: unitsOf(told.customer_fee.amount, decimals(currency)),
        toCurrency: received.currency,
        received: unitsOf(received.amount, decimals(received.currency)),
        floor: unitsOf(told.binding_floor, decimals(received.currency)),
        rate: told.exchange_rate,
        rateAt: told.rate_observed_at === null ? null : Date.parse(told.rate_observed_at),
        expiresAt: Date.parse(told.expires_at),
        toldAt: kernel.now()
      }
      records.quotes.push(quoted)
      note(`a ${kind} is quoted at ${told.exchange_rate} for a fee of ${quoted.fee}`)
      return quoted
    }
    return null
  })
}
