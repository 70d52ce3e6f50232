import type { Signer } from "@bursar/api/signature/signRequest"
import { Effect } from "effect"
import type { Fleet } from "../fleet/Fleet.ts"
import type { Call, Reply } from "../fleet/server.ts"
import { authority } from "../fleet/settings.ts"
import type { Random } from "../kernel/Random.ts"
import type { Faults } from "../outside/Faults.ts"

const patienceMs = 20_000

/** What a partner calls the service with. */
interface ConnectionOptions {
  readonly fleet: Fleet
  readonly faults: Faults
  readonly random: Random
  readonly apiKey: string
  /** What requests are signed with now. */
  readonly signer: () => Signer
}

/** Calls one of the servers as a partner does, who may hang up. */
export const makeConnection = ({ apiKey, faults, fleet, random, signer }: ConnectionOptions) => {
  /** Sends something to one of the servers, if there is any, and waits for so long. */
  const send = (call: Call): Effect.Effect<Reply> =>
    Effect.suspend(() => {
      const [first, ...others] = fleet.servers()
      if (first === undefined) return Effect.succeed<Reply>("broken")
      const hangsUp = faults.strikes("partner.hangs_up", call.path)
      return Effect.timeoutOrElse(random.pick([first, ...others]).call(call), {
        duration: hangsUp ? random.below(200) : patienceMs,
        orElse: () => Effect.succeed<Reply>("broken")
      })
    })

  const get = (path: string): Effect.Effect<Reply> =>
    send({ method: "GET", path, headers: { authorization: `Bearer ${apiKey}` }, body: null })

  const post = Effect.fnUntraced(function* (path: string, key: string, body: string) {
    const signature = yield* signer().sign({
      method: "POST",
      authority,
      path,
      idempotencyKey: key,
      contentType: "application/json",
      body: new TextEncoder().encode(body)
    })
    const headers = {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      "idempotency-key": key,
      ...signature
    }
    return yield* send({ method: "POST", path, headers, body })
  })

  return { get, post }
}

/** Calls one of the servers as a provider does that has news. True where it was heard. */
export const webhooks =
  ({ servers }: Fleet) =>
  (path: string, body: string): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      const [first] = servers()
      if (first === undefined) return Effect.succeed(false)
      const headers = { "content-type": "application/json" }
      return Effect.map(first.call({ method: "POST", path, headers, body }), (reply) =>
        reply === "broken" ? false : reply.status === 200
      )
    })

/** How a partner calls the service. */
export type Connection = ReturnType<typeof makeConnection>
