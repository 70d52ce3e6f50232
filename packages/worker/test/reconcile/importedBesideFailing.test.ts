import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { Writer } from "@bursar/core/engine/Writer"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { of } from "@bursar/core/money/Amount"
import { FiatProvider } from "@bursar/core/port/FiatProvider"
import { ProviderError } from "@bursar/core/port/ProviderError"
import { recordPart } from "@bursar/core/reconciliation/statement/recordLines"
import { makeFakeFiat } from "@bursar/testkit/fixtures/FakeFiat"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { begin, oneProcess, ticks } from "../watch/world.ts"
import { allBreaks, observedAgain, reconciling } from "./world.ts"

const bridge = "bank:bridge"
const gone = new ProviderError({ provider: "bridge", doing: "reading its statement", detail: "503" })

for (const isGone of [false, true])
  it.effect(`an imported statement is compared where the interface's statement ${isGone ? "is gone" : "answers"}`, () =>
    Effect.gen(function* () {
      yield* begin
      const { id } = yield* newTenant()
      const { submit } = yield* Writer
      yield* submit(id, adjustFloat({ amount: of(50n, "EUR"), against: "bank", reason: "funded" }))
      const { provider } = makeFakeFiat(() => assert.fail("nothing is ordered"), "bridge")
      const bank = FiatProvider.of({ ...provider, statement: () => (isGone ? Effect.fail(gone) : Effect.succeed([])) })
      yield* Effect.forkScoped(Effect.provideService(reconciling([], { statementGraceMs: 30_000 }), FiatProvider, bank))
      yield* observedAgain(bridge, "EUR")
      yield* ticks(10)
      const now = yield* Clock.currentTimeMillis
      const header = {
        place: bridge,
        id: "by hand",
        currencies: ["EUR"],
        from: now - 86_400_000,
        to: now + 3_600_000,
        parts: 1,
        digest: "d"
      }
      const theft = { id: "T", at: now, currency: "EUR", units: -40n, references: [], text: "a thief", about: null }
      yield* submit(fleetTenantId, recordPart(header, { index: 0, lines: [theft] }, "alice"))
      yield* ticks(300)
      const about = (yield* allBreaks).flatMap(({ about: one, units }) => (one?.id === "T" ? [units] : []))
      assert.deepStrictEqual(about, [40n])
    }).pipe(Effect.provide(oneProcess()))
  )
