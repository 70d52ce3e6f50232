import type { AuditSeal } from "@bursar/core/audit/AuditSeal"
import { AnchorFailed, type AuditAnchor } from "@bursar/core/port/AuditAnchor"
import { AuditBroken } from "@bursar/core/port/AuditSealer"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Logger, References } from "effect"
import { TestClock } from "effect/testing"
import { anchoring } from "../../src/audit/anchoring.ts"

const sealOf = (number: number): AuditSeal => ({
  number,
  fromId: number,
  toId: number,
  hash: "0".repeat(64),
  at: number,
  keyId: "test",
  previous: "0".repeat(64),
  mac: "a".repeat(64)
})

describe("an anchor that is in trouble", () => {
  const troubles: ReadonlyArray<readonly [string, AuditAnchor["put"], string]> = [
    ["fails", () => Effect.fail(new AnchorFailed({ reason: "it is full" })), "it is full"],
    ["dies", () => Effect.die(new Error("EIO: close")), "an internal error"],
    ["never answers", () => Effect.never, "first did not answer within 30 seconds"]
  ]
  for (const [how, put, reason] of troubles)
    it.effect(`is told, and ends the evidence in no other one, where it ${how}`, () =>
      Effect.gen(function* () {
        const [got, told]: [Array<number>, Array<unknown>] = [[], []]
        const logger = Logger.make(({ fiber, message }) => {
          if (String(message) === "audit.anchor_failed")
            told.push(fiber.getRef(References.CurrentLogAnnotations)["reason"])
        })
        const good = { name: "good", put: ({ number }: AuditSeal) => Effect.sync(() => void got.push(number)) }
        const contradicting = { name: "last", put: () => Effect.fail(new AuditBroken({ findings: ["it has others"] })) }
        const putInto = anchoring([{ name: "first", put }, good, contradicting])()
        const going = yield* Effect.forkChild(Effect.provide(putInto(sealOf(1)), Logger.layer([logger])))
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(got, [1])
        yield* TestClock.adjust("30 seconds")
        assert.deepStrictEqual(yield* Fiber.join(going), ["it has others"])
        assert.deepStrictEqual(told, [reason])
      })
    )

  it.effect("gets nothing more before what it was given has ended, and the newest seal then", () =>
    Effect.gen(function* () {
      const mounted = yield* Deferred.make<void>()
      const got: Array<number> = []
      const put = ({ number }: AuditSeal) =>
        Effect.suspend(() => {
          got.push(number)
          return Deferred.await(mounted)
        })
      const putInto = anchoring([{ name: "mount", put }])()
      for (const number of [1, 2, 3]) {
        if (number === 3) yield* Deferred.succeed(mounted, undefined)
        const going = yield* Effect.forkChild(putInto(sealOf(number)))
        yield* TestClock.adjust("1 hour")
        yield* Fiber.join(going)
      }
      assert.deepStrictEqual(got, [1, 3])
    })
  )

  const broken = Effect.fail(new AuditBroken({ findings: ["it has others"] }))

  /** What is given of the seals, one an hour, in an anchor that answers so in turn. */
  const givenOf = Effect.fnUntraced(function* (answers: ReadonlyArray<ReturnType<AuditAnchor["put"]>>) {
    const putInto = anchoring([{ name: "slow", put: ({ number }) => answers[number] ?? Effect.void }])()
    const given: Array<ReadonlyArray<string>> = []
    for (const number of answers.keys()) {
      const going = yield* Effect.forkChild(putInto(sealOf(number)))
      yield* TestClock.adjust("1 hour")
      given.push(yield* Fiber.join(going))
    }
    return given
  })

  it.effect("is told of in the next round where it contradicts too late, and stays so until it agrees", () =>
    Effect.gen(function* () {
      const late = (answer: ReturnType<AuditAnchor["put"]>) => Effect.delay(answer, "31 seconds")
      const [no, yes] = [late(broken), late(Effect.void)]
      assert.deepStrictEqual(yield* givenOf([no, no, yes, yes, yes]), [
        [],
        ["it has others"],
        ["it has others"],
        [],
        []
      ])
    })
  )

  it.effect("contradicts still where it cannot be asked again", () =>
    Effect.gen(function* () {
      const gone = Effect.fail(new AnchorFailed({ reason: "it is gone" }))
      assert.deepStrictEqual(yield* givenOf([broken, gone, Effect.die("EIO"), Effect.void]), [
        ["it has others"],
        ["it has others"],
        ["it has others"],
        []
      ])
    })
  )
})
