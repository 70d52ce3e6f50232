import { apiError } from "@bursar/api/errors/ApiError"
import type { Scope } from "@bursar/api/scopes/Scopes"
import { defaultPolicy, type Tenant, TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Deferred, Effect, Fiber, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import type { Arrived } from "../../src/http/Arrived.ts"
import { beginRequest } from "../../src/http/CurrentRequest.ts"
import { sharedReads } from "../../src/pipeline/sharedReads.ts"

const tenant = (slug: string): Tenant => ({
  id: TenantId(`0190b0a0-0000-7000-8000-00000000000${slug.length}`),
  slug,
  name: slug,
  kind: "SANDBOX",
  status: "ACTIVE",
  policy: defaultPolicy,
  createdAt: 0
})

const one = tenant("one")

interface Asked {
  readonly url?: string
  readonly key?: string
  readonly scopes?: ReadonlyArray<"register:read" | "events:read">
  readonly of?: Tenant
}

/** A read that has passed its checks. */
const arrived = ({ key = "key", of = one, scopes = ["register:read"], url = "/v1/float" }: Asked = {}) =>
  Effect.map(Clock.clockWith(Effect.succeed), (clock): Arrived => ({
    request: HttpServerRequest.fromWeb(new Request(`http://host${url}`)),
    facts: { ...beginRequest("id"), tenant: of },
    clock,
    context: Context.empty(),
    caller: {
      tenantId: of.id,
      tenantSlug: of.slug,
      tenantKind: of.kind,
      keyId: key,
      keyPrefix: "",
      keyLabel: "",
      scopes: new Set<Scope>(scopes)
    },
    verified: null
  }))

/** Answers that say how many were made before, each held until it is let go. */
const answering = () => {
  const begun: Array<Deferred.Deferred<void>> = []
  const share = sharedReads(() =>
    Effect.suspend(() => {
      const number = begun.length
      const gate = Deferred.makeUnsafe<void>()
      begun.push(gate)
      return Effect.as(Deferred.await(gate), HttpServerResponse.text(String(number)))
    })
  )
  const ask = (asked?: Asked) => Effect.forkChild(Effect.flatMap(arrived(asked), share))
  const settled = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow, { discard: true })
  const letGo = Effect.suspend(() => Effect.forEach(begun, (gate) => Deferred.succeed(gate, undefined)))
  return { ask, begun, letGo, settled, share }
}

const textIn = ({ body }: HttpServerResponse.HttpServerResponse): string =>
  body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : body._tag

