import { Authenticated } from "@bursar/api/middleware/Authenticated"
import { assert, describe, it } from "@effect/vitest"
import type { Check } from "@bursar/server/http/Arrived"
import { pass } from "@bursar/server/http/Step"
import { contractRoutes } from "@bursar/server/pipeline/contractRoutes"
import { uncheckedRefused } from "@bursar/server/pipeline/uncheckedRefused"
import { defaultPolicy, type Tenant, TenantId } from "@bursar/core/tenant/Tenant"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Logger, Schema } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

class Group extends HttpApiGroup.make("doors")
  .add(HttpApiEndpoint.get("open", "/open", { success: Schema.Struct({ open: Schema.Boolean }) }))
  .middleware(Authenticated) {}

class Doors extends HttpApi.make("doors").add(Group) {}

const handlers = HttpApiBuilder.group(Doors, "doors", (group) =>
  group.handleAll({ open: () => Effect.succeed({ open: true }) })
).pipe(Layer.provide(uncheckedRefused))

class Names extends HttpApi.make("names").add(
  HttpApiGroup.make("names")
    .add(HttpApiEndpoint.get("name", "/name", { success: Schema.Struct({ name: Schema.String }) }))
    .middleware(Authenticated)
) {}

const tenant: Tenant = {
  id: TenantId("0190b0a0-0000-7000-8000-000000000001"),
  slug: "one",
  name: "One",
  kind: "SANDBOX",
  status: "ACTIVE",
  policy: defaultPolicy,
  createdAt: 0
}

/** Lets everybody in, as the same key. */
const letIn: Check = (arrived) => {
  arrived.facts.tenant = tenant
  arrived.caller = {
    tenantId: tenant.id,
    tenantSlug: tenant.slug,
    tenantKind: tenant.kind,
    keyId: "key",
    keyPrefix: "",
    keyLabel: "",
    scopes: new Set()
  }
  return pass
}

describe("the routes of a contract", () => {
  it.effect("are carried out amid what is known of their own request, whoever waits for an answer before them", () =>
    Effect.gen(function* () {
      const begun = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const gate = yield* Deferred.make<void>()
      let times = 0
      const named = HttpApiBuilder.group(Names, "names", (group) =>
        group.handleAll({
          name: () =>
            Effect.gen(function* () {
              const one = begun[times]
              times += 1
              if (one !== undefined) yield* Deferred.succeed(one, undefined)
              yield* Deferred.await(gate)
              return { name: (yield* HttpServerRequest.HttpServerRequest).headers["x-name"] ?? "" }
            })
        })
      ).pipe(Layer.provide(uncheckedRefused))
      const checks = Effect.succeed(new Map([[Authenticated.key, () => letIn]]))
      const routes = contractRoutes(Names, checks).pipe(Layer.provide(named), Layer.provide(HttpServer.layerServices))
      const { dispose, handler } = HttpRouter.toWebHandler(routes.pipe(Layer.provideMerge(Logger.layer([]))), {
        disableLogger: true
      })
      const ask = (name: string) =>
        Effect.forkChild(
          Effect.promise(async () =>
            (await handler(new Request("http://names.test/name", { headers: { "x-name": name } }))).json()
          ),
          { startImmediately: true }
        )
      const first = yield* ask("first")
      yield* Deferred.await(begun[0] ?? gate)
      const second = yield* ask("second")
      // a request is on its way once its turn has come on the queue of this thread
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual(yield* Fiber.join(first), { name: "first" })
      assert.deepStrictEqual(yield* Fiber.join(second), { name: "second" })
      assert.strictEqual(times, 2)
      yield* Effect.promise(dispose)
    })
  )

  it.effect("are not served while a middleware of the contract has nothing that checks it", () =>
    Effect.gen(function* () {
      const routes = contractRoutes(Doors, Effect.succeed(new Map())).pipe(
        Layer.provide(handlers),
        Layer.provide(HttpRouter.layer)
      )
      const exit = yield* Effect.exit(Effect.scoped(Layer.build(routes)))
      assert.isTrue(Exit.isFailure(exit) && Cause.pretty(exit.cause).includes("nothing checks"))
    })
  )

  it.effect("let nobody in where they are served in another way than by the checks of the pipeline", () =>
    Effect.gen(function* () {
      const routes = HttpApiBuilder.layer(Doors).pipe(Layer.provide(handlers), Layer.provide(HttpServer.layerServices))
      const { dispose, handler } = HttpRouter.toWebHandler(routes.pipe(Layer.provideMerge(Logger.layer([]))), {
        disableLogger: true
      })
      const request = new Request("http://doors.test/open", { headers: { authorization: "Bearer anything" } })
      const answer = yield* Effect.promise(() => handler(request))
      assert.strictEqual(answer.status, 500)
      assert.notInclude(yield* Effect.promise(() => answer.text()), "open")
      yield* Effect.promise(dispose)
    })
  )
})
