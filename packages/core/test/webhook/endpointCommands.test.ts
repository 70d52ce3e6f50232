import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import {
  activateSecret,
  addEndpoint,
  disableEndpoint,
  enableEndpoint,
  resealSecrets,
  stageSecret
} from "@bursar/core/webhook/endpointCommands"
import { WebhookEndpoint } from "@bursar/core/webhook/WebhookEndpoint"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { refusalOf, store, submit } from "../transfer/world.ts"

const endpoint = Effect.gen(function* () {
  const { id } = yield* newTenant()
  const added = yield* submit(id, addEndpoint({ url: "https://a.test", kinds: ["deposit.confirmed"], secret: "one" }))
  return { id, added }
})

const stored = (id: TenantId, { id: endpointId }: WebhookEndpoint) =>
  Effect.flatMap(Queries, (queries) => queries.record(id, WebhookEndpoint, endpointId))

describe("an endpoint of events", () => {
  it.effect("starts switched on, with one secret", () =>
    Effect.gen(function* () {
      const { added, id } = yield* endpoint
      assert.deepStrictEqual(added, {
        id: added.id,
        tenantId: id,
        url: "https://a.test",
        kinds: ["deposit.confirmed"],
        secret: "one",
        nextSecret: null,
        enabled: true,
        disabledReason: null,
        createdAt: yield* Clock.currentTimeMillis
      })
      assert.deepStrictEqual(yield* stored(id, added), added)
    }).pipe(Effect.provide(store))
  )

  it.effect("is switched off with a reason, which is gone once it is on again", () =>
    Effect.gen(function* () {
      const { added, id } = yield* endpoint
      const off = yield* submit(id, disableEndpoint(added.id, "410"))
      assert.deepStrictEqual(off, { ...added, enabled: false, disabledReason: "410" })
      assert.deepStrictEqual(yield* stored(id, added), off)
      assert.deepStrictEqual(yield* submit(id, enableEndpoint(added.id)), added)
    }).pipe(Effect.provide(store))
  )

  it.effect("signs with its old secret until the new one is activated, and only with one that was staged", () =>
    Effect.gen(function* () {
      const { added, id } = yield* endpoint
      assert.strictEqual(yield* refusalOf(id, activateSecret(added.id)), "state_conflict")
      assert.deepStrictEqual(yield* submit(id, stageSecret(added.id, "two")), { ...added, nextSecret: "two" })
      // who rotates at the same time does not exchange what is about to be activated, unless that is meant
      assert.strictEqual(yield* refusalOf(id, stageSecret(added.id, "three")), "state_conflict")
      assert.strictEqual((yield* stored(id, added))?.nextSecret, "two")
      assert.strictEqual((yield* submit(id, stageSecret(added.id, "three", "replace"))).nextSecret, "three")
      assert.strictEqual((yield* submit(id, stageSecret(added.id, "two", "replace"))).nextSecret, "two")
      // who has given another one to the partner does not activate this one
      assert.strictEqual(yield* refusalOf(id, activateSecret(added.id, "three")), "state_conflict")
      assert.strictEqual((yield* stored(id, added))?.secret, "one")
      assert.deepStrictEqual(yield* submit(id, activateSecret(added.id, "two")), { ...added, secret: "two" })
      assert.strictEqual(yield* refusalOf(id, activateSecret(added.id)), "state_conflict")
      assert.strictEqual((yield* stored(id, added))?.secret, "two")
    }).pipe(Effect.provide(store))
  )

  it.effect("keeps the secrets that it has now where they are sealed anew from others", () =>
    Effect.gen(function* () {
      const { added, id } = yield* endpoint
      const staged = yield* submit(id, stageSecret(added.id, "two"))
      const after = { secret: "one, anew", nextSecret: "two, anew" }
      for (const before of [{ ...staged, secret: "zero" }, { ...staged, nextSecret: null }, added])
        assert.deepStrictEqual(yield* submit(id, resealSecrets(before, after)), staged)
      assert.deepStrictEqual(yield* submit(id, resealSecrets(staged, after)), { ...staged, ...after })
    }).pipe(Effect.provide(store))
  )

  it.effect("is its tenant's alone", () =>
    Effect.gen(function* () {
      const { added } = yield* endpoint
      const { id: other } = yield* newTenant()
      const commands = [
        disableEndpoint(added.id, "x"),
        enableEndpoint(added.id),
        stageSecret(added.id, "x"),
        activateSecret(added.id),
        resealSecrets(added, { secret: "x", nextSecret: null })
      ]
      for (const command of commands) assert.strictEqual(yield* refusalOf(other, command), "not_found")
    }).pipe(Effect.provide(store))
  )
})
