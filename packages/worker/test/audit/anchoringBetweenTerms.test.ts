import type { AuditSeal } from "@bursar/core/audit/AuditSeal"
import { AnchorFailed, type AuditAnchor } from "@bursar/core/port/AuditAnchor"
import { AuditBroken } from "@bursar/core/port/AuditSealer"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { anchoring } from "../../src/audit/anchoring.ts"

const sealOf = (number: number): AuditSeal => ({
  ...{ number, fromId: number, toId: number, hash: "0".repeat(64), at: number, keyId: "test" },
  ...{ previous: "0".repeat(64), mac: "a".repeat(64) }
})

it.effect("an anchor that is slow gets the newest seal of the term that follows", () =>
  Effect.gen(function* () {
    const got: Array<number> = []
    const put = ({ number }: AuditSeal) =>
      Effect.delay(
        Effect.sync(() => void got.push(number)),
        "2 seconds"
      )
    const beginTerm = anchoring([{ name: "store", put }])
    const first = yield* Effect.forkChild(beginTerm()(sealOf(1)))
    yield* TestClock.adjust("1 second")
    // the term ends: the session of the leader was lost, and the next begins half a second later
    yield* Fiber.interrupt(first)
    yield* TestClock.adjust("500 millis")
    const second = yield* Effect.forkChild(beginTerm()(sealOf(2)))
    yield* TestClock.adjust("1 minute")
    yield* Fiber.join(second)
    assert.deepStrictEqual(got, [1, 2])
  })
)

it.effect("what was put down by another leader meanwhile is no contradiction of the newest seal", () =>
  Effect.gen(function* () {
    // as that of a file or an object store: what another process has put down is later than what was given
    let last = 0
    const answers: Array<AuditAnchor["put"]> = [
      (seal: AuditSeal) =>
        Effect.delay(
          Effect.suspend(() =>
            last > seal.number
              ? Effect.fail(new AuditBroken({ findings: [`Seals ${seal.number + 1} to ${last} were taken out`] }))
              : Effect.void
          ),
          "40 seconds"
        ),
      () => Effect.fail(new AnchorFailed({ reason: "503" }))
    ]
    const put = (seal: AuditSeal) => Effect.suspend(() => answers.shift()?.(seal) ?? Effect.void)
    const beginTerm = anchoring([{ name: "store", put }])
    const first = yield* Effect.forkChild(beginTerm()(sealOf(5)))
    yield* TestClock.adjust("35 seconds")
    yield* Fiber.join(first)
    // another process leads for an hour
    last = 6
    yield* TestClock.adjust("1 hour")
    assert.deepStrictEqual(yield* beginTerm()(sealOf(7)), [])
  })
)
