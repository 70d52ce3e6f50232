import type { KeyName } from "@bursar/core/engine/Directory"
import { deriveInTurns, type KeyForm, type NetworkKeys } from "@bursar/core/port/NetworkAdapter"
import { hash, Keypair, StrKey } from "@stellar/stellar-sdk/base"
import { Effect, Result } from "effect"
import { demux, muxed } from "./Address.ts"

/** The account (`G…`) of the 32 bytes of a public key. */
export const accountOfPublicKey = (publicKey: Uint8Array): string =>
  StrKey.encodeEd25519PublicKey(Buffer.from(publicKey))

/** The name of the key of an account, which its muxed accounts are parts of. It is stored: it must never change. */
const accountKeyName = (account: string): KeyName => `ed25519:${account}`

const prefix = "Stellar Signed Message:\n"
/** What is signed of a text, by SEP-53. A transaction is signed by a hash that begins with that of its network instead. */
const messageDigest = (message: string): Uint8Array => hash(Buffer.from(prefix + message, "utf8"))

const signatureForm = /^[A-Za-z0-9+/]{86}==$/u

/** Whether the key of an account, or of the account that a muxed one is a part of, has signed a text by SEP-53: 64 bytes in base64. */
export const verifyMessage = (address: string, message: string, signature: string): boolean =>
  signatureForm.test(signature) &&
  Result.getOrElse(
    Result.try(() =>
      Keypair.fromPublicKey(demux(address)?.account ?? address).verify(
        messageDigest(message),
        Buffer.from(signature, "base64")
      )
    ),
    () => false
  )

/** The name of a public key by its account. */
export const stellarKeyForm: KeyForm = {
  curve: "ed25519",
  keysOfPublicKey: (publicKey) => [accountKeyName(accountOfPublicKey(publicKey))]
}

/** How addresses of stellar follow from keys: muxed accounts of one account. Messages are signed by SEP-53. */
export const stellarKeys: NetworkKeys = {
  parse: () =>
    Result.fail({
      code: "xpub_invalid",
      message: "There are no extended public keys on stellar: every step of its derivation needs the private key."
    }),
  // an account has one key, and no other below it
  accountKeyName,
  derive: (account, from, count) =>
    deriveInTurns(
      (index) => ({ address: muxed(account, BigInt(index)), keys: [accountKeyName(account)] }),
      from,
      count
    ),
  addressesOf: (publicKey) => [accountOfPublicKey(publicKey)],
  // a part of an account is the account's: one key signs for them all
  keysOf: (address) => [accountKeyName(demux(address)?.account ?? address)],
  keysOfPublicKey: stellarKeyForm.keysOfPublicKey,
  verifyMessage: (address, message, signature) => Effect.sync(() => verifyMessage(address, message, signature)),
  messageToSign: (_address, message) =>
    Result.succeed({
      digest: Uint8Array.from(messageDigest(message)),
      finish: ({ bytes }) => Buffer.from(bytes).toString("base64")
    })
}
