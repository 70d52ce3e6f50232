import type { Amount } from "@bursar/core/money/Amount"
import { ProviderError } from "@bursar/core/port/ProviderError"
import type { Custodian, WithdrawOrder } from "@bursar/core/port/Custodian"
import { done, refused, unknown } from "@bursar/core/port/ProviderResult"
import { type CustodianTerms, CustodianWorld } from "@bursar/testkit/suites/custodian/CustodianWorld"
import { conversionTests, partialTests } from "@bursar/testkit/suites/custodian/conversionTests"
import { silenceTests } from "@bursar/testkit/suites/custodian/readingTests"
import { unknownTests } from "@bursar/testkit/suites/custodian/unknownTests"
import { withdrawalTests } from "@bursar/testkit/suites/custodian/withdrawalTests"
import { failuresOf } from "@bursar/testkit/suites/failuresOf"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { layerWorld } from "./support/world.ts"

type Adapter = Custodian["Service"]

const terms: CustodianTerms = {
  references: ["withdrawal", "conversion"],
  sendWithinMs: 15_000,
  absentAfterMs: 60_000,
  has: ["memos", "silence"]
}

/** The order as if it had been sent at another time, which its age tells. */
const aged = (order: WithdrawOrder, sentAt: (age: number, now: number) => number) =>
  Effect.map(Clock.currentTimeMillis, (now) => ({ ...order, sentAt: sentAt(now - order.sentAt, now) }))

const elsewhere = <A extends WithdrawOrder>(order: A): A => ({
  ...order,
  address: "0x00000000000000000000000000000000000000bb"
})

const old = "a withdrawal whose intent is old is refused and not sent: others may have been told that it never was"
const absent =
  "a withdrawal that is not there is unknown while it may come and where it was seen, and refused where our references are known"

/** An amount of what the conversions of the world buy, with two decimals too many. */
const dear = (amount: Amount): Amount =>
  ["ETH", "USDT_TRON"].includes(amount.currency) ? { ...amount, units: amount.units * 100n } : amount

/** Adapters that lose money, each by one test alone. */
const wrongs: Readonly<
  Record<string, readonly [wrong: (custodian: Adapter) => Adapter, failures: ReadonlyArray<string>]>
> = {
  "is right": [(custodian) => custodian, []],
  "pays everybody at one address": [
    (custodian) => ({
      ...custodian,
      withdraw: (order) => custodian.withdraw(elsewhere(order)),
      withdrawal: (order, seen) => custodian.withdrawal(elsewhere(order), seen)
    }),
    [
      "a withdrawal goes to the address that it names, on its network, as it is",
      "a withdrawal goes to the address that it names, on its network, with its memo"
    ]
  ],
  "drops memos": [
    (custodian) => ({
      ...custodian,
      withdraw: (order) => custodian.withdraw({ ...order, memo: null }),
      withdrawal: (order, seen) => custodian.withdrawal({ ...order, memo: null }, seen)
    }),
    ["a withdrawal goes to the address that it names, on its network, with its memo"]
  ],
  "sends what is nearly absent": [
    (custodian) => ({
      ...custodian,
      withdraw: (order) =>
        Effect.flatMap(
          aged(order, (age, now) => (age < 55_000 ? now : order.sentAt)),
          custodian.withdraw
        )
    }),
    [old]
  ],
  "calls an order absent after five seconds": [
    (custodian) => ({
      ...custodian,
      withdrawal: (order, seen) =>
        Effect.flatMap(
          aged(order, (age) => (age > 5_000 ? 0 : order.sentAt)),
          (asked) => custodian.withdrawal(asked, seen)
        )
    }),
    [absent]
  ],
  "denies an order whose acceptance was seen": [
    (custodian) => ({
      ...custodian,
      withdrawal: (order, seen) =>
        Effect.flatMap(custodian.withdrawal(order, seen), (answer) =>
          answer._tag === "Unknown" ? custodian.withdrawal(order, null) : Effect.succeed(answer)
        )
    }),
    [absent]
  ],
  "has two decimals too many of what is bought": [
    (custodian) => ({
      ...custodian,
      balances: Effect.map(
        custodian.balances,
        (all) => new Map([...all].map(([currency, units]) => [currency, dear({ currency, units }).units]))
      ),
      conversion: (order, seen) =>
        Effect.map(custodian.conversion(order, seen), (answer) =>
          answer._tag === "Done" && answer.value._tag === "Settled"
            ? done({ ...answer.value, received: dear(answer.value.received) })
            : answer
        )
    }),
    [
      ...[0, 1].map(
        (index) =>
          `conversion ${index} is taken, then settled: what it says arrived is what was added, and exactly its amount is gone`
      ),
      // it gets the outcomes that those two have asked for and not used
      "a conversion that is taken and given up is failed, for good, and nothing is gone"
    ]
  ]
}

