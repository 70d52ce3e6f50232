import { Queries } from "@bursar/core/store/Queries"
import { Storage } from "@bursar/core/engine/Storage"
import { Tenants } from "@bursar/core/port/Tenants"
import type { TenantStatus } from "@bursar/core/tenant/Tenant"
import { defaultPolicy } from "@bursar/core/tenant/Tenant"
import {
  addApiKey,
  revokeApiKey,
  sealApiKey,
  setTenantPolicy,
  setTenantStatus
} from "@bursar/core/access/tenantCommands"
import { withdrawalWindowHoursMax } from "@bursar/core/limit/limitedUsage"
import * as Memory from "@bursar/memory"
import { contextAt } from "@bursar/testkit/fixtures/commands"
import { apiKeyFields } from "@bursar/testkit/fixtures/keys"
import { commitAt, newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"

const statuses: ReadonlyArray<TenantStatus> = ["ONBOARDING", "ACTIVE", "SUSPENDED", "CLOSED"]

/** Every move that an operator may make; each status may also be set again, which changes nothing. */
const permitted = new Set([
  "ONBOARDING ACTIVE",
  "ONBOARDING CLOSED",
  "ACTIVE SUSPENDED",
  "ACTIVE CLOSED",
  "SUSPENDED ACTIVE",
  "SUSPENDED CLOSED"
])

layer(Memory.layer)("tenantCommands", (it) => {
  for (const from of statuses) {
    for (const to of statuses) {
      const allowed = from === to || permitted.has(`${from} ${to}`)
      it.effect(`a tenant that is ${from} ${allowed ? "can" : "cannot"} become ${to}`, () =>
        Effect.gen(function* () {
          const tenant = yield* newTenant({ createdAt: past, status: from })
          const exits = yield* (yield* Storage).commit(tenant.id, [setTenantStatus(to)], contextAt(past))
          assert.strictEqual(exits[0]?._tag, allowed ? "Success" : "Failure")
          if (!allowed) assert.include(JSON.stringify(exits[0]), "state_conflict")
          assert.deepStrictEqual(yield* (yield* Tenants).byId(tenant.id), { ...tenant, status: allowed ? to : from })
        })
      )
    }
  }

  it.effect("a policy changes in the parts that are named, and in no other", () =>
    Effect.gen(function* () {
      const tenant = yield* newTenant({ createdAt: past })
      yield* commitAt(
        tenant.id,
        past,
        setTenantPolicy({ ceilingPerMinute: 60 }),
        setTenantPolicy({ creditOrigins: ["ISSUED"] })
      )
      const changed = yield* (yield* Tenants).byId(tenant.id)
      assert.deepStrictEqual(changed, {
        ...tenant,
        policy: { ...defaultPolicy, ceilingPerMinute: 60, creditOrigins: ["ISSUED"] }
      })
      yield* commitAt(tenant.id, past, setTenantPolicy({ ceilingPerMinute: null }))
      assert.isNull((yield* (yield* Tenants).byId(tenant.id))?.policy.ceilingPerMinute ?? null)
    })
  )

  it.effect("a window of withdrawals is as long as their usage is kept at most", () =>
    Effect.gen(function* () {
      const tenant = yield* newTenant({ createdAt: past })
      for (const hours of [-1, 0, 0.5, withdrawalWindowHoursMax + 1, 10_000]) {
        const command = setTenantPolicy({ withdrawalWindowHours: hours })
        const exits = yield* (yield* Storage).commit(tenant.id, [command], contextAt(past))
        assert.include(JSON.stringify(exits[0]), "invalid_request")
      }
      for (const hours of [1, withdrawalWindowHoursMax]) {
        yield* commitAt(tenant.id, past, setTenantPolicy({ withdrawalWindowHours: hours }))
        assert.strictEqual((yield* (yield* Tenants).byId(tenant.id))?.policy.withdrawalWindowHours, hours)
      }
    })
  )

  it.effect("a key is sealed once, and neither a sealed nor a revoked one anew; none that has expired is added", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant({ createdAt: past })
      const storage = yield* Storage
      const [one, other] = ["1".repeat(64), "2".repeat(64)]
      const fields = apiKeyFields({ seal: null })
      const outcome = (at: number, ...commands: Parameters<typeof storage.commit>[1]) =>
        Effect.map(storage.commit(id, commands, contextAt(at)), (exits) =>
          exits.map((exit) =>
            exit._tag === "Success"
              ? "done"
              : /state_conflict|not_found|invalid_request/u.exec(JSON.stringify(exit))?.[0]
          )
        )
      assert.deepStrictEqual(yield* outcome(past, addApiKey({ ...fields, expiresAt: past })), ["invalid_request"])
      assert.deepStrictEqual(yield* outcome(past, sealApiKey(fields.id, one)), ["not_found"])
      assert.deepStrictEqual(yield* outcome(past, addApiKey({ ...fields, expiresAt: past + 1 })), ["done"])
      assert.deepStrictEqual(
        yield* outcome(past, sealApiKey(fields.id, one), sealApiKey(fields.id, one), sealApiKey(fields.id, other)),
        ["done", "done", "state_conflict"]
      )
      assert.strictEqual((yield* (yield* Tenants).key(fields.id))?.key.seal, one)
      assert.deepStrictEqual(yield* outcome(past, revokeApiKey(fields.id), sealApiKey(fields.id, one)), [
        "done",
        "state_conflict"
      ])
      assert.isNull((yield* (yield* Tenants).key(fields.id))?.key.seal ?? null)
    })
  )

  it.effect("a key that is not sealed anew says whether it was revoked, or has to be", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant({ createdAt: past })
      const fields = apiKeyFields({ seal: "1".repeat(64) })
      const seal = sealApiKey(fields.id, "2".repeat(64))
      const commands = [addApiKey(fields), seal, revokeApiKey(fields.id), seal]
      const exits = yield* (yield* Storage).commit(id, commands, contextAt(past))
      assert.match(JSON.stringify(exits[1]), /another seal/u)
      assert.match(JSON.stringify(exits[3]), /is revoked/u)
    })
  )

  it.effect("a key is added once, revoked once and for good, and is its tenant's alone", () =>
    Effect.gen(function* () {
      const [{ id }, { id: other }] = [yield* newTenant({ createdAt: past }), yield* newTenant({ createdAt: past })]
      const storage = yield* Storage
      const tenants = yield* Tenants
      const fields = apiKeyFields()
      const outcome = (tenantId: typeof id, at: number, ...commands: Parameters<typeof storage.commit>[1]) =>
        Effect.map(storage.commit(tenantId, commands, contextAt(at)), (exits) =>
          exits.map((exit) =>
            exit._tag === "Success" ? "done" : /state_conflict|not_found/u.exec(JSON.stringify(exit))?.[0]
          )
        )
      assert.deepStrictEqual(yield* outcome(id, past, revokeApiKey(fields.id)), ["not_found"])
      assert.deepStrictEqual(yield* outcome(id, past + 1, addApiKey(fields), addApiKey(fields)), [
        "done",
        "state_conflict"
      ])
      assert.deepStrictEqual(yield* outcome(other, past + 2, revokeApiKey(fields.id)), ["not_found"])
      assert.deepStrictEqual(yield* outcome(id, past + 3, revokeApiKey(fields.id)), ["done"])
      assert.deepStrictEqual(yield* outcome(id, past + 4, revokeApiKey(fields.id)), ["done"])
      assert.strictEqual((yield* tenants.key(fields.id))?.key.revokedAt, past + 3)
      assert.deepStrictEqual(yield* outcome(id, past + 5, addApiKey(fields)), ["state_conflict"])
      assert.deepStrictEqual(yield* (yield* Queries).events(id, 0, 10), [])
    })
  )
})
