import { fleetTenantId } from "@bursar/core/grant/Grant"
import { recordPart, recordTold } from "@bursar/core/reconciliation/statement/recordLines"
import type { NamedLine } from "@bursar/core/reconciliation/statement/sortLines"
import { StatementLine, unassignedLines } from "@bursar/core/reconciliation/statement/StatementLine"
import { Queries } from "@bursar/core/store/Queries"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { refusalOf, store, submit } from "../transfer/world.ts"

const place = "bank:bridge"
const dayMs = 86_400_000
const entry = { id: "A", currency: "EUR", units: 100n }

const line = (id: string, units: bigint, more: Partial<NamedLine> = {}): NamedLine => ({
  id,
  at: 10,
  currency: "EUR",
  units,
  references: [],
  text: "",
  about: null,
  ...more
})

const [first, second] = [line("A/1", 40n, { entry }), line("A/2", 60n, { entry })]
const whole = line("A", 100n)

const part = (
  id: string,
  lines: ReadonlyArray<NamedLine>,
  [index, parts]: readonly [number, number] = [0, 1],
  [from, to]: readonly [number, number] = [0, 100]
) => recordPart({ place, id, currencies: null, from, to, parts, digest: "d" }, { index, lines }, "alice")

const imported = (...command: Parameters<typeof part>) =>
  Effect.map(submit(fleetTenantId, part(...command)), ({ added, known }) => [added, known])

const refused = (...command: Parameters<typeof part>) =>
  Effect.map(Effect.flip(submit(fleetTenantId, part(...command))), ({ message }) => message)

const kept = Effect.flatMap(Queries, ({ records }) => records(fleetTenantId, StatementLine, unassignedLines(place)))
const ids = Effect.map(kept, (all) => all.map(({ id }) => id).toSorted())

