import { StorageError } from "@bursar/core/engine/StorageError"
import { SigningView } from "@bursar/core/port/SigningView"
import * as Memory from "@bursar/memory"
import { emptyState } from "@bursar/memory"
import { makeTurnLook, openStore } from "@bursar/signer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
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

describe("the store of a signer", () => {
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
