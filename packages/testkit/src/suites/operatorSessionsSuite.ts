import { type OperatorPass, OperatorSessions } from "@bursar/core/port/OperatorSessions"
import { assert, layer as layerTests } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { past } from "../fixtures/tenants.ts"
import { type Second, secondOf, type SuiteIt, type SuiteOptions, timeoutOf } from "./harness.ts"

const newDigest = () => `${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll("-", "")

/** A session that is good for a while, of an operator of its own unless it says otherwise. */
const pass = (more: Partial<OperatorPass> = {}): OperatorPass => ({
  digest: newDigest(),
  kind: "SESSION",
  operator: `ada-${crypto.randomUUID()}`,
  credential: "token",
  seal: "seal",
  role: "admin",
  createdAt: past,
  expiresAt: past + 5_000,
  credentialExpiresAt: null,
  ...more
})

/** Settings of the suite of OperatorSessions. */
export interface OperatorSessionsSuiteOptions extends SuiteOptions {
  /** The same store as another process would open it. */
  readonly second: Second<OperatorSessions>
}

/** The tests of the suite. */
export const operatorSessionsTests = (it: SuiteIt<OperatorSessions>, options: OperatorSessionsSuiteOptions): void => {
  it.effect("gives passes back as they were kept, and each to its own digest", () =>
    Effect.gen(function* () {
      const passes = yield* OperatorSessions
      const [session, link] = [pass(), pass({ kind: "LINK", role: "auditor", credentialExpiresAt: past + 9_000 })]
      for (const one of [session, link]) yield* passes.add(one)
      for (const one of [session, link]) assert.deepStrictEqual(yield* passes.find(one.digest), one)
      assert.isUndefined(yield* passes.find(newDigest()))
    })
  )

  it.effect(
    "gives a link once, to one of many who take it at once from two processes, and nothing of another kind",
    () =>
      Effect.gen(function* () {
        const passes = yield* OperatorSessions
        const second = yield* secondOf(OperatorSessions, options.second)
        const link = pass({ kind: "LINK" })
        yield* passes.add(link)
        assert.deepStrictEqual(yield* second.find(link.digest), link)
        assert.isUndefined(yield* passes.take(link.digest, "SESSION"))
        const taken = yield* Effect.forEach(
          Array.from({ length: 8 }),
          (_, n) => (n % 2 === 0 ? passes : second).take(link.digest, "LINK"),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          taken.filter((one) => one !== undefined),
          [link]
        )
        assert.isUndefined(yield* passes.find(link.digest))
      })
  )

  it.effect("lists the sessions that have not expired, the newest first, and no links", () =>
    Effect.gen(function* () {
      const passes = yield* OperatorSessions
      const older = pass({ expiresAt: past + 50_000 })
      const newer = pass({ createdAt: past + 1, expiresAt: past + 60_000 })
      const link = pass({ kind: "LINK", expiresAt: past + 60_000 })
      for (const one of [older, link, newer]) yield* passes.add(one)
      const open = (now: number) =>
        Effect.map(passes.open(now), (all) =>
          all.filter(({ operator }) => [older, newer, link].some((one) => one.operator === operator))
        )
      assert.deepStrictEqual(yield* open(past + 49_999), [newer, older])
      assert.deepStrictEqual(yield* open(past + 50_000), [newer])
      assert.deepStrictEqual(yield* open(past + 60_000), [])
    })
  )

  it.effect("forgets what expired before a new one was made, and keeps what did not", () =>
    Effect.gen(function* () {
      const passes = yield* OperatorSessions
      const [ended, good] = [pass({ expiresAt: past + 1_000 }), pass({ expiresAt: past + 1_001 })]
      for (const one of [ended, good]) yield* passes.add(one)
      assert.deepStrictEqual(yield* passes.find(ended.digest), ended)
      yield* passes.add(pass({ createdAt: past + 1_000 }))
      assert.isUndefined(yield* passes.find(ended.digest))
      assert.deepStrictEqual(yield* passes.find(good.digest), good)
    })
  )

  it.effect("ends every link and session of an operator, and none of another's", () =>
    Effect.gen(function* () {
      const passes = yield* OperatorSessions
      const operator = `bob-${crypto.randomUUID()}`
      const [session, link, others] = [pass({ operator }), pass({ operator, kind: "LINK" }), pass()]
      for (const one of [session, link, others]) yield* passes.add(one)
      yield* passes.endAll(operator)
      for (const { digest } of [session, link]) assert.isUndefined(yield* passes.find(digest))
      assert.deepStrictEqual(yield* passes.find(others.digest), others)
    })
  )
}

/** What every OperatorSessions must do: a pass is found by its digest alone, a link is taken once, and what ends lets nobody in. */
export const operatorSessionsSuite = <E>(
  name: string,
  layer: Layer.Layer<OperatorSessions, E>,
  options: OperatorSessionsSuiteOptions
): void => {
  layerTests(layer, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: OperatorSessions`, (it) =>
    operatorSessionsTests(it, options)
  )
}
