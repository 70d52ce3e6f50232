import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { apiError, errorBody } from "../../src/errors/ApiError.ts"
import { Catalogue, entryOf, errorCodes } from "../../src/errors/Catalogue.ts"
import { Conflict, NotFound } from "../../src/errors/WireErrors.ts"
import { echoRequestId, failWith, send } from "../support/echo.ts"

describe("every code of the catalogue is answered under its status, with its message and the request's id", () => {
  for (const code of errorCodes) {
    it.effect(code, () =>
      Effect.gen(function* () {
        const { message, retryable, retryAfterSeconds, status } = entryOf(code)
        const answer = yield* send("GET", "/v1/whoami", { headers: { [failWith]: code } })
        const detail =
          retryAfterSeconds === undefined ? { fact: 1 } : { fact: 1, retry_after_seconds: retryAfterSeconds }
        assert.strictEqual(answer.status, status)
        assert.deepStrictEqual(answer.body, {
          error: { code, message, detail, request_id: echoRequestId, retryable },
          ...(status === 429 ? { detail } : {})
        })
        assert.strictEqual(answer.headers.get("retry-after"), retryAfterSeconds?.toString() ?? null)
        assert.strictEqual(answer.headers.has("www-authenticate"), status === 401)
        assert.strictEqual(
          answer.headers.has("accept-signature"),
          code.startsWith("signature_") || code === "digest_mismatch"
        )
      })
    )
  }
})

it("the class follows from the code, in types and at run time", () => {
  const missing: NotFound = apiError("not_found")
  const conflict: Conflict = apiError("quote_already_used")
  assert.instanceOf(missing, NotFound)
  assert.instanceOf(conflict, Conflict)
  assert.strictEqual(missing.message, Catalogue.not_found.message)
  assert.strictEqual(missing._tag, "NotFound")
})

it("a refusal may be more exact than the catalogue", () => {
  const { error } = apiError("below_minimum", {
    message: "At least 5 USDT_TRON.",
    detail: { minimum: "5" },
    fields: [{ path: "body.amount", code: "below_minimum", message: "Too little." }]
  })
  assert.strictEqual(error.message, "At least 5 USDT_TRON.")
  assert.deepStrictEqual(error.detail, { minimum: "5" })
  assert.lengthOf(error.fields ?? [], 1)
})

it("absent details leave no key behind, so that not_found has the same bytes whatever was not found", () => {
  assert.deepStrictEqual(errorBody("not_found", { requestId: "r" }), {
    error: { code: "not_found", message: "No such resource.", request_id: "r", retryable: false }
  })
})

it("rate_limited repeats its detail at the top of the body", () => {
  const { detail, error } = errorBody("rate_limited", {
    retryAfterSeconds: 7,
    detail: { limit_per_minute: 120 },
    requestId: "r"
  })
  assert.deepStrictEqual(detail, { limit_per_minute: 120, retry_after_seconds: 7 })
  assert.deepStrictEqual(error.detail, detail)
})
