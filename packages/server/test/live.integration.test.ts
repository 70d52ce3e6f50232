import { assert, describe, it } from "@effect/vitest"
import { emitting } from "@bursar/testkit/fixtures/commands"
import { layerOver, type State } from "@bursar/memory"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { switchNetwork } from "@bursar/core/payout/switchNetwork"
import { commitAt } from "@bursar/testkit/fixtures/tenants"
import { consoleHeader } from "@bursar/api/operator/consoleSession"
import { type Duration, Effect, Exit, Layer, Scope, Context } from "effect"
import type { NamedOperator } from "../src/config/ServerConfig.ts"
import { LivePace } from "../src/live/LivePace.ts"
import { hashToken } from "../src/keys/operatorTokens.ts"
import { openStream } from "./support/eventStream.ts"
import { Operator } from "./support/Operator.ts"
import { portsOver } from "./support/Partner.ts"

const token = "ada-".repeat(8)
const bearer = { authorization: `Bearer ${token}` }
const ada = { name: "ada", role: "viewer" as const, tokenHash: hashToken(token), expiresAt: null }

const pace = { lookEveryMs: 10, beatEveryMs: 20, checkEveryMs: 10, streamsMax: 3, streamsPerOperatorMax: 2 }

const service = () =>
  Operator.layerWith({ operators: [ada] }, (state) => Layer.merge(portsOver(state), Layer.succeed(LivePace, pace)))

const test = <A, E>(name: string, effect: Effect.Effect<A, E, Operator | Scope.Scope>) =>
  it.live(name, () => effect.pipe(Effect.scoped, Effect.provide(service())))

const streamOf = (operatorUrl: string, headers: Readonly<Record<string, string>> = bearer) =>
  openStream(`${operatorUrl}/operator/v1/stream`, headers)

