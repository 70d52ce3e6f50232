import { Redacted } from "effect"
import { createHmac, hkdfSync } from "node:crypto"
import type { MasterKeys } from "./MasterKeys.ts"

const keyBytes = 32

/**
 * What tells by the id of a master key whether it is the one that had this id before, and tells nothing of it (HMAC-SHA-256 under a key that
 * follows from it by HKDF-SHA-256).
 */
export const masterKeyChecks = ({ byId }: MasterKeys): ReadonlyMap<string, string> =>
  new Map(
    [...byId].map(([id, key]) => {
      const derived = hkdfSync("sha256", Redacted.value(key), "", "bursar check of a master key v1", keyBytes)
      return [id, createHmac("sha256", Buffer.from(derived)).update(id).digest("hex")] as const
    })
  )
