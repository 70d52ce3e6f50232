import type { PrivateJwk } from "@bursar/api/signature/Ed25519"
import autocannon, { type Client, type Options, type Request } from "autocannon"
import { createHash, createPrivateKey, type KeyObject, randomBytes, sign } from "node:crypto"
import { signatureBase } from "@bursar/api/signature/signatureBase"

/** What the load generator is told, as JSON in its first argument. */
export interface Load {
  readonly url: string
  readonly seconds: number
  readonly connections: number
  readonly headers?: Record<string, string>
  /** A POST with this body, under a new idempotency key each, which stands wherever it says `<key>`; a GET without. */
  readonly body?: string
  /** The pair that each request is signed with, where it is. */
  readonly signer?: { readonly keyid: string; readonly privateJwk: PrivateJwk }
}

/** What it prints, as JSON. */
export interface LoadResult {
  readonly perSecond: number
  /** How many were answered. */
  readonly answered: number
  readonly failed: number
  /** The first body of an answer that is no success. */
  readonly refusal: string | null
}

/** The headers that sign a request (RFC 9421), made at once: a generator waits for nothing. */
const signed = (
  { host, pathname }: URL,
  { body, idempotencyKey }: { readonly body: string; readonly idempotencyKey: string },
  { key, keyid }: { readonly key: KeyObject; readonly keyid: string }
): Record<string, string> => {
  const digest = `sha-256=:${createHash("sha256").update(body).digest("base64")}:`
  const values = [
    ["@method", "POST"],
    ["@authority", host],
    ["@path", pathname],
    ["idempotency-key", idempotencyKey],
    ["content-type", "application/json"],
    ["content-digest", digest]
  ] as const
  const created = Math.floor(Date.now() / 1_000)
  const names = values.map(([name]) => `"${name}"`).join(" ")
  const nonce = randomBytes(16).toString("base64url")
  const params = `(${names});created=${created};expires=${created + 60};keyid="${keyid}";nonce="${nonce}";tag="bursar-v1"`
  const signature = sign(null, Buffer.from(signatureBase(values, params)), key)
  return {
    "content-digest": digest,
    "signature-input": `sig1=${params}`,
    signature: `sig1=:${signature.toString("base64")}:`
  }
}

// A process of its own, so that it takes no time from the server's event loop.
if (import.meta.main) {
  const { body, connections, headers = {}, seconds, signer, url }: Load = JSON.parse(process.argv[2] ?? "")
  const pair = signer && {
    keyid: signer.keyid,
    key: createPrivateKey({
      key: { kty: "OKP", crv: "Ed25519", x: signer.privateJwk.x, d: signer.privateJwk.d },
      format: "jwk"
    })
  }
  const withKey = (request: Request): Request => {
    const idempotencyKey = crypto.randomUUID()
    return {
      ...request,
      ...(body?.includes("<key>") && { body: body.replaceAll("<key>", () => idempotencyKey) }),
      headers: {
        ...headers,
        "content-type": "application/json",
        "idempotency-key": idempotencyKey,
        ...(pair && signed(new URL(url), { body: body ?? "", idempotencyKey }, pair))
      }
    }
  }
  const options: Options = {
    url,
    connections,
    duration: seconds,
    headers,
    ...(body === undefined ? {} : { method: "POST", body, requests: [{ setupRequest: withKey }] })
  }
  let refusal: string | null = null
  const setupClient = (client: Client) =>
    client.on("body", (text) => {
      if (refusal === null && text.toString().startsWith('{"error"')) refusal = text.toString()
    })
  const { "2xx": answered, errors, non2xx, requests } = await autocannon({ ...options, setupClient })
  const result: LoadResult = { perSecond: requests.average, answered, failed: errors + non2xx, refusal }
  process.stdout.write(JSON.stringify(result))
}
