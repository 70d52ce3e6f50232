import { of } from "@bursar/core/money/Amount"
import type { FiatProvider, TransferState } from "@bursar/core/port/FiatProvider"
import { done, refused, unknown } from "@bursar/core/port/ProviderResult"
import { failuresOf } from "@bursar/testkit/suites/failuresOf"
import { accountTests } from "@bursar/testkit/suites/fiat/accountTests"
import { FiatWorld } from "@bursar/testkit/suites/fiat/FiatWorld"
import { orderTests } from "@bursar/testkit/suites/fiat/orderTests"
import { payInTests } from "@bursar/testkit/suites/fiat/payInTests"
import { transferTests } from "@bursar/testkit/suites/fiat/transferTests"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { fiatTerms, fiatWorld } from "./support/worlds.ts"

type Adapter = FiatProvider["Service"]

/** What an adapter tells of transfers, changed. */
const telling = (change: (state: TransferState) => TransferState) => (provider: Adapter) => ({
  ...provider,
  transfer: (...asked: Parameters<Adapter["transfer"]>) =>
    Effect.map(provider.transfer(...asked), (answer) => (answer._tag === "Done" ? done(change(answer.value)) : answer))
})

/** The first answer to an order, changed. */
const answering = (change: (state: TransferState) => TransferState) => (provider: Adapter) => ({
  ...provider,
  send: (order: Parameters<Adapter["send"]>[0]) =>
    Effect.map(provider.send(order), (answer) =>
      answer._tag === "Done" && order.kind !== "ON_RAMP" ? done(change(answer.value)) : answer
    )
})

/** Looks for an order among the newest that the provider took, as many as the first page of its list shows. */
const onFirstPage = (provider: Adapter): Adapter => {
  const sent: Array<string> = []
  return {
    ...provider,
    send: (order) =>
      Effect.suspend(() => {
        if (!sent.includes(order.reference)) sent.push(order.reference)
        return provider.send(order)
      }),
    transfer: (order, seen) => {
      const isShown = !sent.includes(order.reference) || sent.slice(-fiatTerms.pageSize).includes(order.reference)
      if (seen !== null || isShown) return provider.transfer(order, seen)
      return Effect.map(Clock.currentTimeMillis, (now) =>
        now - order.sentAt > fiatTerms.absentAfterMs ? refused("never taken") : unknown("not known yet")
      )
    }
  }
}

const ends = {
  settle: "a transfer that is to settle is taken, and ends as SETTLED",
  fail: "a transfer that is to fail is taken, and ends as FAILED",
  back: "a transfer that is to return is taken, and ends as RETURNED",
  part: "a transfer that is to return_part is taken, and ends as RETURNED",
  review: "a transfer that is to in_review is taken, and ends as IN_REVIEW"
}
const comesIn = "what is to come in waits for its money, and is told as it came, with who paid it"
const wentBack = "tells how much of what was paid in went back"
const converts = "tells what the receiver got in the currency in which they got it"
const behind = "an order is found by our reference behind all that were taken after it"
const arrived = "what arrives is told in the currency in which it came, however much has arrived"

/** Adapters of a provider, and the tests that they fail. */
const adapters: Readonly<
  Record<string, readonly [of: (provider: Adapter) => Adapter, failures: ReadonlyArray<string>]>
> = {
  "is right": [(provider) => provider, []],
  "says at once what becomes of a transfer, as it may": [
    (provider) => ({
      ...provider,
      send: (order) =>
        Effect.flatMap(provider.send(order), (answer) =>
          answer._tag === "Done" && order.kind !== "ON_RAMP" ? provider.transfer(order, null) : Effect.succeed(answer)
        )
    }),
    []
  ],
  "says of every order that it takes that it has failed": [
    answering((state) => ({ ...state, status: "FAILED", reason: "no" })),
    [ends.settle, ends.back, ends.part, ends.review]
  ],
  "says of every order that it takes that it has settled": [
    answering((state) => ({ ...state, status: "SETTLED", received: of(15_001n, "EUR") })),
    [ends.fail, ends.review]
  ],
  "settles what is paid in with what was ordered": [
    (provider) => ({
      ...provider,
      transfer: (order, seen) =>
        Effect.map(provider.transfer(order, seen), (answer) =>
          answer._tag === "Done" && order.kind === "ON_RAMP" && answer.value.received !== null
            ? done({ ...answer.value, received: order.amount })
            : answer
        )
    }),
    [comesIn, wentBack]
  ],
  "settles what has not been paid in": [
    (provider) => ({
      ...provider,
      transfer: (order, seen) =>
        Effect.map(provider.transfer(order, seen), (answer) =>
          answer._tag === "Done" && order.kind === "ON_RAMP" && answer.value.status === "IN_REVIEW"
            ? done({ ...answer.value, status: "SETTLED" as const, received: order.amount })
            : answer
        )
    }),
    [comesIn]
  ],
  "names another payer than who paid": [
    telling((state) => ({ ...state, sender: state.sender && { ...state.sender, iban: "DE89370400440532013000" } })),
    [comesIn, wentBack]
  ],
  "tells what was converted in the units of what left": [
    (provider) => ({
      ...provider,
      transfer: (order, seen) =>
        Effect.map(provider.transfer(order, seen), (answer) =>
          answer._tag === "Done" && order.toCurrency !== null && answer.value.received !== null
            ? done({ ...answer.value, received: of(order.amount.units, order.toCurrency) })
            : answer
        )
    }),
    [converts]
  ],
  "finds only what is on the first page": [onFirstPage, [behind]],
  "tells only the newest two that arrived": [
    (provider) => ({
      ...provider,
      incoming: (account, after) => Effect.map(provider.incoming(account, after), (all) => all.slice(-2))
    }),
    [arrived]
  ],
  "takes whatever arrives for euro": [
    (provider) => ({
      ...provider,
      incoming: (account, after) =>
        Effect.map(provider.incoming(account, after), (all) =>
          all.map((one) => ({ ...one, amount: { ...one.amount, currency: "EUR" } }))
        )
    }),
    [arrived]
  ]
}

describe("the suite of fiat providers", () => {
  for (const [what, [adapterOf, expected]] of Object.entries(adapters)) {
    it.live(`sees that an adapter ${what}`, () =>
      Effect.gen(function* () {
        const world = Layer.effect(
          FiatWorld,
          Effect.map(FiatWorld, (right) => FiatWorld.of({ ...right, provider: adapterOf(right.provider) }))
        ).pipe(Layer.provide(fiatWorld))
        const found = yield* failuresOf(world, (tests) => {
          accountTests(tests, 60_000, fiatTerms)
          transferTests(tests, 60_000, fiatTerms)
          orderTests(tests, 60_000, fiatTerms)
          payInTests(tests, 60_000)
        })
        assert.deepStrictEqual(found, expected)
      })
    )
  }
})
