import { readSignatureBase } from "@bursar/api/signature/verifyEvidence"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { createHash } from "node:crypto"
import type { SpentRequest } from "./store/Entry.ts"
import type { Asked } from "./store/Register.ts"

/** The SHA-256 of some parts, in hexadecimal. */
export const sha256 = (...parts: ReadonlyArray<string | Uint8Array>): string => {
  const hash = createHash("sha256")
  for (const part of parts) hash.update(part)
  return hash.digest("hex")
}

/** What the store keeps of a request that is signed for. */
export const spentOf = ({ digest, key, text }: Asked): SpentRequest => ({ key, digest, text })

/** What a request is known by: the tenant and the idempotency key that its signature covers. Undefined where it is none of the profile. */
export const askedOf = (tenantId: TenantId, signatureBase: string): Asked | undefined => {
  const read = readSignatureBase(signatureBase)
  if (read === undefined) return undefined
  const { components, created } = read
  const key = sha256(tenantId, "\n", components["@path"], "\n", components["idempotency-key"])
  return { key, digest: components["content-digest"], text: sha256(signatureBase), created: created * 1_000 }
}
