import { Effect } from "effect"
import { sha256 } from "./sha256.ts"
import type { ProvenRequest } from "./verifyEvidence.ts"

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

/**
 * The id of what a signed request makes: a UUID that follows from the tenant, the path and the idempotency key that its signature covers. So one
 * request makes one thing, whoever writes to the database: a copy of the request under another id is no request for that id.
 */
export const requestIdOf = (
  tenantId: string,
  { components }: Pick<ProvenRequest, "components">,
  hash = sha256
): Effect.Effect<string> => {
  const text = ["bursar.request.v1", tenantId, components["@path"], components["idempotency-key"]].join("\n")
  return Effect.map(hash(new TextEncoder().encode(text)), (digest) => {
    const bytes = digest.slice(0, 16)
    // RFC 9562: version 8, of bits of one's own
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
    const all = hex(bytes)
    return [all.slice(0, 8), all.slice(8, 12), all.slice(12, 16), all.slice(16, 20), all.slice(20)].join("-")
  })
}
