import { SigningRefused, type SignTransaction } from "@bursar/core/port/TransactionSigner"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber } from "effect"
import { makeHost } from "../src/process/Host.ts"
import { makeSignerDesk } from "../src/process/SignerDesk.ts"

const asked: SignTransaction = {
  tenantId: TenantId("11111111-1111-4111-8111-111111111111"),
  network: "ethereum",
  unsigned: Uint8Array.of(1, 2, 3),
  signers: [],
  own: [],
  requests: []
}
const answer = { hash: "0x1", raw: Uint8Array.of(4) }

/** A desk whose signer gives these answers one after another, and a clock that is moved by hand. */
const opened = (answers: ReadonlyArray<Effect.Effect<typeof answer, SigningRefused>>) => {
  const clock = { now: 10 }
  const left = [...answers]
  const desk = makeSignerDesk(
    () => clock.now,
    (effect) => void Effect.runFork(effect)
  )
  const sign = () => left.shift() ?? Effect.die(new Error("it was asked too often"))
  desk.open(makeHost("signer"), { signer: { signed: () => Effect.succeed([]), sign } }, Context.empty())
  return { clock, desk }
}

describe("what the judges know of the signer", () => {
  it.effect("is when it signed, also for one that died before it heard of it", () =>
    Effect.gen(function* () {
      const signs = Deferred.makeUnsafe<void>()
      const ended = Deferred.makeUnsafe<void>()
      const slow = Deferred.await(signs).pipe(
        Effect.as(answer),
        Effect.tap(() => Effect.sync(() => void setImmediate(() => Deferred.doneUnsafe(ended, Effect.void))))
      )
      const { clock, desk } = opened([slow, Effect.succeed(answer)])
      const worker = yield* Effect.forkChild(desk.service.sign(asked), { startImmediately: true })
      yield* Fiber.interrupt(worker)
      clock.now = 20
      yield* Deferred.succeed(signs, undefined)
      yield* Deferred.await(ended)
      clock.now = 30
      yield* desk.service.sign(asked)
      assert.deepStrictEqual(
        desk.signings.map(({ answeredAt, askedAt }) => [askedAt, answeredAt]),
        [
          [10, 20],
          [10, 30]
        ]
      )
    })
  )

  it.effect("counts from the asking that was not refused", () =>
    Effect.gen(function* () {
      const refusal = Effect.fail(new SigningRefused({ network: "ethereum", reason: "the tenant is stopped" }))
      const { clock, desk } = opened([refusal, Effect.succeed(answer)])
      yield* Effect.flip(desk.service.sign(asked))
      clock.now = 20
      yield* desk.service.sign(asked)
      assert.deepStrictEqual(
        desk.signings.map(({ askedAt }) => askedAt),
        [20]
      )
    })
  )
})
