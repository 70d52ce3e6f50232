import { NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import type { Network } from "@bursar/core/money/Network"
import { switchNetwork } from "@bursar/core/payout/switchNetwork"
import type { Storage } from "@bursar/core/engine/Storage"
import type { Tenants } from "@bursar/core/port/Tenants"
import { assert, layer as layerTests } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { looking } from "../fixtures/commands.ts"
import { commitAt, newTenant, past } from "../fixtures/tenants.ts"
import { type SuiteOptions, timeoutOf } from "./harness.ts"
import { readFact } from "@bursar/core/engine/Records"
import { payoutsOff } from "@bursar/core/operation/payoutsOff"

/** Which of three networks a command sees switched off. */
const seenOff = looking(
  (["tron", "base", "stellar"] as const).map((network) => readFact(payoutsOff, network)),
  (view) => (["tron", "base", "stellar"] as const).filter((network) => view.fact(payoutsOff, network))
)

/** What every NetworkSwitches must do, and the storage beside it: a command sees what was switched. */
export const networkSwitchesSuite = <E>(
  name: string,
  layer: Layer.Layer<NetworkSwitches | Storage | Tenants, E>,
  options: SuiteOptions = {}
): void => {
  layerTests(layer, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: NetworkSwitches`, (it) => {
    it.effect(
      "a network is as it was switched last, by whom, when and why; one that nobody switched is not listed",
      () =>
        Effect.gen(function* () {
          const switches = yield* NetworkSwitches
          const at = Date.UTC(2026, 2, 3, 4, 5, 6, 789)
          const switched = (network: Network, reason: string | null, by: string, now: number) =>
            commitAt(fleetTenantId, now, switchNetwork(network, reason, by))
          const off = { network: "tron", payoutsOff: true, reason: "a key is lost", changedBy: "alice", changedAt: at }
          const on = { network: "tron", payoutsOff: false, reason: null, changedBy: "bob", changedAt: at + 1 }
          const other = { ...off, network: "base", changedAt: at + 1 }
          const { id } = yield* newTenant()
          const seen = commitAt(id, past, seenOff)
          assert.deepStrictEqual(yield* switches.all, [])
          assert.deepStrictEqual(yield* seen, [[]])
          assert.deepStrictEqual(yield* switched("tron", "a key is lost", "alice", at), [off])
          const again = { ...off, changedAt: at + 1 }
          assert.deepStrictEqual(yield* switched("tron", "a key is lost", "alice", at + 1), [again])
          assert.deepStrictEqual(yield* seen, [["tron"]])
          assert.deepStrictEqual(yield* switches.all, [again])
          yield* switched("tron", null, "bob", at + 1)
          yield* switched("base", "a key is lost", "alice", at + 1)
          assert.deepStrictEqual(yield* seen, [["base"]])
          const all = yield* switches.all
          assert.deepStrictEqual(
            all.toSorted((one, two) => (one.network < two.network ? -1 : 1)),
            [other, on]
          )
        })
    )
  })
}
