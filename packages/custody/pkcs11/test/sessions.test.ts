import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import type { Cryptoki } from "../src/internal/cryptoki.ts"
import { native } from "../src/internal/failures.ts"
import { tokenOf } from "../src/internal/sessions.ts"

/** The sessions of the token, and what is told of one that is closed. */
const sessions = { last: 0, open: new Set<number>(), closed: () => {} }

/** As much of the binding and of a module as sessions need. */
const cryptoki = {
  constants: {},
  module: {
    C_Login() {},
    C_GetSlotList: () => [1],
    C_GetTokenInfo: () => ({ label: "token" }),
    C_OpenSession() {
      sessions.last += 1
      sessions.open.add(sessions.last)
      return sessions.last
    },
    C_CloseSession(handle: number) {
      sessions.open.delete(handle)
      sessions.closed()
    }
  }
} as unknown as Cryptoki // a module has a hundred functions more

/** Waits until so many sessions were closed from now on. */
const closings = (count: number) =>
  Effect.map(Deferred.make<void>(), (all) => {
    let left = count
    sessions.closed = () => {
      left -= 1
      if (left === 0) Deferred.doneUnsafe(all, Effect.void)
    }
    return Deferred.await(all)
  })

const timeoutMs = 1_000
const sessionsMax = 2
const options = { module: "module", token: "token", pin: Redacted.make("1234"), sessionsMax, timeoutMs }

/** A call that the module answers when it is told to, and what ends with it. */
const slowCall = Effect.gen(function* () {
  const begun = yield* Deferred.make<void>()
  let answer: (told: string) => void = () => undefined
  const answered = new Promise<string>((resolve) => {
    answer = resolve
  })
  const call = () =>
    native(() => {
      Deferred.doneUnsafe(begun, Effect.void)
      return answered
    })
  return { answer: () => answer("signature"), begun: Deferred.await(begun), call }
})

describe("a session of a token", () => {
  it.effect("whose call was given up is closed once the module has answered, and not before", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf(cryptoki, options)
      const slow = yield* slowCall
      const asked = yield* Effect.forkChild(Effect.flip(token.use("sign", slow.call)))
      yield* slow.begun
      yield* TestClock.adjust(timeoutMs)
      assert.match((yield* Fiber.join(asked)).message, /no answer within 1000 ms/u)
      // the module may still use it
      assert.strictEqual(sessions.open.size, 1)
      // another call goes on meanwhile, with a session of its own, which is kept for the next
      assert.strictEqual(yield* token.use("sign", () => Effect.succeed("ok")), "ok")
      assert.strictEqual(sessions.open.size, 2)
      const closed = yield* closings(1)
      slow.answer()
      yield* closed
      assert.strictEqual(sessions.open.size, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("is not opened while as many calls as there may be sessions were given up and still run", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf(cryptoki, options)
      const slow = yield* Effect.forEach([1, 2], () => slowCall)
      const asked = yield* Effect.forEach(slow, ({ call }) => Effect.forkChild(Effect.flip(token.use("sign", call))))
      yield* Effect.forEach(slow, ({ begun }) => begun)
      yield* TestClock.adjust(timeoutMs)
      yield* Effect.forEach(asked, Fiber.join)
      const opened = sessions.open.size
      const refused = yield* Effect.flip(token.use("sign", () => Effect.succeed("ok")))
      assert.match(refused.message, /has not answered 2 calls that were given up/u)
      assert.strictEqual(sessions.open.size, opened)
      const closed = yield* closings(2)
      for (const { answer } of slow) answer()
      yield* closed
      assert.strictEqual(yield* token.use("sign", () => Effect.succeed("ok")), "ok")
    }).pipe(Effect.scoped)
  )
})
