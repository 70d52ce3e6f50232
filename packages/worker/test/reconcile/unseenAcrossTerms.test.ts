import { Custodian } from "@bursar/core/port/Custodian"
import { ProviderError } from "@bursar/core/port/ProviderError"
import { makeFakeCustodian } from "@bursar/testkit/fixtures/FakeCustodian"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { Egress } from "../../src/egress/Egress.ts"
import { begin, oneProcess, ticks } from "../watch/world.ts"
import { reconciling } from "./world.ts"

const gone = new ProviderError({ provider: "kraken", doing: "tell its balance", detail: "503" })

for (const [when, wholeTerms] of [
  ["once it was seen", 1],
  ["though it never was", 0]
] as const)
  it.effect(`a place that nobody sees for long is an alarm where each leader leads for less, ${when}`, () => {
    const posted: Array<unknown> = []
    const send: Egress["Service"]["send"] = ({ body }) =>
      Effect.sync(() => {
        posted.push(JSON.parse(String(body)))
        return { status: 204, headers: new Map(), body: new Uint8Array(), truncated: false }
      })
    let isDown = false
    const custodian = Custodian.of({
      ...makeFakeCustodian(() => assert.fail("nothing is ordered"), [], undefined, "kraken", "LIVE").provider,
      assets: Effect.succeed([{ currency: "BTC", withdrawable: true, pool: "btc" }]),
      balances: Effect.suspend(() => (isDown ? Effect.fail(gone) : Effect.succeed(new Map<string, bigint>())))
    })
    const term = Effect.gen(function* () {
      const limits = { alarmAfterMs: 30_000, alarmUrl: "https://ops.example/alarms" }
      const leading = yield* Effect.forkChild(Effect.provideService(reconciling([], limits), Custodian, custodian))
      yield* ticks(25)
      yield* Fiber.interrupt(leading)
    })
    return Effect.gen(function* () {
      yield* begin
      yield* newTenant()
      for (let whole = 0; whole < wholeTerms; whole += 1) yield* term
      isDown = true
      yield* term
      assert.lengthOf(posted, 0)
      yield* term
      assert.isAtLeast(posted.length, 1)
    }).pipe(Effect.provide([oneProcess(), Layer.succeed(Egress, Egress.of({ send }))]))
  })
