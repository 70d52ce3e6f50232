import * as Base64Url from "effect/encoding/Base64Url"

/** The points of Ed25519 whose order divides 8, without the sign of x and in every way that they can be written: base64url. */
const encodings: ReadonlySet<string> = new Set([
  "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
  "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
  "JuiVj8KyJ7BFw_SJ8u-Y8NXfrAXTxjM5sTgCiG1T_AU",
  "xxdqcD1N2E-6PAt2DRBnDyogU_osOczGTsf9d5KsA3o",
  "7P_______________________________________38",
  "7f_______________________________________38",
  "7v_______________________________________38"
])

/**
 * Whether an Ed25519 public key of 32 bytes is a point of small order. Signatures that anybody can make verify by it, for every text or one in
 * a few: it is nobody's key.
 */
export const isOfSmallOrder = (publicKey: Uint8Array): boolean =>
  encodings.has(Base64Url.encode(publicKey.map((byte, index) => (index === 31 ? byte & 0x7f : byte))))
