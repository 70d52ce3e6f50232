import { type LeafContent, orderPreimage, saltPreimage } from "./preimages.ts"

/** HMAC-SHA-256 of bytes under a key, which answers at once. */
export type HmacSha256 = (key: Uint8Array, bytes: Uint8Array) => Uint8Array

/**
 * What follows from the secret of a snapshot, which is made anew for each: the salts, so that nobody finds out an amount by trying, and
 * the key by which leaves are put in an order that says nothing of whose they are.
 */
export const leafSecrets = (secret: Uint8Array, hmacSha256: HmacSha256) => ({
  saltOf: (leaf: Omit<LeafContent, "salt" | "units">): Uint8Array => hmacSha256(secret, saltPreimage(leaf)),
  orderKey: (snapshotId: string): Uint8Array => hmacSha256(secret, orderPreimage(snapshotId))
})
