import { FloatAdjustment } from "@bursar/core/adjustment/FloatAdjustment"
import { putRecord } from "@bursar/core/engine/Records"
import type { Storage } from "@bursar/core/engine/Storage"
import type { View } from "@bursar/core/engine/View"
import { GrantProposal } from "@bursar/core/grant/Grant"
import { of } from "@bursar/core/money/Amount"
import { Operation } from "@bursar/core/operation/Operation"
import { Deliveries } from "@bursar/core/port/Deliveries"
import type { Tenants } from "@bursar/core/port/Tenants"
import { Resolution } from "@bursar/core/resolution/Resolution"
import { Waiting } from "@bursar/core/store/Waiting"
import { disableEndpoint } from "@bursar/core/webhook/endpointCommands"
import { assert, layer as layerTests } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { adjust, emitting, writing } from "../fixtures/commands.ts"
import { bareOperation } from "../fixtures/records.ts"
import { commitAt, newTenant, past } from "../fixtures/tenants.ts"
import { attemptOf, leaseOf, newEndpoint } from "./deliveries/work.ts"
import { type SuiteOptions, timeoutOf } from "./harness.ts"

/** When the proposals of the tests expire. */
const expiresAt = past + 1_000

/** More than the tests make of anything. */
const most = 100

const decision = { decidedBy: "bob", decidedAt: past }

const adjustment = (view: View, state: FloatAdjustment["state"]): FloatAdjustment => ({
  id: view.newId(),
  amount: of(1n, "ETH"),
  against: "custodian",
  from: null,
  assigns: null,
  corrects: null,
  reason: "test",
  proposedBy: "alice",
  state,
  decidedBy: null,
  rejectedReason: state === "REJECTED" ? "no" : null,
  operationId: null,
  createdAt: past,
  decidedAt: null,
  ...(state === "PROPOSED" ? {} : decision)
})

const resolution = (view: View, operationId: string, state: Resolution["state"]): Resolution => ({
  id: view.newId(),
  operationId,
  outcome: "FAILED",
  basis: "PROVIDER",
  reference: "ticket",
  source: "somebody",
  text: "It failed.",
  providerReference: null,
  txHash: null,
  received: null,
  networkFee: null,
  state,
  said: null,
  noted: [],
  proposedBy: "alice",
  decidedBy: null,
  rejectedReason: state === "REJECTED" ? "no" : null,
  createdAt: past,
  decidedAt: null,
  ...(state === "PROPOSED" ? {} : decision)
})

const proposal = (view: View, state: GrantProposal["state"]): GrantProposal => ({
  id: view.newId(),
  number: 1,
  hash: "0".repeat(64),
  document: "{}",
  approvals: [],
  state,
  proposedBy: "alice",
  proposedAt: past,
  expiresAt,
  decidedBy: null,
  decidedAt: null,
  reason: state === "REJECTED" ? "no" : null,
  ...(state === "OPEN" ? {} : decision)
})

/** Of each kind two that wait and one that is decided. */
const decidable = writing((view) => {
  const operations = [bareOperation(view), bareOperation(view), bareOperation(view)]
  return [
    ...operations.map((one) => putRecord(Operation, one)),
    ...(["PROPOSED", "PROPOSED", "REJECTED"] as const).flatMap((state, index) => [
      putRecord(FloatAdjustment, adjustment(view, state)),
      ...operations.slice(index, index + 1).map(({ id }) => putRecord(Resolution, resolution(view, id, state)))
    ]),
    ...(["OPEN", "OPEN", "REJECTED"] as const).map((state) => putRecord(GrantProposal, proposal(view, state)))
  ]
})

const nothing = {
  adjustments: 0,
  resolutions: 0,
  proposals: 0,
  endpointsOff: 0,
  endpointsFailing: 0,
  suspense: 0
}

