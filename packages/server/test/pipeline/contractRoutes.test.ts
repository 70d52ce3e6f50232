import { Authenticated } from "@bursar/api/middleware/Authenticated"
import { assert, describe, it } from "@effect/vitest"
import { contractRoutes } from "@bursar/server/pipeline/contractRoutes"
import { uncheckedRefused } from "@bursar/server/pipeline/uncheckedRefused"
import { Cause, Effect, Exit, Layer, Logger, Schema } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

class Group extends HttpApiGroup.make("doors")
  .add(HttpApiEndpoint.get("open", "/open", { success: Schema.Struct({ open: Schema.Boolean }) }))
  .middleware(Authenticated) {}

class Doors extends HttpApi.make("doors").add(Group) {}

const handlers = HttpApiBuilder.group(Doors, "doors", (group) =>
  group.handleAll({ open: () => Effect.succeed({ open: true }) })
).pipe(Layer.provide(uncheckedRefused))

describe("the routes of a contract", () => {
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
