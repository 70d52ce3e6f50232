import { coveredComponents } from "@bursar/api/signature/SignatureProfile"
import type { SigningRequest } from "@bursar/core/port/TransactionSigner"

const digestOf = (body: string): string => `sha-256=:${Buffer.from(body.padEnd(32, "=")).toString("base64")}:`

/** A request for a payout that a partner has signed, as far as a store looks at it: its signature is none. */
export const requestOf = (key: string, body = "body", at = Date.now()): SigningRequest => {
  const values: Readonly<Record<string, string>> = {
    "@method": "POST",
    "@authority": "example.com",
    "@path": "/v1/chain-payouts",
    "idempotency-key": key,
    "content-type": "application/json",
    "content-digest": digestOf(body)
  }
  const now = Math.floor(at / 1_000)
  const lines = coveredComponents.map((name) => `"${name}": ${values[name]}`)
  const params = `(${coveredComponents.map((name) => `"${name}"`).join(" ")});created=${now};expires=${now + 60};keyid="k";nonce="${"n".repeat(22)}";tag="bursar-v1"`
  return { keyid: "k", signature: "", body: "", signatureBase: [...lines, `"@signature-params": ${params}`].join("\n") }
}
