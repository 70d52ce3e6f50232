import { Queries } from "@bursar/core/store/Queries"
import * as Memory from "@bursar/memory"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, Metric } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { ServerConfig } from "../../src/config/ServerConfig.ts"
import { metricsRoute } from "../../src/http/metrics.ts"
import { settings } from "../support/Partner.ts"

const seen = Metric.counter("seen", { incremental: true })

it.effect("all other metrics are told where what reconciliation has found cannot be read", () =>
  Effect.gen(function* () {
    const events: Array<string> = []
    const log = Logger.layer([Logger.make(({ message }) => void events.push(String(message)))])
    const queries = Layer.effect(
      Queries,
      Effect.map(Queries, (real) =>
        Queries.of({
          ...real,
          readable: () => Effect.die(new Error("the database gave object where text was expected"))
        })
      )
    ).pipe(Layer.provide(Layer.fresh(Memory.layer)))
    yield* Metric.update(seen, 1)
    const routes = metricsRoute.pipe(
      Layer.provide([queries, Layer.succeed(ServerConfig, settings), HttpServer.layerServices]),
      Layer.provideMerge(log)
    )
    const { dispose, handler } = HttpRouter.toWebHandler(routes, { disableLogger: true })
    const answer = yield* Effect.promise(() => handler(new Request("http://bursar.test/metrics")))
    assert.strictEqual(answer.status, 200)
    assert.include(yield* Effect.promise(() => answer.text()), "bursar_seen")
    assert.include(events, "metrics.incomplete")
    yield* Effect.promise(dispose)
  })
)
