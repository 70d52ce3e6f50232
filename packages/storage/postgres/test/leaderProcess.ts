/** A process that leads `name` over the database `url` until it is killed, and says so on its output. */
import { Leadership } from "@bursar/core/port/Leadership"
import { layer } from "@bursar/postgres"
import { Effect, Redacted } from "effect"

const [url = "", name = ""] = process.argv.slice(2)

if (import.meta.main) {
  await Effect.runPromise(
    Effect.flatMap(Leadership, ({ lead }) =>
      lead(name, ({ epoch }) =>
        Effect.andThen(
          Effect.sync(() => process.stdout.write(`leading ${epoch}\n`)),
          Effect.never
        )
      )
    ).pipe(Effect.provide(layer({ url: Redacted.make(url), maxConnections: 2 })))
  )
}
