import { hash } from "node:crypto"
import type { TenantId } from "@bursar/core/tenant/Tenant"

/** The id of what an operator has asked for under an idempotency key, the same each time, so that its grant is one: a UUIDv8 (RFC 9562, section 5.8). */
export const idOfKey = (tenantId: TenantId, endpoint: string, key: string): string => {
  const digest = hash("sha256", `${tenantId} ${endpoint} ${key}`, "buffer").subarray(0, 16)
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x80
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80
  return digest.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/u, "$1-$2-$3-$4-")
}
