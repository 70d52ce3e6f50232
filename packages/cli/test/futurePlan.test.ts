import type { OperatorClient } from "@bursar/client/effect"
import { toIso } from "@bursar/core/base/Timestamp"
import { grantText } from "@bursar/core/grant/GrantDocument"
import { Grants, layer as layerGrants } from "@bursar/core/grant/Grants"
import { fleetGenesis } from "@bursar/core/grant/verifyChain"
import * as Memory from "@bursar/memory"
import { documentOn, proposedAt, testApprover, testRoot, testTrust } from "@bursar/testkit/fixtures/grants"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { examine, shown } from "../src/commands/grantChain.ts"
import { review } from "../src/commands/grantPlan.ts"
import { newPlan } from "../src/commands/grantPlanFile.ts"

// a plan of the fleet asks for nothing but the names of tenants
const client = {
  tenants: { list: () => Effect.succeed({ tenants: [], unreadable: [] }) }
} as unknown as OperatorClient

it.effect(
  "nobody signs a plan of the future: once that has come, it would seem to know what was lowered until then",
  () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(proposedAt)
      const root = testRoot([yield* testApprover("ann", 1), yield* testApprover("bob", 2)], 2)
      const grants = yield* Effect.provide(Grants, layerGrants(testTrust(root)))
      const fleet = yield* grants.fleet
      const reviewed = (at: number) => {
        const document = documentOn({ fleet }, "network", { network: "tron", stopped: true, reason: "" }, at)
        return review(client, grants, newPlan([{ chain: "fleet", documents: [grantText(document)] }]))
      }
      const ahead = proposedAt + 60_000
      assert.strictEqual((yield* reviewed(ahead)).chains[0]?.left.length, 1)
      const refused = yield* Effect.flip(reviewed(ahead + 1))
      assert.include(refused.message, `proposed at ${toIso(ahead + 1)}, which is in the future`)
    }).pipe(Effect.provide(Layer.fresh(Memory.layer)))
)

it.effect("nobody signs a proposal of the future, whatever the service shows", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(proposedAt)
    const root = testRoot([yield* testApprover("ann", 1), yield* testApprover("bob", 2)], 2)
    const fleet = yield* fleetGenesis(root)
    const examined = (at: number, stopped = false) => {
      const document = documentOn({ fleet }, "network", { network: "tron", stopped, reason: "" }, at)
      return examine({ fleet }, { document: grantText(document) })
    }
    const ahead = proposedAt + 60_000
    assert.strictEqual((yield* examined(ahead)).document.kind, "network")
    const refused = yield* Effect.flip(examined(ahead + 1))
    assert.include(refused.message, `proposed at ${toIso(ahead + 1)}, which is in the future`)
    // a stop is urgent, and puts nothing back, whichever clock is wrong
    const early = yield* examined(ahead + 1, true)
    assert.strictEqual(early.document.kind, "network")
    assert.match(
      shown(early).replaceAll(/\s+/gu, " "),
      /Clocks By the clock of this machine, it was proposed in the future/u
    )
    assert.notInclude(shown(yield* examined(ahead, true)), "Clocks")
  })
)