describe("an entry that one statement tells by its parts and another as one line", () => {
  it.effect("is known as one line once the statement of its parts is whole", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* imported("day", [first, second]), [2, 0])
      for (const _ of ["first", "again"]) assert.deepStrictEqual(yield* imported("month", [whole]), [0, 1])
      assert.deepStrictEqual(yield* ids, ["A/1", "A/2"])
    }).pipe(Effect.provide(store))
  )

  it.effect("is refused as one line until all of the statement is there that tells its parts", () =>
    Effect.gen(function* () {
      yield* imported("day", [first], [0, 3])
      const wait =
        "Line A of bank:bridge is told in parts by statement day, which is not whole yet. Finish the import of that statement first."
      assert.strictEqual(yield* refused("month", [whole]), wait)
      yield* imported("day", [second], [1, 3])
      // its parts count once a statement is whole that has them
      assert.strictEqual(yield* refused("month", [line("B", 1n), whole]), wait)
      assert.deepStrictEqual(yield* ids, ["A/1", "A/2"])
      yield* imported("day", [], [2, 3])
      assert.deepStrictEqual(yield* imported("month", [whole]), [0, 1])
      assert.deepStrictEqual(yield* ids, ["A/1", "A/2"])
    }).pipe(Effect.provide(store))
  )

  it.effect("need not wait for a statement that was broken off where another tells its parts and is whole", () =>
    Effect.gen(function* () {
      yield* imported("day", [first], [0, 2])
      assert.deepStrictEqual(yield* imported("week", [first, second]), [1, 1])
      assert.deepStrictEqual(yield* imported("month", [whole]), [0, 1])
      assert.deepStrictEqual(yield* imported("day", [second], [1, 2]), [0, 1])
      assert.deepStrictEqual(yield* ids, ["A/1", "A/2"])
    }).pipe(Effect.provide(store))
  )

  it.effect("is known by any of its parts: one of nothing has no line", () =>
    Effect.gen(function* () {
      yield* imported("day", [
        { ...first, id: "A/2" },
        { ...second, id: "A/3" }
      ])
      assert.deepStrictEqual(yield* imported("month", [whole]), [0, 1])
    }).pipe(Effect.provide(store))
  )

  it.effect("is known in parts where it is there as one line, in whichever parts of the statement these come", () =>
    Effect.gen(function* () {
      yield* imported("month", [whole])
      assert.deepStrictEqual(yield* imported("day", [first], [0, 2]), [0, 1])
      assert.deepStrictEqual(yield* imported("day", [second], [1, 2]), [0, 1])
      const [only, ...others] = yield* kept
      assert.deepStrictEqual([only?.id, only?.alsoIn, others], ["A", ["day"], []])
    }).pipe(Effect.provide(store))
  )

  it.effect("is refused where the two say another amount or day", () =>
    Effect.gen(function* () {
      const changed = (id: string) => `Line ${id} of bank:bridge is known with another amount, currency or day.`
      yield* imported("day", [first, second, line("B", 5n), line("C/1", 1n, { entry: { ...entry, id: "C" } })])
      for (const more of [{ units: 99n }, { currency: "USD" }, { at: 10 + dayMs }])
        assert.strictEqual(yield* refused("month", [{ ...whole, ...more }]), changed("A"))
      assert.strictEqual(yield* refused("week", [line("A/3", 1n, { entry: { ...entry, units: 101n } })]), changed("A"))
      assert.strictEqual(yield* refused("week", [line("B/1", 1n, { entry: { ...entry, id: "B" } })]), changed("B"))
      // its parts do not come to what they are said to be parts of
      assert.strictEqual(yield* refused("month", [line("C", 100n)]), changed("C"))
      assert.deepStrictEqual(yield* ids, ["A/1", "A/2", "B", "C/1"])
    }).pipe(Effect.provide(store))
  )

  it.effect("is no line that is only called as a part is", () =>
    Effect.gen(function* () {
      yield* imported("day", [line("A/1", 100n)])
      assert.deepStrictEqual(yield* imported("month", [whole]), [1, 0])
    }).pipe(Effect.provide(store))
  )

  it.effect("is beside a line of its id in its own statement: a batch and its fee", () =>
    Effect.gen(function* () {
      const fee = line("A", -1n)
      assert.deepStrictEqual(yield* imported("day", [fee, first], [0, 2]), [2, 0])
      assert.deepStrictEqual(yield* imported("day", [second], [1, 2]), [1, 0])
      assert.deepStrictEqual(yield* imported("week", [first, second, fee]), [0, 3])
      assert.deepStrictEqual(yield* ids, ["A", "A/1", "A/2"])
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "is beside what a later statement tells under its id: its fee or return, booked after the period of its parts",
    () =>
      Effect.gen(function* () {
        const changed = "Line A of bank:bridge is known with another amount, currency or day."
        const fee = line("A", -1n, { at: 100 })
        yield* imported("day", [first], [0, 2])
        assert.strictEqual(yield* refused("next", [fee]), changed, "a statement that is not whole proves nothing")
        yield* imported("day", [second], [1, 2])
        assert.strictEqual(yield* refused("next", [{ ...fee, at: 99 }]), changed, "that statement would have told it")
        const otherDay = { ...whole, at: 10 + 9 * dayMs }
        assert.strictEqual(yield* refused("next", [otherDay]), changed, "what comes to the same can be the batch")
        assert.deepStrictEqual(yield* imported("next", [fee]), [1, 0])
        assert.deepStrictEqual(yield* imported("week", [first, second, fee]), [0, 3])
        assert.deepStrictEqual(yield* ids, ["A", "A/1", "A/2"])
      }).pipe(Effect.provide(store))
  )

  it.effect("is beside what is known under its id already, of a statement that begins after it is booked", () =>
    Effect.gen(function* () {
      const changed = "Line A of bank:bridge is known with another amount, currency or day."
      const fee = line("A", -1n, { at: 100 })
      const next = (index: number) => part("next", index === 0 ? [fee] : [], [index, 2], [100, 200])
      yield* submit(fleetTenantId, next(0))
      assert.strictEqual(yield* refused("month", [first, second, fee]), changed, "what is not whole proves nothing")
      yield* submit(fleetTenantId, next(1))
      const otherDay = { ...first, at: 100 }
      assert.strictEqual(yield* refused("month", [otherDay]), changed, "that statement would have told it")
      // its transactions can be in another part of the statement than the fee
      assert.deepStrictEqual(yield* imported("month", [fee, first], [0, 2]), [1, 1])
      assert.deepStrictEqual(yield* imported("month", [second], [1, 2]), [1, 0])
      assert.deepStrictEqual(yield* imported("day", [first, second]), [0, 2])
      assert.deepStrictEqual(yield* ids, ["A", "A/1", "A/2"])
      for (const again of [
        [whole, line("A#2", -1n, { at: 100 })],
        [fee, line("A#2", 100n)]
      ])
        assert.isNotNull(yield* refusalOf(fleetTenantId, part("year", again)), "it would count twice")
    }).pipe(Effect.provide(store))
  )

  it.effect("is refused beside what is known under its id where any statement of its day has told that", () =>
    Effect.gen(function* () {
      const fee = line("A", -1n, { at: 100 })
      yield* imported("next", [fee], [0, 1], [100, 200])
      // the newest first: it has the batch, too
      assert.deepStrictEqual(yield* imported("month", [fee, line("A#2", 100n)], [0, 1], [0, 200]), [1, 1])
      assert.isNotNull(yield* refusalOf(fleetTenantId, part("day", [first, second])))
      assert.deepStrictEqual(yield* ids, ["A", "A#2"])
    }).pipe(Effect.provide(store))
  )

  it.effect("is known, and not added, where what is known under its id comes to the same", () =>
    Effect.gen(function* () {
      yield* imported("next", [line("A", 100n, { at: 100 })], [0, 1], [100, 200])
      assert.deepStrictEqual(yield* imported("month", [first, second], [0, 1], [0, 200]), [0, 2])
      assert.deepStrictEqual(yield* ids, ["A"])
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "is refused where a statement calls it the second of its reference: it would count twice beside its fee",
    () =>
      Effect.gen(function* () {
        const changed = "Line A#2 of bank:bridge is known with another amount, currency or day."
        const fee = line("A", -1n, { at: 100 })
        yield* imported("day", [first, second])
        yield* imported("next", [fee])
        // the newest first
        const month = [fee, line("A#2", 100n)]
        assert.strictEqual(yield* refused("month", month), changed)
        assert.deepStrictEqual(yield* ids, ["A", "A/1", "A/2"])
        const more = [line("A#2", 100n, { at: 10 + dayMs }), line("A#3", 99n), line("C#2", 100n)]
        assert.deepStrictEqual(yield* imported("other", more), [3, 0], "what is no such entry is added")
      }).pipe(Effect.provide(store))
  )

  it.effect("is beside another of its reference, amount and day that its own statement tells as one line", () =>
    Effect.gen(function* () {
      const same = line("A#2", 100n)
      assert.deepStrictEqual(yield* imported("day", [first, second], [0, 2]), [2, 0])
      assert.deepStrictEqual(yield* imported("day", [same], [1, 2]), [1, 0])
      assert.deepStrictEqual(yield* imported("month", [whole, same]), [0, 2])
    }).pipe(Effect.provide(store))
  )

  it.effect("is not added by an interface that tells it as one line, which names it until its parts are whole", () =>
    Effect.gen(function* () {
      const told = Effect.map(
        submit(fleetTenantId, recordTold(place, { from: 0, to: 9, lines: [whole] })),
        ({ added, changed, known }) => [added, known, changed]
      )
      yield* imported("day", [first], [0, 2])
      assert.deepStrictEqual(yield* told, [0, 0, ["A"]])
      yield* imported("day", [second], [1, 2])
      assert.deepStrictEqual(yield* told, [0, 1, []])
      assert.deepStrictEqual(yield* ids, ["A/1", "A/2"])
      assert.isNull(yield* refusalOf(fleetTenantId, part("day", [second], [1, 2])), "it may be sent again")
    }).pipe(Effect.provide(store))
  )

  it.effect("is refused as one line where another tells it by its parts as a later one of its reference", () =>
    Effect.gen(function* () {
      const changed = "Line A#2 of bank:bridge is known with another amount, currency or day."
      const entries = { batch: { ...entry, units: -14n }, returned: { id: "A#3", currency: "EUR", units: 13n } }
      const month = [
        line("A/1", -9n, { entry: entries.batch }),
        line("A/2", -5n, { entry: entries.batch }),
        line("A", -7n, { at: 10 + dayMs }),
        line("A/1#2", 9n, { at: 10 + dayMs, entry: entries.returned }),
        line("A/2#2", 4n, { at: 10 + dayMs, entry: entries.returned })
      ]
      assert.deepStrictEqual(yield* imported("month", month), [5, 0])
      const day = [line("A", -7n, { at: 10 + dayMs }), line("A#2", 13n, { at: 10 + dayMs })]
      assert.strictEqual(yield* refused("day", day), changed)
      assert.deepStrictEqual(yield* ids, ["A", "A/1", "A/1#2", "A/2", "A/2#2"])
    }).pipe(Effect.provide(store))
  )
})
