import type { ProviderRequest, ReadHint } from "@bursar/core/port/ProviderHint"
import { assert } from "@effect/vitest"
import { Effect } from "effect"

const withoutHeaders = ({ body }: ProviderRequest): ProviderRequest => ({ body, headers: {} })

const withOtherBody = ({ body, headers }: ProviderRequest): ProviderRequest => {
  const other = Uint8Array.from(body)
  other[0] = (other[0] ?? 0) ^ 1
  return { headers, body: other }
}

const withLongerBody = ({ body, headers }: ProviderRequest): ProviderRequest => ({
  headers,
  body: Uint8Array.from([...body, 0x20])
})

/** A genuine webhook names what to read again; one that was touched in any way is not looked at. */
export const assertHints = Effect.fnUntraced(function* (
  readHint: ReadHint,
  request: ProviderRequest,
  what: "applicant" | "account" | "transfer",
  about: string
) {
  assert.deepStrictEqual(yield* readHint(request), { _tag: "Hint", what, about })
  for (const touched of [withoutHeaders(request), withOtherBody(request), withLongerBody(request)]) {
    assert.strictEqual((yield* readHint(touched))._tag, "Untrusted")
  }
})
