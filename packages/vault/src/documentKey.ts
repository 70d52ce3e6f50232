import { Redacted } from "effect"
import { hkdfSync } from "node:crypto"
import { publicKeyOf, sign } from "./internal/ed25519.ts"
import { wiping } from "./internal/wiping.ts"
import type { MasterKeys } from "./MasterKeys.ts"

const keyBytes = 32

const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/** The Ed25519 key that signs documents of solvency and nothing else: it follows from the current master key (HKDF-SHA-256). */
export const documentKey = ({ byId, current }: MasterKeys) => {
  const master = byId.get(current)
  if (master === undefined) throw new Error("the current key is not among the keys")
  const withKey = <A>(use: (key: Buffer) => A): A =>
    wiping(Buffer.from(hkdfSync("sha256", Redacted.value(master), "", "bursar solvency documents v1", keyBytes)), use)
  return {
    /** In lower-case hexadecimal. */
    publicKey: toHex(withKey((key) => publicKeyOf(key) ?? Buffer.alloc(0))),
    sign: (message: Uint8Array): string => toHex(withKey((key) => sign(key, message).bytes))
  }
}
