import { openStore } from "@bursar/signer"
import { openLog } from "@bursar/signer/store/SignerLog"
import type { SignerDisk } from "@bursar/signer/store/SignerDisk"
import { magic } from "@bursar/signer/store/frames"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { signedAt, viewOver } from "./support/storedView.ts"

/** A disk that has room for so many bytes, and takes a part of what it has no room for. */
const diskOf = (room: { bytes: number }) => {
  let content: Buffer = Buffer.alloc(0)
  const disk: SignerDisk = {
    name: "signed.log",
    hold: Effect.succeed({ isHeld: () => true }),
    setAside: () => undefined,
    readBeside: Effect.succeed(undefined),
    replaceBeside: () => Effect.void,
    open: Effect.succeed({
      readAll: Effect.sync(() => content),
      read: (bytes, at) => Effect.sync(() => content.copy(bytes, 0, at)),
      truncate: (length) => Effect.sync(() => void (content = content.subarray(0, length))),
      write: (bytes, at) =>
        Effect.sync(() => {
          const taken = bytes.subarray(0, Math.max(0, room.bytes - at))
          const after = Buffer.alloc(Math.max(content.length, at + taken.length))
          content.copy(after)
          taken.copy(after, at)
          content = after
          return taken.length
        }),
      datasync: Effect.void,
      sync: Effect.void
    })
  }
  return { disk, content: () => content }
}

describe("a store on a disk that was full", () => {
  it.effect("is ended for good, says so once, and is opened anew without what nobody was given", () =>
    Effect.gen(function* () {
      const room = { bytes: 10_000 }
      const { disk } = diskOf(room)
      const view = viewOver({ signatures: [], progress: new Map() })
      const told: Array<unknown> = []
      const logger = Logger.layer([Logger.make(({ message }) => void told.push(message))])
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { commit, stopped } = yield* openStore({ directory: disk }, view)
          yield* commit(signedAt(1, 1))
          room.bytes = 0
          const { reason } = yield* Effect.flip(commit(signedAt(2, 2)))
          room.bytes = 10_000
          for (const ended of [commit(signedAt(3, 3)), stopped])
            assert.strictEqual((yield* Effect.flip(ended)).reason, reason)
        })
      ).pipe(Effect.provide(logger))
      assert.deepStrictEqual(told.flat(), ["signer.stopped"])
      const { commit, register } = yield* openStore({ directory: disk }, view)
      yield* commit(signedAt(3, 3))
      assert.deepStrictEqual(
        [1, 2, 3].map((n) => register.knows("ethereum", `hash ${n}`)),
        [true, false, true]
      )
    })
  )
})

describe("a new store on a disk that is full", () => {
  for (let bytes = 0; bytes < magic.length; bytes++)
    it.effect(`is not opened with ${bytes} bytes of its beginning, and is once there is room`, () =>
      Effect.scoped(
        Effect.gen(function* () {
          const room = { bytes }
          const { content, disk } = diskOf(room)
          assert.include((yield* Effect.flip(openLog(disk))).reason, "took a part")
          room.bytes = 1_000
          assert.deepStrictEqual((yield* openLog(disk)).entries, [])
          assert.isTrue(content().equals(magic))
        })
      )
    )
})
