import { StorageError } from "@bursar/core/engine/StorageError"
import { SigningView } from "@bursar/core/port/SigningView"
import * as Memory from "@bursar/memory"
import { emptyState } from "@bursar/memory"
import { makeTurnLook, openStore } from "@bursar/signer"
import { openLog } from "@bursar/signer/store/SignerLog"
import { directoryDisk } from "@bursar/signer/store/SignerDisk"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { cpSync } from "node:fs"
import { folder, signedAt, type Stored, storedAt, viewOver } from "./support/storedView.ts"

const hour = 3_600_000

describe("a signer that has its turn again", () => {
  it.effect("stops for good where another with another store has signed meanwhile", () =>
    Effect.gen(function* () {
      const stored: Stored = { signatures: [], progress: new Map() }
      const view = viewOver(stored)
      let [isHeld, taken] = [true, 1]
      const directory = yield* folder
      const first = yield* openStore({ directory }, view)
      const { isAlone, look } = makeTurnLook(first, { isHeld: () => isHeld, taken: () => taken })
      const looks = Effect.provide(look, Layer.merge(Layer.succeed(SigningView, view), Memory.layerOver(emptyState())))
      yield* looks
      // what it has signed itself shows nothing
      yield* TestClock.setTime(hour)
      yield* first.commit(signedAt(1, hour))
      stored.signatures.push(storedAt(1, hour))
      taken = 2
      yield* looks
      assert.isTrue(isAlone())
      // its host is cut off from the database: another takes over with a store of its own, signs, and ends
      isHeld = false
      stored.signatures.push(storedAt(2, 2 * hour))
      ;[isHeld, taken] = [true, 3]
      assert.match((yield* Effect.flip(looks)).message, /the store is older than the database, which has hash 2/u)
      assert.isFalse(isAlone())
      assert.match((yield* Effect.flip(first.stopped)).reason, /the store is older than the database/u)
      assert.match(
        (yield* Effect.flip(first.commit(signedAt(3, hour)))).reason,
        /the store is older than the database/u
      )
      stored.signatures.pop()
      assert.match(
        (yield* Effect.flip(first.commit(signedAt(3, hour)))).reason,
        /the store is older than the database/u
      )
    })
  )
})

describe("a signer", () => {
  it.effect("that stops by a row that somebody wrote says that it may be one, and goes on without it", () =>
    Effect.gen(function* () {
      const stored: Stored = { signatures: [], progress: new Map() }
      const view = viewOver(stored)
      const directory = yield* folder
      let taken = 1
      yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* openStore({ directory }, view)
          const { look } = makeTurnLook(store, { isHeld: () => true, taken: () => taken })
          const looks = Effect.provide(
            look,
            Layer.merge(Layer.succeed(SigningView, view), Memory.layerOver(emptyState()))
          )
          yield* looks
          yield* TestClock.setTime(hour)
          yield* store.commit(signedAt(1, hour))
          stored.signatures.push(storedAt(1, hour), storedAt(666, hour))
          taken = 2
          assert.match((yield* Effect.flip(looks)).message, /or somebody has written that row of transaction_attempt/u)
        })
      )
      const opens = Effect.scoped(openStore({ directory }, view))
      assert.match(
        (yield* Effect.flip(opens)).message,
        /hash 666 on ethereum as signed; or somebody has written that row/u
      )
      assert.notInclude((yield* Effect.flip(opens)).message, "need not know", "there was nothing before this store")
      stored.signatures.pop()
      yield* Effect.scoped(Effect.flatMap(openStore({ directory }, view), ({ commit }) => commit(signedAt(2, hour))))
    })
  )

  it.effect("that stops by an old row with a new signed_at says so, until when it need not know one, and goes on", () =>
    Effect.gen(function* () {
      const stored: Stored = { signatures: [storedAt(1, hour)], progress: new Map() }
      const opens = (directory: string, word?: "recover") =>
        Effect.scoped(openStore({ directory, ...(word && { word }) }, viewOver(stored)))
      const directory = yield* folder
      yield* TestClock.setTime(2 * hour)
      yield* opens(directory, "recover")
      yield* TestClock.setTime(4 * hour)
      stored.signatures = [storedAt(1, 3 * hour)]
      assert.match(
        (yield* Effect.flip(opens(directory))).message,
        /or changed its signed_at\..* need not know what was signed until 1970-01-01T02:00:00\.000Z: .* do not recover/u
      )
      stored.signatures = [storedAt(1, hour)]
      yield* opens(directory)
    })
  )
})

const year = 365 * 24 * hour

describe("the store of a signer", () => {
  for (const [begun, word] of [
    ["begun", undefined],
    ["adopted", "adopt"]
  ] as const)
    it.effect(`tells that it is an old copy though it was ${begun} while the clock was ahead`, () =>
      Effect.gen(function* () {
        const directory = yield* folder
        const stored: Stored = { signatures: word === undefined ? [] : [storedAt(9, year)], progress: new Map() }
        const view = viewOver(stored)
        const opens = (at: string) => openStore({ directory: at, ...(word && { word }) }, view)
        const signs = (n: number, at: number) =>
          Effect.gen(function* () {
            yield* TestClock.setTime(at)
            yield* Effect.scoped(Effect.flatMap(opens(directory), ({ commit }) => commit(signedAt(n, at))))
            stored.signatures.push(storedAt(n, at))
          })
        const copied = Effect.map(folder, (copy) => {
          cpSync(directory, copy, { recursive: true, filter: (name) => !name.endsWith("lock") })
          return copy
        })
        yield* TestClock.setTime(3 * year)
        yield* Effect.scoped(opens(directory))
        const empty = yield* copied
        yield* signs(1, year + hour)
        const one = yield* copied
        yield* signs(2, year + 2 * hour)
        yield* Effect.scoped(opens(directory))
        for (const copy of [empty, one])
          assert.match(
            (yield* Effect.flip(Effect.scoped(opens(copy)))).message,
            /the store is older than the database/u
          )
      })
    )

  it.effect("of an earlier version tells it, too, once it has signed for a request", () =>
    Effect.gen(function* () {
      const stored: Stored = { signatures: [], progress: new Map() }
      const directory = yield* folder
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { append } = yield* openLog(directoryDisk(directory))
          yield* append({ _tag: "Opened", id: "a", at: 3 * year, requestsFrom: 0 })
          yield* append({ ...signedAt(8, hour), requests: [] })
          yield* append(signedAt(1, year))
        })
      )
      const opens = Effect.scoped(openStore({ directory }, viewOver(stored)))
      // an adopted store does not know what had an end before
      stored.signatures.push(storedAt(9, year - hour), storedAt(1, year))
      yield* opens
      stored.signatures.push(storedAt(2, year + hour))
      assert.match((yield* Effect.flip(opens)).message, /the store is older than the database, which has hash 2/u)
    })
  )

  for (const word of [undefined, "adopt", "recover"] as const)
    it.live(`believes no standby of what was signed${word === undefined ? "" : ` with the word "${word}"`}`, () =>
      Effect.gen(function* () {
        const view = SigningView.of({
          ...viewOver({ signatures: [], progress: new Map() }),
          onPrimary: () => Effect.fail(new StorageError({ doing: "read", cause: new Error("a standby answered") }))
        })
        const opens = openStore({ directory: yield* folder, ...(word && { word }) }, view)
        assert.match((yield* Effect.flip(opens)).message, /the database does not answer/u)
      })
    )
})