/** The world, with a silence. `deaf` answers what is asked meanwhile and not known. */
const worldOf = (wrong: (custodian: Adapter) => Adapter, deaf: Adapter["withdrawal"]) =>
  Layer.effect(
    CustodianWorld,
    Effect.map(CustodianWorld, (world) => {
      let silent = false
      const error = Effect.fail(new ProviderError({ provider: "sandbox", doing: "asking", detail: "silent" }))
      const whenHeard = <A, E, R>(heard: Effect.Effect<A, E, R>, meanwhile: Effect.Effect<A, E, R>) =>
        Effect.suspend(() => (silent ? meanwhile : heard))
      const quiet = (custodian: Adapter): Adapter => ({
        ...custodian,
        assets: whenHeard(custodian.assets, error),
        pairs: whenHeard(custodian.pairs, error),
        balances: whenHeard(custodian.balances, error),
        withdrawalFee: (...fee) => whenHeard(custodian.withdrawalFee(...fee), Effect.succeed(null)),
        conversion: (...asked) => whenHeard(custodian.conversion(...asked), Effect.succeed(unknown("silent"))),
        withdrawal: (...asked) => whenHeard(custodian.withdrawal(...asked), deaf(...asked))
      })
      return CustodianWorld.of({
        ...world,
        custodian: quiet(wrong(world.custodian)),
        another: Effect.map(world.another, (another) => quiet(wrong(another))),
        silence: Effect.sync(() => void (silent = true)),
        heal: Effect.sync(() => void (silent = false))
      })
    })
  ).pipe(Layer.provide(layerWorld))

const failures = (wrong: (custodian: Adapter) => Adapter, deaf: Adapter["withdrawal"]) =>
  failuresOf(worldOf(wrong, deaf), (tests) => {
    withdrawalTests(tests, 60_000, true)
    conversionTests(tests, 2, 60_000)
    unknownTests(tests, "withdrawal", terms, 60_000)
    silenceTests(tests, terms, 60_000)
  })

const nothing: Adapter["withdrawal"] = () => Effect.succeed(unknown("silent"))

describe("the suite of custodians", () => {
  for (const [what, [wrong, expected]] of Object.entries(wrongs)) {
    it.live(`sees that an adapter ${what}`, () =>
      Effect.map(failures(wrong, nothing), (found) => assert.deepStrictEqual(found, expected))
    )
  }

  it.live("sees that an adapter concludes from silence that an old order never was", () =>
    Effect.gen(function* () {
      const deaf: Adapter["withdrawal"] = (order) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          now - order.sentAt > 60_000 ? refused("not found") : unknown("silent")
        )
      const found = yield* failures((custodian) => custodian, deaf)
      assert.deepStrictEqual(found, ["nothing is concluded from silence, however old an order is"])
    })
  )

  it.live("sees that an adapter settles what was filled in part", () =>
    Effect.gen(function* () {
      const unsaid = () => Effect.succeed(unknown("filled in part"))
      const found = (adapter: (custodian: Adapter) => Adapter) =>
        failuresOf(
          Layer.effect(
            CustodianWorld,
            Effect.map(CustodianWorld, (world) =>
              CustodianWorld.of({
                ...world,
                custodian: adapter(world.custodian),
                another: Effect.map(world.another, adapter),
                // what the sandbox fills stands for a part
                next: (kind, outcome) => world.next(kind, outcome === "partial" ? "settle" : outcome)
              })
            )
          ).pipe(Layer.provide(layerWorld)),
          (tests) => partialTests(tests, 60_000)
        )
      const right = yield* found((custodian) => ({
        ...custodian,
        convert: (order) => Effect.andThen(custodian.convert(order), unsaid()),
        conversion: unsaid
      }))
      assert.deepStrictEqual(right, [])
      assert.deepStrictEqual(yield* found((custodian) => custodian), [
        "a conversion that is filled in part and then ended is unknown, or settled with how much was sold, and not failed"
      ])
    })
  )
})
