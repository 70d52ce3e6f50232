import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { Tenants } from "@bursar/core/port/Tenants"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { layer as layerPostgres } from "@bursar/postgres"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, layer } from "@effect/vitest"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { commitProxy, type Exchange } from "./CommitProxy.ts"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()

/** The ports of a process that does not hear the answer to a statement. */
const unhearing = Effect.fnUntraced(function* (exchange: Exchange) {
  const proxy = yield* commitProxy(Redacted.value(url), "unheard", 0, exchange)
  return yield* Layer.build(Layer.fresh(layerPostgres({ url: Redacted.make(proxy.url), maxConnections: 2 })))
})

layer(ports(), { excludeTestServices: true })(
  "what is carried out and whose answer is lost is not said to have failed",
  (it) => {
    it.effect("such as a tenant that is made", () =>
      Effect.gen(function* () {
        const tenants = yield* Tenants
        const model = yield* newTenant()
        const process = yield* unhearing({ asked: "insert into tenant", answered: "INSERT 0 1\0" })
        const now = yield* Clock.currentTimeMillis
        const lost = { ...model, id: TenantId(crypto.randomUUID()), slug: "lost-answer", createdAt: now }
        const error = yield* Effect.flip(Context.get(process, Tenants).create(lost))
        assert.strictEqual((yield* tenants.bySlug("lost-answer"))?.id, lost.id)
        assert.strictEqual(error.outcome, "unknown")
      })
    )

    it.effect("or what is written in a transaction", () =>
      Effect.gen(function* () {
        const audit = yield* OperatorAudit
        const process = yield* unhearing({ asked: "COMMIT\0", answered: "COMMIT\0" })
        const now = yield* Clock.currentTimeMillis
        const action = {
          actionId: crypto.randomUUID(),
          at: now,
          operator: "alice",
          role: "admin",
          method: "POST",
          route: "/test",
          params: {},
          status: null,
          requestId: "lost",
          address: "127.0.0.1",
          content: { digest: "0".repeat(64), values: "{}" }
        } as const
        const error = yield* Effect.flip(Context.get(process, OperatorAudit).append(action))
        assert.lengthOf(
          (yield* audit.before(undefined, 10)).filter(({ requestId }) => requestId === "lost"),
          1
        )
        assert.strictEqual(error.outcome, "unknown")
      })
    )
  }
)
