import { Storage } from "@bursar/core/engine/Storage"
import { Tenants } from "@bursar/core/port/Tenants"
import { addSigningKey, revokeSigningKey } from "@bursar/core/signature/signingKeyCommands"
import { addApiKey, revokeApiKey } from "@bursar/core/access/tenantCommands"
import type { Command } from "@bursar/core/engine/Command"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import * as Memory from "@bursar/memory"
import { readGroup } from "@bursar/core/engine/Records"
import { allSigningKeys, SigningKey, signingKeysOf } from "@bursar/core/signature/SigningKey"
import { contextAt, looking } from "@bursar/testkit/fixtures/commands"
import { apiKeyFields } from "@bursar/testkit/fixtures/keys"
import { signingKeyFields } from "@bursar/testkit/fixtures/signatures"
import { commitAt, newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"

/** The ends of commands that are committed as one batch: `done`, or the code of the refusal. */
const ends = Effect.fnUntraced(function* (tenantId: TenantId, ...commands: ReadonlyArray<Command<unknown>>) {
  const exits = yield* (yield* Storage).commit(tenantId, commands, contextAt(past + 5))
  return exits.map((exit) => {
    if (Exit.isSuccess(exit)) return "done"
    const error = Cause.squash(exit.cause)
    return error !== null && typeof error === "object" && "code" in error ? error.code : "defect"
  })
})

const tenantWithKeys = Effect.gen(function* () {
  const { id } = yield* newTenant({ createdAt: past })
  const [one, other] = [apiKeyFields(), apiKeyFields()]
  yield* commitAt(id, past, addApiKey(one), addApiKey(other))
  return { id, one: one.id, other: other.id }
})

layer(Memory.layer)("signing keys", (it) => {
  it.effect("two of an API key may be active, a third not before one of them is revoked; in one batch, too", () =>
    Effect.gen(function* () {
      const { id, one, other } = yield* tenantWithKeys
      const [first, second, third] = [signingKeyFields(one), signingKeyFields(one), signingKeyFields(one)]
      assert.deepStrictEqual(
        yield* ends(
          id,
          addSigningKey(first),
          addSigningKey(second),
          addSigningKey(third),
          addSigningKey({ ...third, apiKeyId: other }),
          revokeSigningKey(first.keyid, null),
          addSigningKey(third)
        ),
        ["done", "done", "state_conflict", "done", "done", "done"]
      )
      const keys = yield* (yield* Tenants).signingKeys(id)
      assert.sameMembers(
        keys.filter(({ apiKeyId, revokedAt }) => apiKeyId === one && revokedAt === null).map(({ keyid }) => keyid),
        [second.keyid, third.keyid]
      )
    })
  )

  it.effect("adding one again changes nothing, also where two are active; a revoked one does not come back", () =>
    Effect.gen(function* () {
      const { id, one } = yield* tenantWithKeys
      const [first, second] = [signingKeyFields(one), signingKeyFields(one)]
      yield* commitAt(id, past + 1, addSigningKey(first), addSigningKey(second))
      const [again] = yield* commitAt(id, past + 2, addSigningKey(first))
      assert.deepInclude(again, { keyid: first.keyid, createdAt: past + 1, revokedAt: null })
      yield* commitAt(id, past + 3, revokeSigningKey(first.keyid, one))
      assert.deepStrictEqual(yield* ends(id, addSigningKey(first)), ["state_conflict"])
    })
  )

  it.effect("are told oldest first, whatever they are called", () =>
    Effect.gen(function* () {
      const { id, one, other } = yield* tenantWithKeys
      const key = (keyid: string, apiKeyId: string) => ({ ...signingKeyFields(apiKeyId), keyid })
      yield* commitAt(id, past + 1, addSigningKey(key("z", other)))
      yield* commitAt(id, past + 2, addSigningKey(key("a", other)))
      yield* commitAt(id, past + 3, addSigningKey(key("m", one)))
      const [told] = yield* commitAt(id, past + 4, looking([readGroup(SigningKey, allSigningKeys)], signingKeysOf))
      assert.deepStrictEqual(
        (told as ReadonlyArray<SigningKey>).map(({ keyid }) => keyid), // what it looks at
        ["z", "a", "m"]
      )
    })
  )

  it.effect("one is bound to an API key of the tenant that is in force", () =>
    Effect.gen(function* () {
      const { id, one } = yield* tenantWithKeys
      const stranger = yield* tenantWithKeys
      assert.deepStrictEqual(yield* ends(id, addSigningKey(signingKeyFields(stranger.one))), ["not_found"])
      assert.deepStrictEqual(yield* ends(id, addSigningKey(signingKeyFields("nothing"))), ["not_found"])
      assert.deepStrictEqual(yield* ends(id, revokeApiKey(one), addSigningKey(signingKeyFields(one))), [
        "done",
        "state_conflict"
      ])
    })
  )

  it.effect("is revoked for one API key or for all of them, once; not what the tenant does not have", () =>
    Effect.gen(function* () {
      const { id, one, other } = yield* tenantWithKeys
      const key = signingKeyFields(one)
      yield* commitAt(id, past + 1, addSigningKey(key), addSigningKey({ ...key, apiKeyId: other }))
      const record = { ...key, tenantId: id, createdAt: past + 1 }
      const [bindings] = yield* commitAt(id, past + 2, revokeSigningKey(key.keyid, other))
      assert.deepStrictEqual(bindings, [{ ...record, apiKeyId: other, revokedAt: past + 2 }])
      yield* commitAt(id, past + 3, revokeSigningKey(key.keyid, null))
      const all = yield* (yield* Tenants).signingKeys(id)
      assert.sameDeepMembers(
        [...all],
        [
          { ...record, revokedAt: past + 3 },
          { ...record, apiKeyId: other, revokedAt: past + 2 }
        ]
      )
      const [again] = yield* commitAt(id, past + 4, revokeSigningKey(key.keyid, null))
      assert.deepStrictEqual(again, all)
      const stranger = yield* tenantWithKeys
      assert.deepStrictEqual(yield* ends(stranger.id, revokeSigningKey(key.keyid, null)), ["not_found"])
      assert.deepStrictEqual(yield* ends(id, revokeSigningKey(key.keyid, "another")), ["not_found"])
    })
  )
})
