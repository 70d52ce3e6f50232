import type { SignatureCheck } from "@bursar/api/wire/SignatureCheck"
import { makeRequestSigner } from "@bursar/client"
import { Effect } from "effect"

/** Asks a service what it makes of a signature of this pair, as a partner who sends requests with `fetch` does. */
export const trySignature = (partnerUrl: string, apiKey: string, privateJwk: unknown): Effect.Effect<SignatureCheck> =>
  Effect.promise(async () => {
    const sign = await makeRequestSigner(privateJwk)
    const request = {
      method: "POST",
      url: `${partnerUrl}/v1/signature/verify`,
      headers: {
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        "idempotency-key": crypto.randomUUID()
      },
      body: JSON.stringify({ hello: "world" })
    }
    const headers = { ...request.headers, ...(await sign(request)) }
    const response = await fetch(request.url, { method: request.method, headers, body: request.body })
    if (!response.ok) throw new Error(await response.text())
    return response.json()
  })
