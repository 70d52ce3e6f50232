import { fleetTenantId } from "@bursar/core/grant/Grant"
import { putRecord } from "@bursar/core/engine/Records"
import { Writer } from "@bursar/core/engine/Writer"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { exactly } from "@bursar/core/reconciliation/Movement"
import { depositAddresses } from "@bursar/core/reconciliation/Place"
import { Positions } from "@bursar/core/reconciliation/Positions"
import { ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { writing } from "@bursar/testkit/fixtures/commands"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { record } from "../../src/reconcile/record.ts"
import { oneProcess } from "../watch/world.ts"
import { limits } from "./world.ts"

const place = depositAddresses("ethereum")

const breakOf = (units: bigint): ReconciliationBreak => ({
  id: crypto.randomUUID(),
  place: place.name,
  currency: "ETH",
  units,
  since: 0,
  sinceBlock: null,
  candidates: [],
  about: null,
  explanation: null,
  alarmedAt: null,
  toldAt: null,
  closedAt: null
})

describe("many breaks that strangers have made by small amounts", () => {
  it.effect("do not make the worker look for what could explain each of them: it does so for the largest", () =>
    Effect.gen(function* () {
      const open = Array.from({ length: 60 }, (_, at) => breakOf(-1n - BigInt(at)))
      const loss = breakOf(1_000n)
      yield* (yield* Writer).submit(
        fleetTenantId,
        writing(() => [...open, loss].map((one) => putRecord(ReconciliationBreak, one)))
      )
      const positions = yield* Positions
      const asked: Array<bigint> = []
      const lines: Positions["Service"]["lines"] = (query) => {
        asked.push(query.units)
        return positions.lines(query)
      }
      const missing = open.reduce((sum, { units }) => sum + units, loss.units)
      const found = { ledger: missing, observed: 0n, inFlight: exactly(0n) }
      yield* record(
        { fence: { name: "reconcile", epoch: 0 }, currencies: defaultCurrencies, limits },
        {
          finding: { place, currency: "ETH", at: 1, block: null, ledger: missing, found, movements: [] },
          open: [...open, loss]
        },
        "steady"
      ).pipe(Effect.provideService(Positions, Positions.of({ ...positions, lines })))
      assert.strictEqual(asked.length, 32)
      assert.isTrue(asked.every((units) => units > 28n))
      assert.include(asked, 1_000n)
    }).pipe(Effect.provide(oneProcess()))
  )
})
