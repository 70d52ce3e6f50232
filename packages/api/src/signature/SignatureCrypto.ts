import type { Effect } from "effect"
import { verifyEd25519 } from "./Ed25519.ts"
import { sha256 } from "./sha256.ts"

/** What signatures are verified with, over keys in the form that a runtime has them in. */
export interface SignatureCrypto<K> {
  readonly sha256: (bytes: Uint8Array) => Effect.Effect<Uint8Array>
  /** Whether an Ed25519 signature is that of the key over these bytes. */
  readonly verify: (key: K, signature: Uint8Array, text: Uint8Array) => Effect.Effect<boolean>
}

/** Web Crypto, which every runtime has. */
export const webCrypto: SignatureCrypto<CryptoKey> = { sha256, verify: verifyEd25519 }
