import type { State } from "@bursar/memory"
import { adjust } from "@bursar/testkit/fixtures/commands"
import { layerFakeNetworks } from "@bursar/testkit/fixtures/FakeNetwork"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Operator } from "./support/Operator.ts"
import { portsOver } from "./support/Partner.ts"
import { testNetwork } from "./support/TestPorts.ts"

const ports = (state: State) => Layer.merge(portsOver(state), layerFakeNetworks([testNetwork("base")]))

const test = <A, E>(name: string, effect: Effect.Effect<A, E, Operator>) =>
  it.live(name, () => Effect.provide(effect, Operator.layerWith({}, ports)))

const base = "/operator/v1/solvency/snapshots"

const statement = {
  place: "custodian",
  provider: "Kraken",
  currency: "ETH",
  amount: "1",
  as_of: "2026-11-23T11:00:00Z",
  file: "kraken.pdf",
  sha256: "cd".repeat(32)
}

// 2^128 base units are 340282366920938463463.374607431768211456 ETH
const most = "340282366920938463463.374607431768211455"
const half = "170141183460469231731.687303715884105728"

const taking = (...statements: ReadonlyArray<Partial<typeof statement>>) =>
  Effect.gen(function* () {
    const { operate } = yield* Operator
    return yield* operate("POST", base, { body: { statements: statements.map((more) => ({ ...statement, ...more })) } })
  })

describe("the statements of a proof of solvency", () => {
  const refused: ReadonlyArray<readonly [string, string, ReadonlyArray<Partial<typeof statement>>]> = [
    ["an amount of 2^128 base units", "amount_invalid", [{ amount: "340282366920938463463.374607431768211456" }]],
    [
      "amounts that are 2^128 base units together",
      "amount_invalid",
      [{ amount: half }, { provider: "Gemini", amount: half }]
    ],
    [
      "the same statement twice, which would count twice",
      "invalid_request",
      [{}, { file: "copy.pdf", provider: "KRAKEN" }]
    ],
    ["a line break in the provider", "invalid_request", [{ provider: "Kraken\nPayward" }]],
    ["a tab in the name of the file", "invalid_request", [{ file: "kraken\t.pdf" }]]
  ]
  for (const [name, code, statements] of refused)
    test(
      `refuses ${name}, and stores nothing`,
      Effect.gen(function* () {
        const { operate, seeder } = yield* Operator
        yield* seeder.submit(yield* seeder.tenant(), adjust(600n, "ETH"))
        const { body, status } = yield* taking(...statements)
        assert.deepStrictEqual([status, body.error?.code], [422, code], JSON.stringify(body))
        const list = yield* operate("GET", base)
        assert.deepStrictEqual([list.status, list.body], [200, { snapshots: [] }])
      })
    )

  test(
    "are counted once in each snapshot, by however many operators and however often they are given",
    Effect.gen(function* () {
      const taken = yield* Effect.all([taking(statement), taking(statement), taking({}, { amount: "2" })], {
        concurrency: "unbounded"
      })
      const stated = taken.map(({ body }) => body.document.summary.map((one: Record<string, unknown>) => one["stated"]))
      assert.deepStrictEqual(stated, [["1000000000000000000"], ["1000000000000000000"], ["3000000000000000000"]])
    })
  )

  test(
    "may come to all that a document has room for",
    Effect.gen(function* () {
      const { operate } = yield* Operator
      const { body, status } = yield* taking({ amount: most }, { currency: "BTC", amount: "1" })
      assert.strictEqual(status, 200, JSON.stringify(body))
      assert.strictEqual((yield* operate("GET", base)).body.snapshots.length, 1)
    })
  )

  test(
    "of a snapshot that cannot be read do not hide the others, and are never published",
    Effect.gen(function* () {
      const { operate, seeder, state } = yield* Operator
      const key = yield* seeder.key(yield* seeder.tenant())
      const good = (yield* taking(statement)).body.snapshot.id
      const bad = (yield* taking(statement)).body.snapshot.id
      const stored = state.solvency.snapshots.get(bad) ?? assert.fail("it is stored")
      const document = stored.document.replace('"provider":"Kraken"', String.raw`"provider":"Kraken\n"`)
      state.solvency.snapshots.set(bad, { ...stored, document })
      const list = yield* operate("GET", base)
      assert.deepStrictEqual(
        list.body.snapshots.map(({ id }: Record<string, unknown>) => id),
        [good]
      )
      const { ask } = yield* Operator
      yield* operate("POST", `${base}/${good}/publish`)
      assert.strictEqual((yield* operate("POST", `${base}/${bad}/publish`)).status, 500)
      assert.isNull(state.solvency.snapshots.get(bad)?.published)
      assert.strictEqual((yield* ask("GET", "/v1/solvency", { key })).body.snapshot_id, good)
    })
  )
})
