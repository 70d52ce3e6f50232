import { apiError, type ApiErrorOf } from "@bursar/api/errors/ApiError"
import { Effect } from "effect"
import { countryOf } from "./bankCodes.ts"

/** Reads the `country` of a body, which may be absent, in its two letters; refuses what is no country (`invalid_request`). */
export const countryIn = (
  text: string | null | undefined
): Effect.Effect<string | null, ApiErrorOf<"invalid_request">> => {
  if (text === null || text === undefined) return Effect.succeed(null)
  const country = countryOf(text)
  if (country !== undefined) return Effect.succeed(country)
  const message = "This is not a country code of ISO 3166."
  return Effect.fail(
    apiError("invalid_request", { fields: [{ path: "body.country", code: "invalid_request", message }] })
  )
}
