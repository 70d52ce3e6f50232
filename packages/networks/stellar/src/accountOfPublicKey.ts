import { StrKey } from "@stellar/stellar-sdk/base"

/** The account (`G…`) of the 32 bytes of a public key. */
export const accountOfPublicKey = (publicKey: Uint8Array): string =>
  StrKey.encodeEd25519PublicKey(Buffer.from(publicKey))
