import { ChainError } from "@bursar/core/port/Chain"
import type { ChainSender } from "@bursar/core/port/ChainSender"
import { Queries } from "@bursar/core/store/Queries"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { emptyState } from "@bursar/memory"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { countsAs, twoOperators } from "./twoOperators.ts"
import {
  allOver,
  ledgerHolds,
  mineUntil,
  operationsOf,
  pay,
  payer,
  processOver,
  receiver,
  sending,
  tick,
  timesPaid
} from "./world.ts"

type Counts = (honest: ChainSender) => ChainSender["firstSequence"]

const farAhead: Counts = () => () => Effect.succeed(1_000_000n)

describe("one of two nodes that says that an account's next number is far ahead", () => {
  for (const network of ["ethereum", "stellar"] as const) {
    it.effect(`has nothing signed under it, calls a person, and stops no payout that comes after (${network})`, () => {
      let lies = true
      const counts: Counts = (honest) => (account) => (lies ? farAhead(honest)(account) : honest.firstSequence(account))
      const { events, fake, logged } = twoOperators(network, countsAs(network, counts))
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const { id } = yield* payer(network, fake)
        yield* Effect.forkScoped(Effect.provide(sending(fake), logged))
        const first = yield* pay(id, network, 1)
        for (let n = 0; n < 60; n++) yield* tick
        const queries = yield* Queries
        assert.deepStrictEqual(yield* queries.records(id, OutboundTransaction), [])
        assert.notInclude(events, "network.sequence_disputed", "a node may be a block behind")
        for (let n = 0; n < 120; n++) yield* tick
        // on stellar each channel account is tried
        const calls = events.filter((event) => event === "network.sequence_disputed").length
        assert.strictEqual(calls, network === "stellar" ? 3 : 1)
        const [waiting] = yield* operationsOf(id, [first])
        assert.strictEqual(waiting?.status, "ACCEPTED")
        lies = false
        const made = [first, yield* pay(id, network, 2)]
        yield* mineUntil(fake, "both are over", allOver(id, made))
        for (const n of [1, 2]) assert.strictEqual(timesPaid(fake, receiver(network, n)), 1)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })
  }

  it.effect("stops no payout that another channel account can carry", () => {
    let lies = true
    const counts: Counts = (honest) => (account) =>
      lies && account === "G-channel-1" ? Effect.succeed(1_000_000n) : honest.firstSequence(account)
    const { fake, logged } = twoOperators("stellar", countsAs("stellar", counts))
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer("stellar", fake)
      yield* Effect.forkScoped(Effect.provide(sending(fake), logged))
      const made = yield* Effect.forEach([1, 2, 3, 4, 5], (n) => pay(id, "stellar", n))
      yield* mineUntil(fake, "all are over", allOver(id, made), 60)
      const guards = (yield* (yield* Queries).records(id, OutboundTransaction)).map(({ guard }) => guard)
      const used = guards.map((guard) => (guard._tag === "Sequence" ? guard.account : guard._tag))
      assert.deepStrictEqual([...new Set(used)].toSorted(), ["G-channel-2", "G-channel-3"])
      lies = false
      const last = yield* Effect.forEach([6, 7, 8], (n) => pay(id, "stellar", n))
      yield* mineUntil(fake, "these are over, too", allOver(id, last), 60)
      for (const n of [1, 2, 3, 4, 5, 6, 7, 8]) assert.strictEqual(timesPaid(fake, receiver("stellar", n)), 1)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("has nothing signed under it either where it has told the truth before", () => {
    let lies = false
    const counts: Counts = (honest) => (account) => (lies ? farAhead(honest)(account) : honest.firstSequence(account))
    const { fake } = twoOperators("ethereum", countsAs("ethereum", counts))
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer("ethereum", fake)
      yield* Effect.forkScoped(sending(fake))
      yield* mineUntil(fake, "it is over", allOver(id, [yield* pay(id, "ethereum", 1)]))
      lies = true
      const second = yield* pay(id, "ethereum", 2)
      for (let n = 0; n < 10; n++) yield* tick
      assert.strictEqual((yield* (yield* Queries).records(id, OutboundTransaction)).length, 1)
      lies = false
      yield* mineUntil(fake, "it is over, too", allOver(id, [second]))
      assert.strictEqual(timesPaid(fake, receiver("ethereum", 2)), 1)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})

describe("a node of another operator", () => {
  const unreachable = new ChainError({ network: "ethereum", reason: "unreachable", doing: "count", detail: "silent" })
  const others: Readonly<Record<string, Counts>> = {
    "is behind": () => () => Effect.succeed(0n),
    "does not answer": () => () => Effect.fail(unreachable)
  }
  for (const [what, count] of Object.entries(others)) {
    it.effect(`that ${what} holds up no payout of an account that the service knows the number of`, () => {
      let other: Counts = (honest) => honest.firstSequence
      const { events, fake, logged } = twoOperators(
        "ethereum",
        () => ({}),
        (honest) => ({ firstSequence: (account) => other(honest)(account) })
      )
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const { id } = yield* payer("ethereum", fake)
        yield* Effect.forkScoped(Effect.provide(sending(fake), logged))
        yield* mineUntil(fake, "the first is over", allOver(id, [yield* pay(id, "ethereum", 1)]))
        other = count
        yield* mineUntil(fake, "the second is over", allOver(id, [yield* pay(id, "ethereum", 2)]))
        assert.strictEqual(timesPaid(fake, receiver("ethereum", 2)), 1)
        assert.notInclude(events, "network.sequence_disputed")
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })
  }

  it.effect("that says so too has the numbers passed over that somebody else used", () => {
    const { fake } = twoOperators("ethereum", () => ({}))
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id, wallet } = yield* payer("ethereum", fake)
      yield* Effect.forkScoped(sending(fake))
      yield* mineUntil(fake, "the first is over", allOver(id, [yield* pay(id, "ethereum", 1)]))
      fake.rival({ _tag: "Sequence", account: wallet.address, sequence: 1n }, yield* Clock.currentTimeMillis)
      yield* mineUntil(fake, "the second is over", allOver(id, [yield* pay(id, "ethereum", 2)]))
      const guards = (yield* (yield* Queries).records(id, OutboundTransaction)).map(({ guard }) => guard)
      assert.deepInclude(guards, { _tag: "Sequence", account: wallet.address, sequence: 2n })
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})
