import * as Writer from "@bursar/core/engine/Writer"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { switchNetwork } from "@bursar/core/payout/switchNetwork"
import { exactly } from "@bursar/core/reconciliation/Movement"
import { providerPlace } from "@bursar/core/reconciliation/Place"
import { recordObservation } from "@bursar/core/reconciliation/recordObservation"
import * as Memory from "@bursar/memory"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { providerPlaces } from "../src/handlers/operator/providerPlaces.ts"

const store = Writer.layer.pipe(Layer.provideMerge(Layer.fresh(Memory.layer)))

it.effect(
  "a place can be stopped that a worker has looked at, or somebody has stopped, though none is configured",
  () =>
    Effect.gen(function* () {
      const { submit } = yield* Writer.Writer
      const isPlace = yield* providerPlaces
      const all = ["custodian:old", "bank:stopped", "custodian:nobody", "tron"]
      assert.deepStrictEqual(yield* Effect.forEach(all, isPlace), [false, false, false, false])
      yield* submit(
        fleetTenantId,
        recordObservation({
          place: providerPlace("custodian", "old"),
          currency: "BTC",
          at: 1,
          block: null,
          found: { ledger: 0n, observed: 0n, inFlight: exactly(0n) },
          ledger: 0n,
          look: "steady",
          candidates: [],
          explaining: new Map(),
          rule: { tolerance: 0n, afterMs: 0, stops: false, movable: 0n }
        })
      )
      yield* submit(fleetTenantId, switchNetwork("bank:stopped", "a theft", "anna"))
      yield* submit(fleetTenantId, switchNetwork("tron", "a theft", "anna"))
      assert.deepStrictEqual(yield* Effect.forEach(all, isPlace), [true, true, false, false])
    }).pipe(Effect.provide(store))
)
