import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { contradictionsOf } from "@bursar/core/operation/contradictions"
import { hearReplaced } from "@bursar/core/custody/hearReplaced"
import { contradiction } from "@bursar/core/custody/contradiction"
import type { Operation } from "@bursar/core/operation/Operation"
import { orderIds } from "@bursar/core/operation/orderIds"
import { done, type ProviderResult, refused, unknown } from "@bursar/core/port/ProviderResult"
import type { ConversionState } from "@bursar/core/port/Custodian"
import type { Resolution } from "@bursar/core/resolution/Resolution"
import { approveResolution, proposeResolution } from "@bursar/core/resolution/resolutionCommands"
import { cancelOperation } from "@bursar/core/resolution/cancelOperation"
import { beginCustody } from "@bursar/core/custody/beginCustody"
import { recordSwap } from "@bursar/core/swap/recordSwap"
import { Queries } from "@bursar/core/store/Queries"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { dollar, store, submit, withdrawer, wrong } from "../withdrawal/world.ts"
import { accept, bought, market, sold } from "../swap/world.ts"
import { stated } from "../resolution/world.ts"

const units = 10_000_000_000n
const ref = fc.constantFrom("c-1", "c-2", "c-3")
const answer: fc.Arbitrary<ProviderResult<ConversionState>> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<ProviderResult<ConversionState>>(unknown("no answer")) },
  { weight: 1, arbitrary: fc.constant<ProviderResult<ConversionState>>(refused("no such order")) },
  {
    weight: 2,
    arbitrary: ref.map((providerReference) => done<ConversionState>({ _tag: "Pending", providerReference }))
  },
  {
    weight: 2,
    arbitrary: fc
      .option(ref)
      .map((providerReference) => done<ConversionState>({ _tag: "Failed", providerReference, reason: "closed" }))
  },
  {
    weight: 4,
    arbitrary: fc
      .record({
        providerReference: ref,
        received: fc.constantFrom(units, (units * 6n) / 10n, units * 3n, 0n, 1n),
        sold: fc.constantFrom(undefined, units, (units * 6n) / 10n, units - 1n, units + 1n),
        fee: fc.constantFrom(
          undefined,
          of(7n, sold),
          of(5n, bought),
          of(3n, "BTC"),
          of(3n, "NOPE"),
          of(units, sold),
          of(-1n, sold)
        )
      })
      .map(({ providerReference, received, sold: s, fee }) =>
        done<ConversionState>({
          _tag: "Settled",
          providerReference,
          received: of(received, bought),
          ...(s !== undefined && { sold: of(s, sold) }),
          ...(fee !== undefined && { feesBeside: [fee] })
        })
      )
  }
)
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ t: fc.constant("hear" as const), n: fc.nat(1), answer, stale: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ t: fc.constant("begin" as const), n: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ t: fc.constant("cancel" as const), n: fc.nat(1) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      t: fc.constant("propose" as const),
      n: fc.nat(1),
      outcome: fc.constantFrom("SETTLED" as const, "FAILED" as const),
      providerReference: fc.option(ref),
      received: fc.constantFrom(units, (units * 6n) / 10n, units * 3n)
    })
  },
  { weight: 3, arbitrary: fc.record({ t: fc.constant("approve" as const), n: fc.nat(1) }) }
)

/** What happens to one of two swaps. */
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const tolerate = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(
    Effect.catchIf(
      (e) => e._tag === "Refusal",
      () => Effect.succeed(undefined)
    )
  )

const keyOfSettled = (a: ProviderResult<ConversionState>) =>
  a._tag === "Done" && a.value._tag === "Settled" ? a.value : undefined

