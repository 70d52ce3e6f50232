import { GrantStore } from "@bursar/core/grant/GrantStore"
import { grantHash } from "@bursar/core/grant/grantHash"
import { SigningView } from "@bursar/core/port/SigningView"
import * as Memory from "@bursar/memory"
import { emptyState } from "@bursar/memory"
import { openStore, takeRestored } from "@bursar/signer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { folder, type Stored, tenant, viewOver } from "./support/storedView.ts"

const count = (of: bigint, eventId = of) => ({ changeSeq: of, eventId, postingSeq: of })

const removal = "the removal of a stolen approver's key"

const opened = Effect.gen(function* () {
  const stored: Stored = { signatures: [], progress: new Map([[tenant, count(9n)]]) }
  const store = yield* openStore({ directory: yield* folder }, viewOver(stored))
  yield* store.commit({ _tag: "GrantHead", tenantId: null, number: 2, hash: yield* grantHash(removal) })
  yield* store.see(stored.progress)
  const fleet = { isCut: false }
  const row = { document: removal } as never // of a row nothing else is read
  const grants = GrantStore.of({
    after: () => Effect.sync(() => (fleet.isCut ? [] : [row])),
    ends: Effect.succeed([]),
    proposals: () => Effect.succeed([]),
    proposal: () => Effect.succeed(undefined)
  })
  const ports = Layer.mergeAll(
    Memory.layerOver(emptyState()),
    Layer.succeed(SigningView, viewOver(stored)),
    Layer.succeed(GrantStore, grants)
  )
  const gives = (name?: string) => Effect.provide(takeRestored(store, name), ports)
  return { fleet, gives, register: store.register, stored }
})

describe("a word that the database was restored", () => {
  it.live("gives up nothing that was not listed, though it is as many things", () =>
    Effect.gen(function* () {
      const { fleet, gives, register, stored } = yield* opened
      stored.progress.set(tenant, count(9n, 8n))
      const { lost, name } = yield* gives()
      assert.match(lost.join(), /^tenant .* had come to change 9, event 9 and posting 9, and is at change 9, event 8/u)
      // whoever writes to the database puts that back, and takes something else
      stored.progress.set(tenant, count(9n))
      fleet.isCut = true
      const other = yield* gives(name)
      assert.isFalse(other.isTaken)
      assert.match(other.lost.join(), /^the chain of the fleet had grant 2/u)
      assert.strictEqual(register.grantHeadOf(null)?.number, 2)
      // no number alone is a name, and what lacks nothing needs none
      assert.isFalse((yield* gives("1")).isTaken)
      fleet.isCut = false
      assert.isFalse((yield* gives(name)).isTaken)
      assert.isTrue((yield* gives()).isTaken)
    })
  )

  it.live("gives up what was listed, though a tenant has come further again, but not as far as it had", () =>
    Effect.gen(function* () {
      const { fleet, gives, register, stored } = yield* opened
      stored.progress.set(tenant, count(5n))
      fleet.isCut = true
      const { lost, name } = yield* gives()
      assert.match(name, /^2-[0-9a-f]{32}$/u)
      assert.lengthOf(lost, 2)
      stored.progress.set(tenant, count(7n))
      assert.isTrue((yield* gives(name)).isTaken)
      assert.strictEqual(register.grantHeadOf(null)?.number, 0)
      assert.deepStrictEqual(register.progressOf(tenant), count(7n))
    })
  )

  it.live("gives up no more of a tenant than was read, however often it is said", () =>
    Effect.gen(function* () {
      const { gives, register, stored } = yield* opened
      stored.progress.set(tenant, count(8n))
      const { lost, name } = yield* gives()
      assert.match(lost.join(), /and is at change 8, event 8 and posting 8$/u)
      // whoever writes to the database takes what came before, too
      stored.progress.set(tenant, count(8n, 1n))
      const other = yield* gives(name)
      assert.match(other.lost.join(), /and is at change 8, event 1 and posting 8$/u)
      assert.isFalse(other.isTaken)
      assert.isFalse((yield* gives(name)).isTaken)
      assert.deepStrictEqual(register.progressOf(tenant), count(9n))
      // what was read of it is one list: the last
      stored.progress.set(tenant, count(8n))
      assert.isFalse((yield* gives(name)).isTaken)
      assert.isTrue((yield* gives(name)).isTaken)
    })
  )

  it.live(
    "gives up nothing by a name that nobody was told, nor by one that was told before the database was last restored",
    () =>
      Effect.gen(function* () {
        const { gives, stored } = yield* opened
        stored.progress.set(tenant, count(8n))
        const { name } = yield* gives()
        assert.isTrue((yield* gives(name)).isTaken)
        stored.progress.set(tenant, count(7n))
        const { name: next } = yield* gives(name)
        stored.progress.set(tenant, count(6n))
        assert.isFalse((yield* gives()).isTaken)
        stored.progress.set(tenant, count(7n))
        assert.isFalse((yield* gives(next)).isTaken)
      })
  )
})
