import { listen } from "@bursar/simulator-kit/HttpListener"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { start } from "./support/bursar.ts"
import { environmentFor } from "./support/environmentFor.ts"
import { environmentOf, migratedDatabase, signerOf } from "./support/world.ts"

it.live("a worker that is told to stop ends, though its node has not answered and never will", () =>
  Effect.gen(function* () {
    const asked = yield* Deferred.make<void>()
    const port = yield* listen(0, () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never))
    const { url } = yield* migratedDatabase
    const env = environmentOf(url, { ethereum: `http://127.0.0.1:${port}` })
    yield* signerOf(env)
    const worker = yield* start(["work"], { env: environmentFor("work", env) })
    yield* Deferred.await(asked)
    assert.strictEqual(yield* worker.kill("SIGTERM"), 0, yield* worker.output)
  }).pipe(Effect.scoped)
)
