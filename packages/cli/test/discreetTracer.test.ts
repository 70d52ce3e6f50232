import { discreet } from "@bursar/cli/assemble/discreetTracer"
import { assert, it } from "@effect/vitest"
import { Cause, Effect, Exit, Tracer } from "effect"
import { HttpClient, HttpClientResponse, HttpRouter, HttpServerResponse } from "effect/http"

/** What was told of every span that ended. */
const told: Array<string> = []

/** A tracer as a collector's is: none of Effect's own, that keeps all it is told. */
const collecting = Tracer.make({
  span: (options) => {
    const span = new Tracer.NativeSpan(options)
    const end = span.end.bind(span)
    return Object.assign(span, {
      end: (endTime: bigint, exit: Exit.Exit<unknown, unknown>) => {
        end(endTime, exit)
        const words = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""
        told.push(`${span.name} ${JSON.stringify([...span.attributes])} ${words}`)
      }
    })
  }
})

it.live("a trace tells the route of a request and never its path, query, headers or the words of its failure", () =>
  Effect.gen(function* () {
    const routes = HttpRouter.add(
      "GET",
      "/v1/operations/by-key/:key",
      Effect.succeed(HttpServerResponse.text("broken", { status: 500, headers: { "x-secret": "answer-secret" } }))
    )
    const { dispose, handler } = HttpRouter.toWebHandler(routes, {
      disableLogger: true,
      middleware: (app) => Effect.provideService(app, Tracer.Tracer, discreet(collecting))
    })
    yield* Effect.addFinalizer(() => Effect.promise(dispose))
    const url = "https://host.example/v1/operations/by-key/path-secret?cursor=query-secret"
    const request = new Request(url, { headers: { "idempotency-key": "header-secret" } })
    yield* Effect.promise(() => handler(request))
    const node = HttpClient.make((asked) => Effect.succeed(HttpClientResponse.fromWeb(asked, new Response("{}"))))
    yield* node
      .get("https://node.example/v3/path-secret?key=query-secret")
      .pipe(
        Effect.andThen(Effect.fail(new Error("asked path-secret of query-secret"))),
        Effect.withSpan("asking"),
        Effect.exit,
        Effect.provideService(Tracer.Tracer, discreet(collecting))
      )
    assert.isAtLeast(told.length, 2)
    const all = told.join("\n")
    assert.include(all, "node.example")
    assert.notMatch(all, /-secret/u)
  })
)
