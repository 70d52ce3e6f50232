import { Clock, Effect } from "effect"
import { retireEndpoints } from "../retireEndpoints.ts"
import type { Chapter, Scene } from "../Scene.ts"
import { SceneFailed } from "../SceneFailed.ts"

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
      yield* retireEndpoints(operator, tenant.id)
      const { secret } = yield* operator.webhooks
        .create({ params: { tenant_id: tenant.id }, payload: { url: inbox.url } })
        .pipe(
          Effect.mapError(({ message }) => new SceneFailed({ message: `the endpoint was not registered: ${message}` }))
        )
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
    "delivery by it. From here on the outcome of an operation counts once its webhook has come.",
  scenes: [receiver]
}
