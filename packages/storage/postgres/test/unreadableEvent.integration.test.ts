import { Deliveries } from "@bursar/core/port/Deliveries"
import * as Writer from "@bursar/core/engine/Writer"
import { addEndpoint } from "@bursar/core/webhook/endpointCommands"
import { emit } from "@bursar/core/engine/emit"
import { writing } from "@bursar/testkit/fixtures/commands"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()

layer(Writer.layer.pipe(Layer.provideMerge(ports())), { excludeTestServices: true })(
  "an event that cannot be read",
  (it) => {
    it.effect("keeps nobody's webhooks back but its tenant's, and is told of once a lease", () => {
      const logged: Array<string> = []
      return Effect.gen(function* () {
        const deliveries = yield* Deliveries
        const sql = yield* client(url)
        const told = Effect.fnUntraced(function* () {
          const { id } = yield* newTenant()
          const writer = yield* Writer.Writer
          const endpoint = yield* writer.submit(id, addEndpoint({ url: "https://a.example", kinds: null, secret: "s" }))
          yield* writer.submit(
            id,
            writing((view) => [emit(view, "swap.settled", view.newId(), {})])
          )
          return { id, endpoint: endpoint.id }
        })
        const broken = yield* told()
        const whole = yield* told()
        // as a release that knows more kinds has written it, or somebody
        yield* sql`update event set kind = 'moon.landed' where tenant_id = ${broken.id}`
        const lease = (now: number) => deliveries.lease(now, now + 1_000, 10, 10)
        assert.deepStrictEqual(
          (yield* lease(0)).map(({ endpoint }) => endpoint.id),
          [whole.endpoint]
        )
        assert.deepStrictEqual(yield* lease(500), [], "it is looked at again only when its lease is over")
        const lines = () => logged.filter((line) => line.includes("webhook.unreadable") && line.includes(broken.id))
        assert.lengthOf(lines(), 1)
        yield* lease(1_001)
        assert.lengthOf(lines(), 2)
        // and is sent once it can be read
        yield* sql`update event set kind = 'swap.settled' where tenant_id = ${broken.id}`
        assert.deepStrictEqual(
          (yield* lease(3_000)).map(({ endpoint }) => endpoint.id).toSorted(),
          [broken.endpoint, whole.endpoint].toSorted()
        )
      }).pipe(
        Effect.scoped,
        Effect.provide(Logger.layer([Logger.map(Logger.formatJson, (line) => void logged.push(line))]))
      )
    })
  }
)
