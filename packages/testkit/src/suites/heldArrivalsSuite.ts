import { type HeldArrival, HeldArrivals } from "@bursar/core/port/HeldArrivals"
import type { Leadership } from "@bursar/core/port/Leadership"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, layer as layerTests } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { takeFence } from "../fixtures/fences.ts"
import { type Second, secondOf, type SuiteIt, type SuiteOptions, timeoutOf } from "./harness.ts"

const since = Date.UTC(2026, 2, 3, 4, 5, 6, 789)

const arrival = (txHash: string, more: Partial<HeldArrival> = {}): HeldArrival => ({
  network: "base",
  txHash,
  transferIndex: 2 ** 33,
  blockHash: "0xb7",
  blockNumber: 7,
  tenantId: TenantId("a-tenant"),
  address: "0xA1",
  currency: "USDC",
  units: 10n ** 30n,
  state: "disputed",
  said: [
    { node: "node 1 of 2 (one)", operator: "one", says: "has it" },
    { node: "node 2 of 2 (two)", operator: "two", says: "has no such transfer" }
  ],
  since,
  ...more
})

const seen = { reason: "looked up by hand", at: since + 60_000 } as const

/** Settings of the suite of HeldArrivals. */
export interface HeldArrivalsSuiteOptions extends SuiteOptions {
  /** The same store as another process would open it. */
  readonly second: Second<HeldArrivals>
}

