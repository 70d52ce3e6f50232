import type { WebhookEvent } from "@bursar/client/webhooks"
import { Effect } from "effect"
import { ask, awaited } from "./ask.ts"
import type { Reached } from "./Scene.ts"
import { SceneFailed } from "./SceneFailed.ts"
import type { World } from "./World.ts"

/** What every operation of the interface says of itself. */
interface Operation {
  readonly status: string
  readonly unresolved: boolean
}

const pollInterval = "1 second"

/** What an operation is at, in words. */
const standing = ({ status, unresolved }: Operation): string => `${status}${unresolved ? ", unresolved" : ""}`

/**
 * Follows an operation until the webhook of its outcome comes, and gives the operation as it then is. Reads it meanwhile, so
 * that every status shows. An outcome that is not `settled` is the end of the scene.
 */
export const settledBy = <A extends Operation>(
  { inbox }: World,
  reached: Reached,
  { id, kind, read }: { readonly id: string; readonly kind: string; readonly read: (signal: AbortSignal) => Promise<A> }
): Effect.Effect<{ readonly operation: A; readonly event: WebhookEvent }, SceneFailed> =>
  Effect.gen(function* () {
    const reading = ask(`reading ${id}`, read)
    const outcomes = new Set(["settled", "failed", "returned"].map((outcome) => `${kind}.${outcome}`))
    const outcome = inbox.next(({ data, type }) => outcomes.has(type) && data["operation_id"] === id)
    let last = "ACCEPTED"
    const watch = Effect.gen(function* () {
      while (true) {
        yield* Effect.sleep(pollInterval)
        const now = standing(yield* reading)
        if (now !== last && now !== "SETTLED") yield* reached(now.toLowerCase())
        last = now
      }
    })
    const event = yield* awaited(
      `the webhook ${kind}.settled`,
      Effect.raceFirst(outcome, watch),
      Effect.map(reading, (operation) => `the operation ${id} is ${standing(operation)}`)
    )
    const operation = yield* reading
    if (!event.type.endsWith(".settled") || operation.status !== "SETTLED") {
      const why = "failure_reason" in operation ? `, because of ${String(operation.failure_reason)}` : ""
      return yield* new SceneFailed({ message: `${event.type}: the operation ${id} is ${standing(operation)}${why}` })
    }
    yield* reached(`settled, told by webhook ${event.id}`)
    return { operation, event }
  })