describe("equal reads", () => {
  it.effect("that are asked at the same moment share an answer", () =>
    Effect.gen(function* () {
      const { ask, begun, letGo, settled } = answering()
      const asked = yield* Effect.forEach(Array.from({ length: 10 }), () => ask())
      yield* settled
      assert.lengthOf(begun, 1)
      yield* letGo
      assert.deepStrictEqual(
        (yield* Fiber.joinAll(asked)).map(textIn),
        Array.from({ length: 10 }, () => "0")
      )
    })
  )

  it.effect("get none that was begun before they were asked", () =>
    Effect.gen(function* () {
      const { ask, begun, letGo, settled } = answering()
      const first = yield* ask()
      yield* settled
      const later = [yield* ask(), yield* ask()]
      yield* settled
      assert.lengthOf(begun, 1)
      yield* letGo
      yield* settled
      assert.lengthOf(begun, 2)
      yield* letGo
      assert.deepStrictEqual((yield* Fiber.joinAll([first, ...later])).map(textIn), ["0", "1", "1"])
      // and once all were answered the next begins anew
      const last = yield* ask()
      yield* settled
      yield* letGo
      assert.strictEqual(textIn(yield* Fiber.join(last)), "2")
    })
  )

  it.effect("share the next with whoever is answered and asks again at once", () =>
    Effect.gen(function* () {
      const { ask, begun, letGo, settled, share } = answering()
      const asking = Effect.flatMap(arrived(), share)
      // what its client sends when it is told arrives with the next turn of the event loop
      const twice = yield* Effect.forkChild(Effect.andThen(Effect.andThen(asking, Effect.yieldNow), asking))
      yield* ask()
      yield* settled
      const waiting = yield* ask()
      yield* settled
      yield* letGo
      yield* settled
      assert.lengthOf(begun, 2)
      yield* letGo
      assert.deepStrictEqual((yield* Fiber.joinAll([waiting, twice])).map(textIn), ["1", "1"])
    })
  )

  it.effect("are those of the same key, rights, path, query and tenant alone", () =>
    Effect.gen(function* () {
      const { ask, begun, letGo, settled } = answering()
      const others: ReadonlyArray<Asked> = [
        {},
        { key: "other" },
        { scopes: ["events:read"] },
        { scopes: ["register:read", "events:read"] },
        { url: "/v1/float?limit=1" },
        { of: tenant("other") },
        // what is known of the tenant has changed
        { of: { ...one, policy: { ...one.policy } } }
      ]
      const asked = yield* Effect.forEach(others, ask)
      yield* settled
      assert.lengthOf(begun, others.length)
      yield* letGo
      assert.deepStrictEqual(
        (yield* Fiber.joinAll(asked)).map(textIn),
        others.map((_, at) => String(at))
      )
    })
  )

  it.effect("wait for no answer that takes longer than a second", () =>
    Effect.gen(function* () {
      const { ask, begun, letGo, settled } = answering()
      const [first, second] = [yield* ask(), yield* ask()]
      yield* settled
      yield* TestClock.adjust(1_000)
      const patient = yield* ask()
      yield* settled
      assert.lengthOf(begun, 1)
      yield* TestClock.adjust(1)
      const impatient = yield* ask()
      yield* settled
      assert.lengthOf(begun, 2)
      yield* Effect.forEach(begun.slice(1), (gate) => Deferred.succeed(gate, undefined))
      assert.strictEqual(textIn(yield* Fiber.join(impatient)), "1")
      yield* letGo
      yield* settled
      yield* letGo
      assert.deepStrictEqual((yield* Fiber.joinAll([first, second, patient])).map(textIn), ["0", "0", "2"])
    })
  )

  it.effect("share a refusal and a defect too, and the next is carried out again", () =>
    Effect.gen(function* () {
      let times = 0
      const share = sharedReads(() =>
        Effect.suspend(() => {
          times += 1
          return times === 1
            ? Effect.fail(apiError("invalid_cursor"))
            : times === 2
              ? Effect.die(new Error("a bug"))
              : Effect.succeed(HttpServerResponse.text("well"))
        })
      )
      const read = Effect.flatMap(arrived(), share)
      const both = () => Effect.all([Effect.exit(read), Effect.exit(read)], { concurrency: 2 })
      assert.deepStrictEqual(
        (yield* both()).map(({ _tag }) => _tag),
        ["Failure", "Failure"]
      )
      yield* both()
      assert.strictEqual(times, 2)
      assert.strictEqual(textIn(yield* read), "well")
    })
  )

  it.effect("do not share a body that can be read once", () =>
    Effect.gen(function* () {
      let times = 0
      const share = sharedReads(() =>
        Effect.sync(() => {
          times += 1
          return HttpServerResponse.stream(Stream.make(new Uint8Array([times])))
        })
      )
      const read = Effect.flatMap(arrived(), share)
      yield* Effect.all([read, read, read], { concurrency: 3 })
      assert.strictEqual(times, 3)
    })
  )

  it.effect("are answered although the client hangs up that asked first", () =>
    Effect.gen(function* () {
      const { ask, begun, letGo, settled } = answering()
      const [first, second] = [yield* ask(), yield* ask()]
      yield* settled
      yield* Fiber.interrupt(first)
      assert.lengthOf(begun, 1)
      yield* letGo
      assert.strictEqual(textIn(yield* Fiber.join(second)), "0")
    })
  )
})
