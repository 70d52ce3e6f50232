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

const documents = ["a limit", removal, "another limit", "after the backup"]

const opened = Effect.gen(function* () {
  const stored: Stored = { signatures: [], progress: new Map([[tenant, count(9n)]]) }
  const store = yield* openStore({ directory: yield* folder }, viewOver(stored))
  yield* store.commit({ _tag: "GrantHead", tenantId: null, number: 4, hash: yield* grantHash(documents[3] ?? "") })
  yield* store.see(stored.progress)
  const fleet = { length: 4, isReadable: true }
  // of a row nothing else is read
  const rows = () => documents.slice(0, fleet.length).map((document, at) => ({ document, number: at + 1 }) as never)
  const grants = GrantStore.of({
    after: (_, number, limit) =>
      Effect.sync(() => {
        if (number === 0 && !fleet.isReadable) throw new SyntaxError("no JSON")
        return rows().slice(number, number + limit)
      }),
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
      fleet.length = 0
      const other = yield* gives(name)
      assert.isFalse(other.isTaken)
      assert.match(
        other.lost.join(),
        /^the chain of the fleet had grant 4 with the hash [0-9a-f]{64}, and has none now$/u
      )
      assert.strictEqual(register.grantHeadOf(null)?.number, 4)
      // no number alone is a name, and what lacks nothing needs none
      assert.isFalse((yield* gives("1")).isTaken)
      fleet.length = 4
      assert.isFalse((yield* gives(name)).isTaken)
      assert.isTrue((yield* gives()).isTaken)
    })
  )

  it.live("gives up what was listed, though a tenant has come further again, but not as far as it had", () =>
    Effect.gen(function* () {
      const { fleet, gives, register, stored } = yield* opened
      stored.progress.set(tenant, count(5n))
      fleet.length = 0
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

  it.live("gives up no more of a chain of grants than was read, and takes no shorter one after that", () =>
    Effect.gen(function* () {
      const { fleet, gives, register } = yield* opened
      fleet.length = 3
      const { lost, name } = yield* gives()
      const third = yield* grantHash("another limit")
      assert.match(
        lost.join(),
        new RegExp(`had grant 4 with the hash .*, and ends now at grant 3 with the hash ${third}$`, "u")
      )
      // whoever writes to the database takes the removal, too, which the backup had
      fleet.length = 1
      const other = yield* gives(name)
      assert.isFalse(other.isTaken)
      assert.match(other.lost.join(), /and ends now at grant 1 with the hash/u)
      assert.strictEqual(register.grantHeadOf(null)?.number, 4)
      fleet.length = 3
      assert.isFalse((yield* gives()).isTaken)
      assert.isTrue((yield* gives(name)).isTaken)
      // or does so once it is taken, before the signer starts
      fleet.length = 1
      assert.match((yield* gives()).lost.join(), /had grant 3 with the hash .*, and ends now at grant 1/u)
    })
  )

  it.live("gives up nothing of a chain whose end cannot be read, and says so", () =>
    Effect.gen(function* () {
      const { fleet, gives, register } = yield* opened
      fleet.length = 3
      const { name } = yield* gives()
      fleet.isReadable = false
      assert.match((yield* Effect.flip(gives(name))).message, /the chain of the fleet has a row that cannot be read/u)
      assert.strictEqual(register.grantHeadOf(null)?.number, 4)
    })
  )

  it.live("reads what a store gave up before ends were remembered: such a chain is believed from its first grant", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* folder
        const view = viewOver({ signatures: [], progress: new Map() })
        const opens = openStore({ directory }, view)
        const past = { at: 0, progress: [], sealLost: true } as const
        yield* Effect.scoped(
          Effect.flatMap(opens, ({ commit }) =>
            Effect.andThen(
              commit({ _tag: "GrantHead", tenantId: null, number: 4, hash: "hash" }),
              commit({ _tag: "Restored", ...past, chains: [null] })
            )
          )
        )
        const { register } = yield* opens
        assert.deepStrictEqual(register.grantHeadOf(null), { number: 0, hash: "" })
        assert.isUndefined(register.recordLeft())
      })
    )
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