/** The tests of the suite. */
export const heldArrivalsTests = (it: SuiteIt<HeldArrivals | Leadership>, options: HeldArrivalsSuiteOptions): void => {
  it.effect("an arrival is kept as it is held, follows what is known of it, and ends as the chain says", () =>
    Effect.gen(function* () {
      const held = yield* HeldArrivals
      const fence = yield* takeFence(`test-${crypto.randomUUID()}`)
      const waiting = arrival("0x1", { state: "waiting", said: [] })
      yield* held.hold(fence, waiting)
      yield* held.hold(fence, arrival("0x1", { blockHash: "0xb8", blockNumber: 8 }))
      yield* held.hold(fence, arrival("0x1", { network: "bsc", since: since + 1 }))
      assert.deepStrictEqual(
        (yield* held.among("base", ["0x1"])).find(({ blockHash }) => blockHash === "0xb7"),
        { ...waiting, acceptance: null, end: null }
      )
      yield* held.hold(fence, arrival("0x1"))
      yield* held.end(fence, arrival("0x1", { blockHash: "0xb8" }), "gone", since + 5)
      assert.deepStrictEqual(yield* held.list({ network: "base", open: true, limit: 10 }), [
        { ...arrival("0x1"), acceptance: null, end: null }
      ])
      assert.deepStrictEqual(
        (yield* held.list({ network: null, open: true, limit: 10 })).map(({ network }) => network),
        ["bsc", "base"]
      )
      assert.strictEqual((yield* held.list({ network: null, open: true, limit: 1 })).length, 1)
      yield* held.end(fence, arrival("0x1"), "agreed", since + 6)
      yield* held.end(fence, arrival("0x1"), "gone", since + 7)
      assert.deepStrictEqual((yield* held.among("base", ["0x1"])).map(({ end }) => end?.outcome).toSorted(), [
        "agreed",
        "gone"
      ])
      // the nodes change their minds
      yield* held.hold(fence, arrival("0x1"))
      assert.strictEqual((yield* held.list({ network: "base", open: true, limit: 10 })).length, 1)
      assert.deepStrictEqual(yield* held.among("base", []), [])
    })
  )

  it.effect("the list goes on behind each of its places, those of one moment among them", () =>
    Effect.gen(function* () {
      const held = yield* HeldArrivals
      const fence = yield* takeFence(`test-${crypto.randomUUID()}`)
      const network = "optimism"
      for (const [txHash, transferIndex, later] of [
        ["0x2", 0, 0],
        ["0x5", 10, 0],
        ["0x3", 0, 1],
        ["0x1", 9, 0],
        ["0x4", 0, -1]
      ] as const)
        yield* held.hold(fence, arrival(txHash, { network, transferIndex, since: since + later }))
      const all = yield* held.list({ network, open: true, limit: 10 })
      assert.deepStrictEqual(
        all.map(({ since: at }) => at - since),
        [1, 0, 0, 0, -1]
      )
      for (const [index, after] of all.entries())
        assert.deepStrictEqual(
          yield* held.list({ network, open: true, after, limit: 2 }),
          all.slice(index + 1, index + 3)
        )
    })
  )

  it.effect("accepting takes two people and refusing one, and what they decided stays", () =>
    Effect.gen(function* () {
      const held = yield* HeldArrivals
      const fence = yield* takeFence(`test-${crypto.randomUUID()}`)
      const [one, other] = [arrival("0xaccepted"), arrival("0xrefused")]
      assert.strictEqual(yield* held.decide(one, { ...seen, verdict: "accept", by: "alice" }), "not_open")
      yield* held.hold(fence, one)
      yield* held.hold(fence, other)
      assert.strictEqual(yield* held.decide(one, { ...seen, verdict: "accept", by: "alice" }), "first")
      assert.strictEqual(yield* held.decide(one, { ...seen, verdict: "accept", by: "alice" }), "same_person")
      // what is known of it changes meanwhile
      yield* held.hold(fence, { ...one, state: "waiting" })
      assert.strictEqual(yield* held.decide(one, { ...seen, verdict: "accept", by: "bob" }), "accepted")
      assert.strictEqual(yield* held.decide(other, { ...seen, verdict: "refuse", by: "bob" }), "refused")
      for (const each of [one, other]) {
        yield* held.hold(fence, each)
        yield* held.end(fence, each, "gone", since)
        assert.strictEqual(yield* held.decide(each, { ...seen, verdict: "accept", by: "carol" }), "not_open")
      }
      const known = yield* held.among("base", [one.txHash, other.txHash])
      assert.deepStrictEqual(
        known.map(({ acceptance, end, txHash }) => [txHash, acceptance?.by ?? null, end]).toSorted(),
        [
          [one.txHash, "alice", { outcome: "accepted", by: "bob", reason: seen.reason, at: seen.at }],
          [other.txHash, null, { outcome: "refused", by: "bob", reason: seen.reason, at: seen.at }]
        ]
      )
    })
  )

  it.effect("what is said of one arrival is said of no other, however little they differ in", () =>
    Effect.gen(function* () {
      const held = yield* HeldArrivals
      const fence = yield* takeFence(`test-${crypto.randomUUID()}`)
      const one = arrival("0xalike")
      const others = [
        { ...one, transferIndex: one.transferIndex + 1 },
        { ...one, blockHash: "0xb8" },
        { ...one, txHash: "0xalike2" },
        { ...one, network: "bsc" } as const
      ]
      const known = Effect.map(
        Effect.forEach(["base", "bsc"] as const, (network) => held.among(network, [one.txHash, "0xalike2"])),
        (found) => found.flat()
      )
      const open = others.map((other) => ({ ...other, acceptance: null, end: null }))
      yield* Effect.forEach([one, ...others], (each) => held.hold(fence, each))
      assert.sameDeepMembers(yield* known, [{ ...one, acceptance: null, end: null }, ...open])
      const word = { ...seen, verdict: "accept", by: "alice" } as const
      assert.strictEqual(yield* held.decide(one, word), "first")
      const acceptance = { by: word.by, reason: word.reason }
      assert.sameDeepMembers(yield* known, [{ ...one, acceptance, end: null }, ...open])
      assert.strictEqual(yield* held.decide(one, { ...word, by: "bob" }), "accepted")
      const accepted = {
        ...one,
        acceptance,
        end: { outcome: "accepted", by: "bob", reason: word.reason, at: word.at }
      } as const
      assert.sameDeepMembers(yield* known, [accepted, ...open])
      const ended = { outcome: "gone", by: "watcher", reason: null, at: since + 5 } as const
      for (const [index, other] of others.entries()) {
        yield* held.end(fence, other, "gone", since + 5)
        assert.sameDeepMembers(yield* known, [
          accepted,
          ...open.map((each, n) => (n <= index ? { ...each, end: ended } : each))
        ])
      }
    })
  )

  it.effect("of words that two processes bring at once each is taken after the other", () =>
    Effect.gen(function* () {
      const held = yield* HeldArrivals
      const second = yield* secondOf(HeldArrivals, options.second)
      const fence = yield* takeFence(`test-${crypto.randomUUID()}`)
      for (const [index, people, results] of [
        [0, ["alice", "alice"], ["first", "same_person"]],
        [1, ["alice", "bob"], ["accepted", "first"]],
        [2, ["alice", "bob", "carol", "dave"], ["accepted", "first", "not_open", "not_open"]]
      ] as const) {
        const one = arrival(`0xatonce-${index}`)
        yield* held.hold(fence, one)
        const said = yield* Effect.forEach(
          people,
          (by, n) => (n % 2 === 0 ? held : second).decide(one, { ...seen, verdict: "accept", by }),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(said.toSorted(), [...results])
      }
    })
  )

  it.effect("what one person accepted is not accepted once it pays another amount or somebody else", () =>
    Effect.gen(function* () {
      const held = yield* HeldArrivals
      const fence = yield* takeFence(`test-${crypto.randomUUID()}`)
      const changes: ReadonlyArray<Partial<HeldArrival>> = [
        { units: 7n },
        { address: "0xB2" },
        { currency: "USDT_BASE" },
        { tenantId: TenantId("another-tenant") }
      ]
      for (const [index, change] of changes.entries()) {
        const one = arrival(`0xchanged-${index}`)
        yield* held.hold(fence, one)
        assert.strictEqual(yield* held.decide(one, { ...seen, verdict: "accept", by: "alice" }), "first")
        yield* held.hold(fence, { ...one, ...change })
        assert.deepStrictEqual(yield* held.among("base", [one.txHash]), [
          { ...one, ...change, acceptance: null, end: null }
        ])
        assert.strictEqual(yield* held.decide(one, { ...seen, verdict: "accept", by: "bob" }), "first")
      }
    })
  )

  it.effect("a word on what pays something else by now counts for nothing", () =>
    Effect.gen(function* () {
      const held = yield* HeldArrivals
      const fence = yield* takeFence(`test-${crypto.randomUUID()}`)
      const one = arrival("0xanother")
      yield* held.hold(fence, one)
      const pays = { address: one.address, currency: one.currency, units: one.units }
      for (const other of [{ units: 7n }, { address: "0xB2" }, { currency: "USDT_BASE" }])
        for (const verdict of ["refuse", "accept"] as const) {
          const word = { ...seen, verdict, by: "alice", pays: { ...pays, ...other } }
          assert.strictEqual(yield* held.decide(one, word), "changed")
        }
      assert.deepStrictEqual(yield* held.among("base", [one.txHash]), [{ ...one, acceptance: null, end: null }])
      assert.strictEqual(yield* held.decide(one, { ...seen, verdict: "accept", by: "alice", pays }), "first")
      assert.strictEqual(yield* held.decide(one, { ...seen, verdict: "accept", by: "bob", pays }), "accepted")
    })
  )

  it.effect("what was decided says nothing of what pays somebody else or another amount in its place", () =>
    Effect.gen(function* () {
      const held = yield* HeldArrivals
      const fence = yield* takeFence(`test-${crypto.randomUUID()}`)
      for (const verdict of ["refuse", "accept"] as const) {
        const one = arrival(`0xdecided-${verdict}`)
        yield* held.hold(fence, one)
        for (const by of ["alice", "bob"]) yield* held.decide(one, { ...seen, verdict, by })
        const other = { ...one, units: 7n }
        yield* held.hold(fence, other)
        assert.deepStrictEqual(yield* held.among("base", [one.txHash]), [{ ...other, acceptance: null, end: null }])
      }
    })
  )

  it.effect("a watcher that has been replaced writes nothing", () =>
    Effect.gen(function* () {
      const held = yield* HeldArrivals
      const name = `test-${crypto.randomUUID()}`
      const old = yield* takeFence(name)
      const fence = yield* takeFence(name)
      yield* held.hold(fence, arrival("0xfenced"))
      const refused = [
        held.hold(old, arrival("0xfenced", { state: "waiting" })),
        held.end(old, arrival("0xfenced"), "gone", since)
      ]
      for (const each of refused) assert.strictEqual((yield* Effect.flip(each))._tag, "Fenced")
      assert.deepStrictEqual(yield* held.among("base", ["0xfenced"]), [
        { ...arrival("0xfenced"), acceptance: null, end: null }
      ])
    })
  )
}

/** What every HeldArrivals must do. It uses the networks base and bsc: give it a store in which nothing else does. */
export const heldArrivalsSuite = <E>(
  name: string,
  layer: Layer.Layer<HeldArrivals | Leadership, E>,
  options: HeldArrivalsSuiteOptions
): void => {
  layerTests(layer, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: HeldArrivals`, (it) =>
    heldArrivalsTests(it, options)
  )
}
