import type { SignatureCrypto } from "@bursar/api/signature/SignatureCrypto"
import { Effect } from "effect"
import { hash, type KeyObject, verify } from "node:crypto"

/** What signatures are verified with: at once, where Web Crypto would hand each step to another thread and back. */
export const nodeCrypto: SignatureCrypto<KeyObject> = {
  sha256: (bytes) => Effect.sync(() => hash("sha256", bytes, "buffer")),
  verify: (key, signature, text) => Effect.sync(() => verify(null, text, key, signature))
}
