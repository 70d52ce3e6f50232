import { openSigner, signatureHeadersOf } from "@bursar/client/effect"
import { Effect } from "effect"

/** A request as it is sent. */
export interface Call {
  readonly method: "GET" | "POST"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** How a request was answered. */
export interface Answer {
  readonly status: number
  /** The code of its error, or the empty text. */
  readonly code: string
  // Bodies differ by route; each test looks at what it expects.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

/** A call with a bearer token: a POST where it has a body, under an idempotency key of its own. */
export const callOf = (
  url: string,
  {
    bearer,
    body,
    headers = {}
  }: { readonly bearer: string; readonly body?: unknown; readonly headers?: Call["headers"] }
): Call => {
  const authorization = `Bearer ${bearer}`
  if (body === undefined) return { method: "GET", url, headers: { authorization, ...headers }, body: null }
  const posted = { "content-type": "application/json", "idempotency-key": crypto.randomUUID() }
  return { method: "POST", url, headers: { authorization, ...posted, ...headers }, body: JSON.stringify(body) }
}

/** The same call with the signature of a partner's key. */
export const signed = (call: Call, privateJwk: unknown) =>
  Effect.gen(function* () {
    const signer = yield* openSigner(privateJwk)
    const { body, headers, method, url } = call
    const added = yield* signatureHeadersOf(signer, { method, url, headers: { ...headers }, body: body ?? "" })
    return { ...call, headers: { ...headers, ...added } } satisfies Call
  })

/** Sends a call as it stands: no client of ours adds anything, or tries again. */
export const send = ({ body, headers, method, url }: Call): Effect.Effect<Answer> =>
  Effect.promise(async () => {
    const response = await fetch(url, { method, headers, body })
    const text = await response.text()
    const read: unknown = text === "" ? undefined : JSON.parse(text)
    // an error of ours has a code; anything else has none
    const { error } = (read ?? {}) as { readonly error?: { readonly code?: string } }
    return { status: response.status, code: error?.code ?? "", body: read }
  })

/** Dies unless a call is answered with this status and code. */
export const expectAnswer = Effect.fnUntraced(function* (call: Call, status: number, code = "") {
  const answer = yield* send(call)
  if (answer.status === status && answer.code === code) return answer
  const { body, method, url } = call
  const asked = `${method} ${new URL(url).pathname} ${body ?? ""}`
  return yield* Effect.die(new Error(`${asked} was answered with ${answer.status} ${JSON.stringify(answer.body)}`))
})
