import { receivesFrom } from "@bursar/core/grant/cooling"
import { granted } from "@bursar/core/grant/GrantState"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { verifyTenant } from "@bursar/core/grant/verifyChain"
import { of } from "@bursar/core/money/Amount"
import { uncooled } from "@bursar/core/leaving/uncooled"
import { coolingHoursMax, defaultPolicy } from "@bursar/core/tenant/Tenant"
import { toIso } from "@bursar/core/base/Timestamp"
import { grantTenant, proposedAt } from "@bursar/testkit/fixtures/grants"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { destination, world } from "./chain.ts"

const hour = 3_600_000
const policy = policyValues({ kind: "LIVE", policy: defaultPolicy })
const endless = { ...policy, destination_cooling_hours: "999999999999999" }

/** A destination that receives once the longest wait is over. */
const patient = { ...destination("d1", "USDC_ETH"), usable_from: toIso(proposedAt + coolingHoursMax * hour) }

/** A chain on which one person has made the waiting time endless, past the server. */
const outwaited = Effect.gen(function* () {
  const all = yield* world()
  const two = [all.ann, all.bob]
  yield* all.grant("policy", policy, two)
  yield* all.grant("policy", endless, [all.cleo])
  return { ...all, two }
})

describe("a waiting time that one approver has made endless", () => {
  it.effect("keeps no later destination from receiving for longer than the longest that there is", () =>
    Effect.gen(function* () {
      const { chain, grant, two } = yield* outwaited
      yield* grant("policy", policy, two)
      yield* grant("destination", destination("d1", "USDC_ETH"), two)
      const ruling = chain()
      const found = granted(ruling.tenant, "destination", "d1")
      if (found === undefined) return assert.fail("it was not granted")
      const from = receivesFrom(ruling.tenant, found, () => proposedAt)
      assert.strictEqual(from, proposedAt + coolingHoursMax * hour)
      const asked = { amount: of(1n, "USDC_ETH"), kind: "WITHDRAWAL" } as const
      const objection = (now: number) => uncooled(asked, { now, ruling, cooling: { hash: found.hash, from } })
      assert.strictEqual(objection(from - 1)?.reason, "destination_not_usable")
      assert.isUndefined(objection(from))
    })
  )

  it.effect("refuses an early destination with a moment that can be told, and takes one after the longest wait", () =>
    Effect.gen(function* () {
      const { chain, grant, two } = yield* outwaited
      const early = yield* Effect.flip(grant("destination", destination("d1", "USDC_ETH"), two))
      assert.include(early.message, toIso(proposedAt + coolingHoursMax * hour))
      yield* grant("destination", patient, two)
      assert.isDefined(granted(chain().tenant, "destination", "d1"))
    })
  )

  it.effect("leaves chains of before readable, whose destinations have waited longer", () =>
    Effect.gen(function* () {
      const { chain, cleo, entries, grant, trust, two } = yield* outwaited
      const late = { ...patient, usable_from: toIso(proposedAt + 5 * coolingHoursMax * hour) }
      yield* grant("policy", { ...policy, destination_cooling_hours: "2000" }, two)
      yield* grant("policy", { ...policy, destination_cooling_hours: "3000" }, [cleo])
      yield* grant("destination", late, two)
      const { fleet } = chain()
      const again = yield* verifyTenant(trust, { tenantId: grantTenant, fleet, entries: entries.tenant })
      assert.strictEqual(again.head.number, 5)
    })
  )
})
