import type { ReadStatement, ToldLine } from "@bursar/core/port/ProviderStatement"
import { assert } from "@effect/vitest"
import { Clock, Effect } from "effect"

const sumOf = (lines: ReadonlyArray<ToldLine>): bigint => lines.reduce((sum, { units }) => sum + units, 0n)

/**
 * What a provider's statement must tell of what was done meanwhile: its lines come to what its balance has changed by, those of an order
 * name it by our id or the provider's, and each line has one id and one time for ever.
 */
export const tellsWhatWasDone = Effect.fnUntraced(function* <E, R>(
  statement: ReadStatement,
  given: {
    readonly currency: string
    readonly balance: Effect.Effect<bigint, never, R>
    /** Does something, and gives what it is called and what it must have moved. */
    readonly act: Effect.Effect<{ readonly names: ReadonlyArray<string>; readonly moved: bigint }, E, R>
  }
) {
  const read = (since: number, until: number) => Effect.orDie(statement(since, until))
  const start = yield* Clock.currentTimeMillis
  const earlier = new Set((yield* read(0, start + 1)).map(({ id }) => id))
  const before = yield* given.balance
  const { moved, names } = yield* given.act
  const end = (yield* Clock.currentTimeMillis) + 1
  const lines = (yield* read(start, end)).filter(({ currency, id }) => currency === given.currency && !earlier.has(id))
  assert.strictEqual(sumOf(lines), (yield* given.balance) - before)
  const named = lines.filter(({ references }) => references.some((one) => names.includes(one)))
  assert.strictEqual(sumOf(named), moved)
  assert.strictEqual(new Set(lines.map(({ id }) => id)).size, lines.length)
  assert.isTrue(lines.every(({ at, units }) => units !== 0n && at >= start && at < end))
  assert.deepStrictEqual(
    lines.map(({ at }) => at),
    lines.map(({ at }) => at).toSorted((one, other) => one - other)
  )
  // however a period is cut, each line is in one part of it
  const parts = [...(yield* read(0, start)), ...(yield* read(start, end)), ...(yield* read(end, end + 1))]
  assert.deepStrictEqual(parts, [...(yield* read(0, end + 1))])
})
