import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeRandom } from "../src/kernel/Random.ts"
import { makeKernel } from "../src/kernel/Kernel.ts"
import { makeDisk } from "../src/process/Disk.ts"
import { makeHost } from "../src/process/Host.ts"
import { type FaultKind, type Faults, noFaults } from "../src/outside/Faults.ts"

const random = makeRandom(1)

/** Faults of which those of some kinds always strike. */
const always = (...kinds: ReadonlyArray<FaultKind>): Faults => ({
  ...noFaults,
  strikes: (kind) => kinds.includes(kind)
})

const diskWith = (faults: Faults) => {
  const disk = makeDisk({ random, faults, start: () => undefined, note: () => undefined })
  const open = () => {
    const host = makeHost("signer")
    const gate = { host, kernel: makeKernel(random, { startsAt: 0, stepsMax: 1_000_000 }), faults: noFaults, random }
    const reached = disk.reachedBy(gate)
    return Effect.map(Effect.andThen(reached.hold, reached.open), (file) => ({ file, host }))
  }
  return { disk, open }
}

describe("the disk of a signer", () => {
  it.effect("keeps what was synced, and at most a torn part of what was not", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { disk, open } = diskWith(always("disk.torn"))
        const before = yield* open()
        yield* before.file.write(Buffer.from("synced"), 0)
        yield* before.file.datasync
        yield* before.file.write(Buffer.from("unsynced"), 6)
        before.host.die()
        const text = (yield* (yield* open()).file.readAll).toString()
        assert.isTrue(text.startsWith("synced"))
        assert.isTrue("syncedunsynced".startsWith(text.replaceAll("\0", "")))
        assert.isFalse(disk.lostSynced())
      })
    )
  )

  it.effect("is held by one process, and says when it has lost what was synced", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { disk, open } = diskWith(always("disk.lost"))
        const { file, host } = yield* open()
        assert.include((yield* Effect.flip(open())).reason, "another signer")
        yield* file.write(Buffer.from("synced"), 0)
        yield* file.datasync
        host.die()
        assert.isTrue(disk.lostSynced())
        assert.strictEqual((yield* (yield* open()).file.readAll).length, 0)
      })
    )
  )

  it.effect("takes a part of what is written, or nothing, when it is full", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { file } = yield* diskWith(always("disk.full")).open()
        const taken = yield* Effect.orElseSucceed(file.write(Buffer.from("too much"), 0), () => 0)
        assert.isBelow(taken, "too much".length)
      })
    )
  )
})