const live = (quoted: boolean, steps: ReadonlyArray<Step>) =>
  Effect.gen(function* () {
    const id = yield* withdrawer()
    // a fee that is taken from it is no shortfall
    yield* submit(id, adjustFloat({ amount: of(1_000n, "BTC"), against: "custodian", reason: "funded" }))
    const ops = [yield* accept(id, units, quoted), yield* accept(id, units, quoted)]
    const get = (n: number) =>
      Effect.flatMap(Queries, (q) => q.operation(id, ops[n]?.id ?? "")).pipe(
        Effect.map((one) => one ?? assert.fail("gone"))
      )
    const float = Effect.map(
      Effect.flatMap(Queries, (q) => q.float(id)),
      (all) => new Map(all.map((one) => [`${one.account} ${one.currency}`, one.units] as const))
    )
    const price = yield* dollar()
    const usd = new Map([sold, bought, "BTC"].map((c) => [c, price] as const))
    const proposals: Array<{ resolution: Resolution; op: Operation } | undefined> = [undefined, undefined]
    // what the custodian said settled of an order, to whichever swap
    const settledSaid: Array<Set<string>> = [new Set(), new Set()]
    let last: ReadonlyArray<Operation> = [yield* get(0), yield* get(1)]
    for (const s of steps) {
      const before = yield* get(s.n)
      const floatBefore = yield* float
      switch (s.t) {
        case "begin":
          yield* submit(id, beginCustody(before, { name: "fake", environment: "LIVE" }, { market: yield* market() }))
          break
        case "cancel":
          yield* tolerate(submit(id, cancelOperation({ operation: before, by: "olga", currencies: defaultCurrencies })))
          break
        case "hear": {
          if (before.details.sent_at === undefined) break
          const read = s.stale ? (last[s.n] ?? before) : before
          yield* submit(id, recordSwap({ operation: read, answer: s.answer, usd, currencies: defaultCurrencies }))
          yield* submit(id, hearReplaced(yield* get(s.n), s.answer, contradiction))
          break
        }
        case "propose": {
          const statement = stated({
            outcome: s.outcome,
            providerReference: s.providerReference,
            received: s.outcome === "SETTLED" ? of(s.received, bought) : null
          })
          const resolution = yield* tolerate(
            submit(id, proposeResolution({ operation: before, statement, by: "ann", currencies: defaultCurrencies }))
          )
          if (resolution !== undefined) proposals[s.n] = { resolution, op: before }
          break
        }
        case "approve": {
          const p = proposals[s.n]
          if (p === undefined) break
          yield* tolerate(
            submit(
              id,
              approveResolution({
                operation: before,
                resolution: p.resolution,
                by: "bob",
                currencies: defaultCurrencies,
                proof: null
              })
            )
          )
        }
      }
      last = s.n === 0 ? [before, last[1] ?? before] : [last[0] ?? before, before]
      const after = yield* get(s.n)
      const floatAfter = yield* float
      assert.deepStrictEqual(
        yield* wrong(id),
        [],
        JSON.stringify(s, (_, v) => (typeof v === "bigint" ? `${v}` : v))
      )
      const isOver = (o: Operation) => o.status === "SETTLED" || o.status === "FAILED"
      if (isOver(before)) {
        assert.strictEqual(after.status, before.status)
        assert.deepStrictEqual(floatAfter, floatBefore, "nothing moves once it is over")
      }
      if (s.t === "hear") {
        const made = keyOfSettled(s.answer)
        if (!isOver(before) && after.status === "FAILED")
          assert.strictEqual(settledSaid[s.n]?.size, 0, "failed though its custodian had told that it settled")
        if (made !== undefined && before.details.sent_at !== undefined) {
          const owner = yield* Effect.map(get(1 - s.n), (o) => orderIds(o).includes(made.providerReference))
          if (!owner && !isOver(after)) settledSaid[s.n]?.add(made.providerReference)
          const isElsewhere =
            !owner && !isOver(before) && !isOver(after) && after.providerReference !== made.providerReference
          if (isElsewhere)
            assert.isTrue(
              contradictionsOf(after).some((one) => one.moved && one.reference === made.providerReference),
              `open, and ${made.providerReference} settled beside: not told`
            )
          if (!owner && before.status === "FAILED" && before.details.sent_at !== undefined)
            assert.isTrue(
              contradictionsOf(after).some((one) => one.moved && one.reference === made.providerReference),
              `failed, and ${made.providerReference} settled: not told`
            )
        }
      }
      const [a, b] = [yield* get(0), yield* get(1)]
      if (a.status === "SETTLED" && b.status === "SETTLED")
        assert.notStrictEqual(a.providerReference, b.providerReference, "one order settles two")
    }
  }).pipe(Effect.provide(store))

const begun: ReadonlyArray<Step> = [
  { t: "begin", n: 0 },
  { t: "begin", n: 1 }
]

describe("lives of swaps", () => {
  for (const quoted of [true, false])
    it(`keep the books, quoted ${quoted}`, { timeout: 30_000 }, () =>
      fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), (steps) =>
          Effect.runPromise(live(quoted, [...begun, ...steps]))
        ),
        { numRuns: 10 }
      )
    )
})
