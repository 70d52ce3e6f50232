import type { Connection } from "@bursar/simulation/people/connection"
import type { Random } from "@bursar/simulation/kernel/Random"
import type { Faults } from "@bursar/simulation/outside/Faults"
import { Effect } from "effect"

/** What is not answered for so long is not waited for. */
const patienceMs = 20_000

/** How a trader calls one server or the other, and now and then hangs up. */
export const connectTo = (
  urls: readonly [string, ...ReadonlyArray<string>],
  { apiKey, faults, random }: { readonly apiKey: string; readonly faults: Faults; readonly random: Random }
): Connection => {
  const authorization = `Bearer ${apiKey}`
  const send = (path: string, init: RequestInit) =>
    Effect.tryPromise(async (signal) => {
      const response = await fetch(`${random.pick(urls)}${path}`, { ...init, signal })
      return { status: response.status, body: await response.text() }
    }).pipe(
      Effect.timeout(faults.strikes("partner.hangs_up", path) ? random.below(200) : patienceMs),
      Effect.catch(() => Effect.succeed("broken" as const))
    )
  return {
    get: (path) => Effect.suspend(() => send(path, { headers: { authorization } })),
    post: (path, key, body) =>
      Effect.suspend(() =>
        send(path, {
          method: "POST",
          headers: { authorization, "content-type": "application/json", "idempotency-key": key },
          body
        })
      )
  }
}

/** Tells a server what a provider has to tell. True where it was heard. */
export const tellAt =
  (url: string) =>
  (path: string, body: string): Effect.Effect<boolean> =>
    Effect.tryPromise((signal) =>
      fetch(`${url}${path}`, { method: "POST", headers: { "content-type": "application/json" }, body, signal })
    ).pipe(
      Effect.map(({ status }) => status === 200),
      Effect.timeout(patienceMs),
      Effect.orElseSucceed(() => false)
    )
