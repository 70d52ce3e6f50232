import { stellarKey } from "@bursar/core/address/KeyClaim"
import { deriveInTurns, type KeyForm, type NetworkKeys } from "@bursar/core/port/NetworkAdapter"
import { Effect, Result } from "effect"
import { accountOfPublicKey } from "./accountOfPublicKey.ts"
import { demux, muxed } from "./StellarAddress.ts"
import { verifyMessage } from "./verifyMessage.ts"

/** The name of a public key by its account. */
export const stellarKeyForm: KeyForm = {
  curve: "ed25519",
  keysOfPublicKey: (publicKey) => [stellarKey(accountOfPublicKey(publicKey))]
}

/** How addresses of stellar follow from keys: muxed accounts of one account. Messages are signed by SEP-53. */
export const stellarKeys: NetworkKeys = {
  parse: () =>
    Result.fail({
      code: "xpub_invalid",
      message: "There are no extended public keys on stellar: every step of its derivation needs the private key."
    }),
  derive: (account, from, count) =>
    deriveInTurns((index) => ({ address: muxed(account, BigInt(index)), keys: [stellarKey(account)] }), from, count),
  addressesOf: (publicKey) => [accountOfPublicKey(publicKey)],
  // a part of an account is the account's: one key signs for them all
  keysOf: (address) => [stellarKey(demux(address)?.account ?? address)],
  keysOfPublicKey: stellarKeyForm.keysOfPublicKey,
  verifyMessage: (address, message, signature) => Effect.sync(() => verifyMessage(address, message, signature))
}
