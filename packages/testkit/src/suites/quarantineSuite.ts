import type { Leadership } from "@bursar/core/port/Leadership"
import { Quarantine, type Quarantined, type QuarantinePlace } from "@bursar/core/port/Quarantine"
import { assert, layer as layerTests } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { takeFence } from "../fixtures/fences.ts"
import { type SuiteIt, type SuiteOptions, timeoutOf } from "./harness.ts"

const noticedAt = Date.UTC(2026, 2, 3, 4, 5, 6, 789)

const entry = (number: number, txHash: string | null, more: Partial<Quarantined> = {}): Quarantined => ({
  network: "base",
  block: { hash: `0xb${number}`, number, time: noticedAt - 1_000 },
  txHash,
  reason: "its kind, 0x79, is not known",
  gains: [
    { to: "0xA1", contract: null, units: 10n ** 30n },
    { to: "0xA2", contract: "0xC", units: 1n, across: "block", alreadyRead: 10n ** 31n }
  ],
  noticedAt: noticedAt + number,
  ...more
})

const passed = { outcome: "passed", by: "alice", reason: "seen by hand", at: noticedAt + 60_000 } as const

/** The tests of the suite. */
export const quarantineTests = (it: SuiteIt<Leadership | Quarantine>): void => {
  it.effect("an entry is kept as it came, once, until somebody ends it, and is not opened again", () =>
    Effect.gen(function* () {
      const quarantine = yield* Quarantine
      const fence = yield* takeFence(`test-${crypto.randomUUID()}`)
      const whole = entry(8, null, { gains: null })
      yield* quarantine.add(fence, [entry(7, "0x1"), entry(7, "0x2"), whole])
      yield* quarantine.add(fence, [entry(7, "0x1", { reason: "another", gains: null })])
      yield* quarantine.add(fence, [])
      assert.strictEqual(yield* quarantine.openCount("base"), 3)
      assert.strictEqual(yield* quarantine.openCount("bsc"), 0)
      const filter = { network: "base", open: true, limit: 10 } as const
      assert.deepStrictEqual((yield* quarantine.list(filter))[0], { ...whole, end: null })
      assert.deepStrictEqual(yield* quarantine.openFrom("base", 8), [whole])
      assert.deepStrictEqual(
        (yield* quarantine.openFrom("base", 7)).find(({ txHash }) => txHash === "0x1"),
        entry(7, "0x1")
      )
      assert.deepStrictEqual(yield* quarantine.openIn("base", "0xb8"), [whole])
      assert.sameDeepMembers([...(yield* quarantine.openIn("base", "0xb7"))], [entry(7, "0x1"), entry(7, "0x2")])
      assert.deepStrictEqual(yield* quarantine.openIn("bsc", "0xb8"), [])
      const which = { network: "base", blockHash: "0xb7", txHash: "0x1" } as const
      assert.strictEqual(yield* quarantine.end(which, passed), 1)
      assert.deepStrictEqual(yield* quarantine.openIn("base", "0xb7"), [entry(7, "0x2")])
      assert.strictEqual(yield* quarantine.end(which, { ...passed, by: "bob" }), 0)
      yield* quarantine.add(fence, [entry(7, "0x1")])
      assert.strictEqual(yield* quarantine.openCount("base"), 2)
      assert.deepStrictEqual(
        (yield* quarantine.list({ ...filter, network: null, open: false })).find(({ txHash }) => txHash === "0x1")?.end,
        passed
      )
      assert.strictEqual(yield* quarantine.end({ ...which, txHash: "all" }, passed), 1)
      assert.strictEqual(yield* quarantine.end({ ...which, blockHash: "0xb8", txHash: "all" }, passed), 1)
      assert.deepStrictEqual(yield* quarantine.list(filter), [])
      assert.strictEqual((yield* quarantine.list({ ...filter, open: false, limit: 2 })).length, 2)
    })
  )

  it.effect("the list goes on behind each of its places, those of one moment among them", () =>
    Effect.gen(function* () {
      const quarantine = yield* Quarantine
      const fence = yield* takeFence(`test-${crypto.randomUUID()}`)
      const network = "optimism"
      const of = (number: number, txHash: string | null, at: number) =>
        entry(number, txHash, { network, noticedAt: noticedAt + at })
      yield* quarantine.add(fence, [
        of(3, "0x2", 0),
        of(4, "0x1", 0),
        of(3, null, 0),
        of(2, "0x1", 1),
        of(9, "0x1", -1)
      ])
      const behind = (after?: QuarantinePlace) =>
        Effect.map(quarantine.list({ network: null, open: true, after, limit: 100 }), (entries) =>
          entries.filter((one) => one.network === network)
        )
      const all = yield* behind()
      assert.deepStrictEqual(
        all.map(({ block, txHash }) => [block.number, txHash]),
        [
          [2, "0x1"],
          [4, "0x1"],
          [3, null],
          [3, "0x2"],
          [9, "0x1"]
        ]
      )
      for (const [index, after] of all.entries()) assert.deepStrictEqual(yield* behind(after), all.slice(index + 1))
    })
  )

  it.effect(
    "an entry that the watcher ended is open again when it is added again: its block is back on the chain",
    () =>
      Effect.gen(function* () {
        const quarantine = yield* Quarantine
        const fence = yield* takeFence(`test-${crypto.randomUUID()}`)
        const which = { network: "base", blockHash: "0xb70", txHash: "all" } as const
        for (const [n, outcome] of (["gone", "read"] as const).entries()) {
          yield* quarantine.add(fence, [entry(70, "0x1"), entry(70, null)])
          assert.strictEqual(yield* quarantine.end(which, { ...passed, outcome, by: "watcher", reason: null }), 2)
          const again = entry(70, "0x1", { reason: "no trace", gains: null, noticedAt: noticedAt + 1_000 + n })
          yield* quarantine.add(fence, [again])
          assert.deepStrictEqual(yield* quarantine.openFrom("base", 70), [again])
          assert.deepStrictEqual((yield* quarantine.list({ network: "base", open: true, limit: 1 }))[0]?.end, null)
        }
        assert.strictEqual(yield* quarantine.end(which, passed), 1)
      })
  )

  it.effect("a block that was passed whole is told until it is read, also where an operator ended its entry", () =>
    Effect.gen(function* () {
      const quarantine = yield* Quarantine
      const fence = yield* takeFence(`test-${crypto.randomUUID()}`)
      const [low, high] = [entry(170, null), entry(171, null)]
      yield* quarantine.add(fence, [high, low, entry(172, "0x1")])
      const told = quarantine.passedWhole("base", 170)
      assert.deepStrictEqual(yield* told, [low.block, high.block])
      assert.deepStrictEqual(yield* quarantine.passedWhole("base", 171), [high.block])
      assert.deepStrictEqual(yield* quarantine.passedWhole("bsc", 170), [])
      const all = (block: Quarantined["block"]) => ({ network: "base", blockHash: block.hash, txHash: "all" }) as const
      yield* quarantine.end(all(low.block), passed)
      assert.deepStrictEqual(yield* told, [low.block, high.block])
      yield* quarantine.end(all(high.block), { ...passed, outcome: "read", by: "watcher" })
      assert.deepStrictEqual(yield* told, [low.block])
      const one = entry(170, "0x1")
      yield* quarantine.add(fence, [one])
      yield* quarantine.end(all(one.block), passed)
      assert.strictEqual(yield* quarantine.end(all(low.block), passed), 0)
      assert.strictEqual(yield* quarantine.end(all(low.block), { ...passed, outcome: "read", by: "watcher" }), 1)
      assert.deepStrictEqual(yield* told, [])
      yield* quarantine.end({ network: "base", blockHash: "0xb172", txHash: "all" }, passed)
    })
  )

  it.effect("a watcher that was replaced adds nothing and takes no order back", () =>
    Effect.gen(function* () {
      const quarantine = yield* Quarantine
      const stale = yield* takeFence(`test-${crypto.randomUUID()}`)
      const fence = yield* takeFence(stale.name)
      const order = { network: "bsc", number: 5, kind: "PASS", by: "alice", reason: null, at: noticedAt } as const
      yield* quarantine.order(order)
      const add = quarantine.add(stale, [entry(9, "0x9", { network: "bsc" })])
      assert.strictEqual((yield* Effect.flip(add))._tag, "Fenced")
      assert.strictEqual((yield* Effect.flip(quarantine.carriedOut(stale, order)))._tag, "Fenced")
      assert.strictEqual(yield* quarantine.openCount("bsc"), 0)
      assert.deepStrictEqual(yield* quarantine.orders("bsc"), [order])
      yield* quarantine.carriedOut(fence, order)
      assert.deepStrictEqual(yield* quarantine.orders("bsc"), [])
    })
  )

  it.effect("what is of one network, block or transaction is of no other that is called the same", () =>
    Effect.gen(function* () {
      const quarantine = yield* Quarantine
      const fence = yield* takeFence(`test-${crypto.randomUUID()}`)
      const [base, bsc] = (["base", "bsc"] as const).map(
        (network) => ({ network, number: 5, kind: "PASS", by: "alice", reason: "why", at: noticedAt }) as const
      )
      if (base === undefined || bsc === undefined) return assert.fail("no orders")
      for (const order of [base, bsc]) yield* quarantine.order(order)
      assert.deepStrictEqual([yield* quarantine.orders("base"), yield* quarantine.orders("bsc")], [[base], [bsc]])
      yield* quarantine.carriedOut(fence, base)
      assert.deepStrictEqual([yield* quarantine.orders("base"), yield* quarantine.orders("bsc")], [[], [bsc]])
      yield* quarantine.order(base)
      assert.isTrue(yield* quarantine.withdraw(bsc))
      assert.deepStrictEqual([yield* quarantine.orders("base"), yield* quarantine.orders("bsc")], [[base], []])
      assert.isTrue(yield* quarantine.withdraw(base))

      // two blocks of one number, and a block that two networks call the same
      const one = entry(300, "0x1")
      const others = [
        { ...one, block: { ...one.block, hash: "0xother" } },
        { ...one, txHash: "0x2" },
        { ...one, network: "bsc" } as const
      ]
      yield* quarantine.add(fence, [one, ...others])
      const open = Effect.map(
        Effect.forEach(["base", "bsc"] as const, (network) => quarantine.openFrom(network, 300)),
        (found) => found.flat()
      )
      assert.sameDeepMembers(yield* open, [one, ...others])
      for (const network of ["base", "bsc"] as const) {
        const listed = yield* quarantine.list({ network, open: true, limit: 10 })
        assert.deepStrictEqual([...new Set(listed.map((each) => each.network))], [network])
      }
      for (const [index, each] of [one, ...others].entries()) {
        const which = { network: each.network, blockHash: each.block.hash, txHash: each.txHash ?? "all" }
        assert.strictEqual(yield* quarantine.end(which, passed), 1)
        assert.sameDeepMembers(yield* open, others.slice(index))
      }
      return undefined
    })
  )

  it.effect("a block has the order that was given last", () =>
    Effect.gen(function* () {
      const quarantine = yield* Quarantine
      const fence = yield* takeFence(`test-${crypto.randomUUID()}`)
      const first = { network: "base", number: 5, kind: "PASS", by: "alice", reason: "why", at: noticedAt } as const
      const second = { ...first, kind: "REREAD", by: "bob", reason: null, at: noticedAt + 1 } as const
      const lower = { ...first, number: 4 }
      for (const order of [first, second, lower]) yield* quarantine.order(order)
      assert.deepStrictEqual(yield* quarantine.orders("base"), [lower, second])
      assert.deepStrictEqual(yield* quarantine.orders("tron"), [])
      assert.isFalse(yield* quarantine.withdraw({ ...second, kind: first.kind }), "it was replaced")
      for (const earlier of [first, { ...second, at: first.at }, { ...second, kind: first.kind }])
        yield* quarantine.carriedOut(fence, earlier)
      assert.deepStrictEqual(yield* quarantine.orders("base"), [lower, second], "another was carried out")
      assert.isFalse(yield* quarantine.withdraw({ ...second, network: "tron" }))
      assert.isTrue(yield* quarantine.withdraw(second))
      assert.isFalse(yield* quarantine.withdraw(second))
      assert.deepStrictEqual(yield* quarantine.orders("base"), [lower])
      for (const order of [second, lower]) yield* quarantine.carriedOut(fence, order)
    })
  )
}

/** What every Quarantine must do. It uses the networks base and bsc: give it a store in which nothing else does. */
export const quarantineSuite = <E>(
  name: string,
  layer: Layer.Layer<Leadership | Quarantine, E>,
  options: SuiteOptions = {}
): void => {
  layerTests(layer, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: Quarantine`, (it) =>
    quarantineTests(it)
  )
}
