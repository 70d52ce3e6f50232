import { evmKey } from "@bursar/core/address/KeyClaim"
import type { KeyName } from "@bursar/core/engine/Directory"
import { deriveInTurns, type KeyForm, type NetworkKeys } from "@bursar/core/port/NetworkAdapter"
import { Result } from "effect"
import { verifyMessage } from "./verifyMessage.ts"
import { addressOfPublicKey, deriveAddress, parseXpub } from "./xpub.ts"

const keysOf = (address: string): ReadonlyArray<KeyName> => [evmKey(address)]

/** The name of a public key by its address, which is the same on all EVM networks. */
export const evmKeyForm: KeyForm = {
  curve: "secp256k1",
  keysOfPublicKey: (publicKey) => keysOf(addressOfPublicKey(publicKey))
}

/** How addresses of EVM networks follow from keys; messages are signed by EIP-191. */
export const evmKeys: NetworkKeys = {
  parse: (text) => Result.map(parseXpub(text), (xpub) => ({ canonical: xpub.text })),
  derive: (account, from, count) => {
    const xpub = Result.getOrThrow(parseXpub(account))
    const at = (index: number) => {
      const address = deriveAddress(xpub, index)
      return { address, keys: keysOf(address) }
    }
    return deriveInTurns(at, from, count)
  },
  addressesOf: (publicKey) => [addressOfPublicKey(publicKey)],
  keysOf,
  keysOfPublicKey: evmKeyForm.keysOfPublicKey,
  verifyMessage
}
