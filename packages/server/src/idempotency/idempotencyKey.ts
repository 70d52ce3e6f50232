import { apiError, type ApiErrorOf } from "@bursar/api/errors/ApiError"
import { idempotencyKeyForm } from "@bursar/api/idempotencyKeyForm"
import { Result } from "effect"

const bare = new RegExp(`^${idempotencyKeyForm}$`, "u")

/** Takes the quotes off a key that is written as a string of a structured field. */
const unquoted = (text: string): string => /^"(.*)"$/su.exec(text)?.[1] ?? text

/** Reads a key, bare or quoted; undefined where it is not of the form. */
export const readKey = (text: string): string | undefined => {
  const key = unquoted(text.trim())
  return bare.test(key) ? key : undefined
}

/** The key of a request that must have one. */
export const requireKey = (
  header: string | undefined
): Result.Result<string, ApiErrorOf<"idempotency_key_required" | "idempotency_key_invalid">> => {
  if (header === undefined || header.trim() === "") return Result.fail(apiError("idempotency_key_required"))
  const key = readKey(header)
  return key === undefined ? Result.fail(apiError("idempotency_key_invalid")) : Result.succeed(key)
}
