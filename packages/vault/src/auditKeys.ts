import { Redacted } from "effect"
import { hkdfSync } from "node:crypto"
import type { MasterKeys } from "./MasterKeys.ts"

const keyBytes = 32

/** The keys that seal the log of operators' actions: one from each master key, by its id (HKDF-SHA-256). */
export const auditKeys = ({ byId, current }: MasterKeys) => ({
  current,
  byId: new Map(
    [...byId].map(([id, key]) => {
      const derived = hkdfSync("sha256", Redacted.value(key), "", "bursar audit seals v1", keyBytes)
      return [id, Redacted.make(new Uint8Array(derived), { label: `key of audit seals under ${id}` })] as const
    })
  )
})
