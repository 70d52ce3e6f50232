import type { FiatProvider, TransferOrder } from "@bursar/core/port/FiatProvider"
import { type FiatTerms, FiatWorld } from "@bursar/testkit/suites/fiat/FiatWorld"
import { orderTests } from "@bursar/testkit/suites/fiat/orderTests"
import { transferTests } from "@bursar/testkit/suites/fiat/transferTests"
import { failuresOf } from "@bursar/testkit/suites/failuresOf"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { fiatTerms, fiatWorld } from "./support/world.ts"

type Adapter = FiatProvider["Service"]

const terms: FiatTerms = { ...fiatTerms, has: ["payees", "conversions"], pageSize: 0 }

/** The order as if it had been sent at another time, which its age tells. */
const aged = (order: TransferOrder, sentAt: (age: number, now: number) => number) =>
  Effect.map(Clock.currentTimeMillis, (now) => ({ ...order, sentAt: sentAt(now - order.sentAt, now) }))

const taken = [
  "a transfer that is to settle is taken, and ends as SETTLED",
  "a transfer that is to fail is taken, and ends as FAILED",
  "a transfer that is to return is taken, and ends as RETURNED",
  "a transfer that is to return_part is taken, and ends as RETURNED",
  "a transfer that is to in_review is taken, and ends as IN_REVIEW"
]
const kinds = ["BANK_TRANSFER", "OFF_RAMP", "REFUND"]
const paysOut = (...currencies: ReadonlyArray<string>) =>
  currencies.flatMap((currency) => kinds.map((kind) => `pays out ${currency} on a customer's behalf (${kind})`))
const converts = "tells what the receiver got in the currency in which they got it"
const old = "an order whose intent is old is refused and not sent: others may have been told that it never was"
const absent =
  "an order that was never sent is not known while it may be under way or was seen, and refused when it cannot be any more"

/** Adapters that lose money, and the tests that say so. */
const wrongs: Readonly<
  Record<string, readonly [wrong: (provider: Adapter) => Adapter, failures: ReadonlyArray<string>]>
> = {
  "is right": [(provider) => provider, []],
  "pays everybody into one account": [
    (provider) => ({
      ...provider,
      send: (order) =>
        provider.send({ ...order, payee: order.payee && { ...order.payee, iban: "DE89370400440532013000" } })
    }),
    [...taken, ...paysOut("EUR", "USD", "GBP"), converts]
  ],
  "sends all in euro": [
    (provider) => ({
      ...provider,
      send: (order) => provider.send({ ...order, amount: { ...order.amount, currency: "EUR" } })
    }),
    paysOut("USD", "GBP")
  ],
  "sends on nobody's behalf": [
    (provider) => ({ ...provider, send: (order) => provider.send({ ...order, providerCustomerId: null }) }),
    paysOut("EUR", "USD", "GBP")
  ],
  "sends nothing in another currency": [
    (provider) => ({ ...provider, send: (order) => provider.send({ ...order, toCurrency: null }) }),
    [converts]
  ],
  "sends a hundred times the amount and tells of the ordered one": [
    (provider) => ({
      ...provider,
      send: (order) => provider.send({ ...order, amount: { ...order.amount, units: order.amount.units * 100n } }),
      transfer: (order, seen) =>
        Effect.map(provider.transfer(order, seen), (answer) =>
          answer._tag === "Done"
            ? {
                ...answer,
                value: {
                  ...answer.value,
                  received: answer.value.received && order.amount,
                  returned: answer.value.returned && order.amount
                }
              }
            : answer
        )
    }),
    [...taken, ...paysOut("EUR", "USD", "GBP"), converts]
  ],
  "sends what is nearly absent": [
    (provider) => ({
      ...provider,
      send: (order) =>
        Effect.flatMap(
          aged(order, (age, now) => (age < 3_000_000 ? now : order.sentAt)),
          provider.send
        )
    }),
    [old]
  ],
  "calls an order absent after five seconds": [
    (provider) => ({
      ...provider,
      transfer: (order, seen) =>
        Effect.flatMap(
          aged(order, (age, now) => (age > 5_000 ? now - 86_400_000 : order.sentAt)),
          (asked) => provider.transfer(asked, seen)
        )
    }),
    [absent]
  ],
  "denies an order whose acceptance was seen": [
    (provider) => ({
      ...provider,
      transfer: (order, seen) =>
        Effect.flatMap(provider.transfer(order, seen), (answer) =>
          answer._tag === "Unknown" ? provider.transfer(order, null) : Effect.succeed(answer)
        )
    }),
    [absent]
  ]
}

describe("the suite of fiat providers", () => {
  for (const [what, [wrong, expected]] of Object.entries(wrongs)) {
    it.live(`sees that an adapter ${what}`, () =>
      Effect.gen(function* () {
        const world = Layer.effect(
          FiatWorld,
          Effect.map(FiatWorld, (right) => FiatWorld.of({ ...right, provider: wrong(right.provider) }))
        ).pipe(Layer.provide(fiatWorld))
        const found = yield* failuresOf(world, (tests) => {
          transferTests(tests, 60_000, terms)
          orderTests(tests, 60_000, terms)
        })
        assert.deepStrictEqual(found, expected)
      })
    )
  }
})