/** What every Waiting must do: nothing that waits is missed, and nothing that is decided is counted. */
export const waitingSuite = <E>(
  name: string,
  layer: Layer.Layer<Deliveries | Storage | Tenants | Waiting, E>,
  options: SuiteOptions = {}
): void => {
  layerTests(layer, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: Waiting`, (it) => {
    it.effect("counts what waits of each tenant, up to the most that is asked for; who has nothing is not named", () =>
      Effect.gen(function* () {
        const waiting = yield* Waiting
        const [{ id, slug }, none] = [yield* newTenant(), yield* newTenant()]
        yield* commitAt(id, past, decidable)
        const of = Effect.fnUntraced(function* (now: number, counted: number) {
          const all = yield* waiting.all(now, counted)
          assert.isFalse(all.some(({ tenantId }) => tenantId === none.id))
          return all.find(({ tenantId }) => tenantId === id)
        })
        const found = { ...nothing, tenantId: id, slug, adjustments: 2, resolutions: 2 }
        assert.deepStrictEqual(yield* of(past, most), { ...found, proposals: 2 })
        assert.deepStrictEqual(yield* of(expiresAt, most), found)
        assert.deepStrictEqual(yield* of(past, 1), { ...found, adjustments: 1, resolutions: 1, proposals: 1 })
      })
    )

    it.effect("counts endpoints that are off, and those of which something that failed waits to be tried again", () =>
      Effect.gen(function* () {
        const waiting = yield* Waiting
        const deliveries = yield* Deliveries
        const { id, slug } = yield* newTenant({ createdAt: past })
        const [off, failing] = [yield* newEndpoint(id), yield* newEndpoint(id)]
        yield* newEndpoint(id)
        yield* commitAt(id, past, disableEndpoint(off.id, "test"), emitting())
        const work = (yield* leaseOf(failing.id, past)) ?? assert.fail("nothing is to be delivered")
        const endpoints = Effect.map(waiting.all(past, most), (all) => all.find(({ tenantId }) => tenantId === id))
        const found = { ...nothing, tenantId: id, slug, endpointsOff: 1 }
        yield* deliveries.report(attemptOf(work, 1, 1, past, { retryAt: past + 1, failingSince: past }))
        yield* deliveries.release(work, 1)
        assert.deepStrictEqual(yield* endpoints, { ...found, endpointsFailing: 1 })
        const again = (yield* leaseOf(failing.id, past + 1)) ?? assert.fail("nothing is tried again")
        yield* deliveries.report(attemptOf(again, 1, 2, past + 1, { failingSince: past }))
        yield* deliveries.release(again, 1)
        assert.deepStrictEqual(yield* endpoints, found)
      })
    )

    it.effect("counts balances in suspense, and none that has come to nothing", () =>
      Effect.gen(function* () {
        const waiting = yield* Waiting
        const { id, slug } = yield* newTenant({ createdAt: past })
        const found = { from: "suspense", against: "custodian" } as const
        yield* commitAt(id, past, adjust(7n, "ETH", found), adjust(3n, "BTC", found), adjust(9n))
        const suspense = Effect.map(waiting.all(past, most), (all) => all.find(({ tenantId }) => tenantId === id))
        assert.deepStrictEqual(yield* suspense, { ...nothing, tenantId: id, slug, suspense: 2 })
        yield* commitAt(id, past, adjust(7n, "ETH", { against: "suspense" }))
        assert.deepStrictEqual(yield* suspense, { ...nothing, tenantId: id, slug, suspense: 1 })
      })
    )

    it.effect("names tenants by their slugs in their order", () =>
      Effect.gen(function* () {
        const waiting = yield* Waiting
        for (const { id } of [yield* newTenant(), yield* newTenant(), yield* newTenant()])
          yield* commitAt(id, past, decidable)
        const slugs = (yield* waiting.all(past, most)).map(({ slug }) => slug)
        assert.deepStrictEqual(
          slugs,
          slugs.toSorted((one, other) => (one < other ? -1 : 1))
        )
      })
    )
  })
}