describe("the stream of what happens", () => {
  test(
    "says at first where it is, then what changed, for whom, and what its tenant is told",
    Effect.gen(function* () {
      const { operatorUrl, seeder, state } = yield* Operator
      const tenant = yield* seeder.tenant()
      const stream = yield* streamOf(operatorUrl)
      assert.strictEqual(stream.headers.get("content-type"), "text/event-stream")
      assert.strictEqual(stream.headers.get("cache-control"), "no-store")
      const first = yield* stream.next
      assert.deepInclude(first, { event: "changed", data: { topics: [], missed: false } })
      yield* Effect.provide(commitAt(tenant, Date.now(), emitting({ why: "test" })), layerOver(state))
      const happened = yield* stream.until(({ event }) => event === "happened")
      assert.strictEqual(happened.data.tenant_id, tenant)
      assert.strictEqual(state.slugs.get(happened.data.tenant), tenant)
      assert.deepInclude(happened.data.happened, { id: 1, kind: "deposit.detected", data: { why: "test" } })
      const changed = yield* stream.until(({ event }) => event === "changed")
      assert.deepStrictEqual(changed.data, { topics: ["operations"], missed: false })
      assert.notStrictEqual(changed.id, first?.id)
    })
  )

  test(
    "tells apart what is the service's own, what operators did and how networks are read",
    Effect.gen(function* () {
      const { operate, operatorUrl, state } = yield* Operator
      const stream = yield* streamOf(operatorUrl)
      yield* stream.next
      yield* Effect.provide(
        commitAt(fleetTenantId, Date.now(), switchNetwork("bsc", "it lies", "ada")),
        layerOver(state)
      )
      const switched = yield* stream.until(({ data, event }) => event === "changed" && data.topics.includes("service"))
      assert.deepStrictEqual(switched.data.topics, ["service", "networks"])
      yield* operate("POST", "/operator/v1/tenants", { body: { slug: "acme", name: "Acme", kind: "SANDBOX" } })
      yield* stream.until(({ data, event }) => event === "changed" && data.topics.includes("actions"))
    })
  )

  test(
    "goes on after a break: it says what changed meanwhile and tells the outcomes, also at another process",
    Effect.gen(function* () {
      const { operatorUrl, seeder, state } = yield* Operator
      const tenant = yield* seeder.tenant()
      const id = yield* Effect.scoped(
        Effect.gen(function* () {
          const stream = yield* streamOf(operatorUrl)
          yield* stream.next
          yield* Effect.provide(commitAt(tenant, Date.now(), emitting()), layerOver(state))
          return (yield* stream.until(({ data, event }) => event === "changed" && data.topics.length > 0)).id ?? ""
        })
      )
      yield* Effect.provide(commitAt(tenant, Date.now(), emitting({ while: "away" })), layerOver(state))
      const again = yield* streamOf(operatorUrl, { ...bearer, "last-event-id": id })
      const first = yield* again.next
      assert.deepStrictEqual(first?.data, { topics: ["operations"], missed: false })
      yield* again.until(({ data, event }) => event === "happened" && data.happened.data.while === "away")
      const still = yield* streamOf(operatorUrl, { ...bearer, "last-event-id": first?.id ?? "" })
      assert.deepStrictEqual((yield* still.next)?.data, { topics: [], missed: false })
    })
  )

  for (const [what, given] of [
    ["an id that is none", "0'; drop table"],
    ["an id of another version", "v0~1~2"]
  ] as const)
    test(
      `takes ${what} for a place that it does not know`,
      Effect.gen(function* () {
        const { operatorUrl } = yield* Operator
        const stream = yield* streamOf(operatorUrl, { ...bearer, "last-event-id": given })
        assert.deepStrictEqual((yield* stream.next)?.data, { topics: [], missed: true })
      })
    )

  test(
    "is for operators alone, and shows that it is there",
    Effect.gen(function* () {
      const { operatorUrl } = yield* Operator
      assert.strictEqual((yield* streamOf(operatorUrl, {})).status, 401)
      assert.strictEqual((yield* streamOf(operatorUrl, { authorization: "Bearer other" })).status, 401)
      const stream = yield* streamOf(operatorUrl)
      yield* stream.until(({ event }) => event === "beat")
    })
  )

  test(
    "is refused where its operator or the process has too many, and let in again once one is closed",
    Effect.gen(function* () {
      const { operatorUrl } = yield* Operator
      const opened = Effect.tap(streamOf(operatorUrl), ({ next }) => next)
      const scope = yield* Scope.make()
      yield* opened
      yield* Effect.provideService(opened, Scope.Scope, scope)
      const refused = yield* streamOf(operatorUrl)
      assert.strictEqual(refused.status, 429)
      assert.isNotNull(refused.headers.get("retry-after"))
      yield* Scope.close(scope, Exit.void)
      const again = Effect.repeat(
        Effect.map(Effect.scoped(streamOf(operatorUrl)), ({ status }) => status),
        { until: (status) => status === 200 }
      )
      assert.strictEqual(yield* again, 200)
    })
  )

  test(
    "ends with the session that it began with",
    Effect.gen(function* () {
      const { operate, operatorUrl } = yield* Operator
      const { body } = yield* operate("POST", "/operator/v1/session/link", { key: token })
      const own = { [consoleHeader]: "1", "sec-fetch-site": "same-origin" }
      const signedIn = yield* Effect.promise(() =>
        fetch(`${operatorUrl}/operator/v1/sign-in`, {
          method: "POST",
          headers: { ...own, "content-type": "application/json" },
          body: JSON.stringify({ code: body.code })
        })
      )
      const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";")[0] ?? ""
      const foreign = yield* streamOf(operatorUrl, { cookie })
      assert.strictEqual(foreign.status, 401)
      const stream = yield* streamOf(operatorUrl, { ...own, cookie })
      yield* stream.next
      yield* operate("POST", "/operator/v1/session/end", { key: token })
      const over = yield* stream.until(({ event }) => event === "ended")
      assert.deepStrictEqual(over.data, { reason: "session" })
      assert.isUndefined(yield* stream.next)
    })
  )

  it.live("ends when the server closes, which does not wait for it", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { operatorUrl } = Context.get(yield* Layer.buildWithScope(service(), scope), Operator)
      const stream = yield* streamOf(operatorUrl)
      yield* stream.next
      const graceful: Duration.Input = "10 seconds"
      yield* Effect.timeout(Scope.close(scope, Exit.void), graceful)
      const over = yield* stream.until(({ event }) => event === "ended")
      assert.deepStrictEqual(over.data, { reason: "shutdown" })
    }).pipe(Effect.scoped)
  )

  it.live("ends when its token has expired", () => {
    const expiring: { -readonly [K in keyof NamedOperator]: NamedOperator[K] } = { ...ada }
    const ports = (state: State) => Layer.merge(portsOver(state), Layer.succeed(LivePace, pace))
    return Effect.gen(function* () {
      const { operatorUrl } = yield* Operator
      const stream = yield* streamOf(operatorUrl)
      yield* stream.next
      expiring.expiresAt = Date.now()
      const over = yield* stream.until(({ event }) => event === "ended")
      assert.deepStrictEqual(over.data, { reason: "session" })
    }).pipe(Effect.scoped, Effect.provide(Operator.layerWith({ operators: [expiring] }, ports)))
  })
})
