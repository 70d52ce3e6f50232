import { Clock, Effect } from "effect"
import { inboxPath } from "../Inbox.ts"
import { type Chapter, type Scene, SceneFailed } from "../Scene.ts"

const failed = (what: string) => (error: { readonly message: string }) =>
  new SceneFailed({ message: `${what}: ${error.message}` })

/** What an endpoint answers to a delivery that somebody else has signed. */
const forge = Effect.fnUntraced(function* (url: string) {
  const now = yield* Clock.currentTimeMillis
  const headers = {
    "content-type": "application/json",
    "x-service-timestamp": String(Math.floor(now / 1000)),
    "x-service-signature": `v1=${"00".repeat(32)}`
  }
  const { status } = yield* Effect.tryPromise({
    try: (signal) => fetch(url, { method: "POST", signal, headers, body: "{}" }),
    catch: (error) => new SceneFailed({ message: `the endpoint cannot be reached: ${String(error)}` })
  })
  return status
})

const receiver: Scene = {
  name: "endpoint",
  play: ({ inbox, operator, tenant }, reached) =>
    Effect.gen(function* () {
      const params = { tenant_id: tenant.id }
      const { webhooks: earlier } = yield* operator.webhooks.list({ params }).pipe(Effect.mapError(failed("list")))
      for (const { enabled, id, url } of earlier) {
        if (!enabled || !url.endsWith(inboxPath)) continue
        // of an earlier run: nobody listens there any more
        yield* operator.webhooks
          .disable({ params: { ...params, webhook_id: id } })
          .pipe(Effect.mapError(failed("disable")))
      }
      const { secret } = yield* operator.webhooks
        .create({ params, payload: { url: inbox.url } })
        .pipe(Effect.mapError(failed("create")))
      inbox.open(secret)
      yield* reached("registered")
      const status = yield* forge(inbox.url)
      if (status !== 401)
        return yield* new SceneFailed({ message: `a forged delivery was answered ${status}, not 401` })
      return `${inbox.url} is registered, and answers 401 to a forged delivery`
    })
}

/** The partner's endpoint for webhooks. */
export const webhooks: Chapter = {
  title: "Webhooks",
  words:
    "Operators register the partner's endpoint, and its secret is shown once. The receiver of @bursar/client verifies every\n" +
    "delivery by it. From here on the story waits for webhooks: nothing is taken to have happened that none told of.",
  scenes: [receiver]
}
