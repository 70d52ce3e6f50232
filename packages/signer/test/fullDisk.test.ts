import { openLog } from "@bursar/signer/store/SignerLog"
import type { SignerDisk } from "@bursar/signer/store/SignerDisk"
import { magic } from "@bursar/signer/store/frames"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

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
