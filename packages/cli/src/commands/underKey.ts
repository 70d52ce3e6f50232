import { entryOf, isErrorCode } from "@bursar/api/errors/Catalogue"
import { ErrorBody } from "@bursar/api/errors/ErrorBody"
import { Console, Effect, Option, Schema } from "effect"

const isRefusal = Schema.is(ErrorBody)

/** Whether the service has refused it for certain. */
const isRefused = (error: unknown): boolean =>
  isRefusal(error) && isErrorCode(error.error.code) && entryOf(error.error.code).status < 500

/**
 * Makes a request under the idempotency key that was given, or else one of its own, so that it is carried out once if it is repeated on the way.
 * Where it is open what became of it, the key of its own is told: by it alone can it be repeated.
 */
export const underKey = <A, E, R>(
  given: Option.Option<string>,
  request: (headers: { readonly "idempotency-key": string }) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  if (Option.isSome(given)) return request({ "idempotency-key": given.value })
  const key = crypto.randomUUID()
  return Effect.tapError(request({ "idempotency-key": key }), (error) =>
    isRefused(error)
      ? Effect.void
      : Console.error(`To repeat this, add --key ${key}: it is then carried out only once.`)
  )
}
