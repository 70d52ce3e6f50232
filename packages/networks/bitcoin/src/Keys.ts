import { deriveInTurns, type KeyForm, type NetworkKeys } from "@bursar/core/port/NetworkAdapter"
import { Effect, Result } from "effect"
import { accountKeyName } from "@bursar/network-kit/accountXpub"
import { publicKeyAddresses } from "./Address.ts"
import type { BitcoinChainName } from "./internal/facts.ts"
import { keyNamesOfAddress, keyNamesOfPublicKey } from "./internal/keys/keyNames.ts"
import { messageToSign } from "./internal/keys/messageToSign.ts"
import { verifyMessage } from "./internal/keys/verifyMessage.ts"
import { addressOfKey, derivePublicKey, parseXpub } from "./internal/keys/xpub.ts"

export * from "./internal/keys/keyNames.ts"
export * from "./internal/keys/verifyMessage.ts"
export * from "./internal/keys/xpub.ts"

/** The names of a public key by all forms of its addresses, on whichever chain. */
export const bitcoinKeyForm: KeyForm = { curve: "secp256k1", keysOfPublicKey: keyNamesOfPublicKey }

/** How addresses of a chain follow from keys; messages are signed by BIP-322. */
export const bitcoinKeys = (chain: BitcoinChainName): NetworkKeys => ({
  parse: (text) => parseXpub(chain, text),
  accountKeyName,
  derive: (account, from, count) => {
    const xpub = Result.getOrThrow(parseXpub(chain, account))
    const at = (index: number) => {
      const publicKey = derivePublicKey(xpub, index)
      return { address: addressOfKey(xpub, publicKey), keys: keyNamesOfPublicKey(publicKey) }
    }
    return deriveInTurns(at, from, count)
  },
  addressesOf: (publicKey) => publicKeyAddresses(chain, publicKey),
  keysOf: (address) => keyNamesOfAddress(chain, address),
  keysOfPublicKey: keyNamesOfPublicKey,
  verifyMessage: (address, message, signature) => Effect.sync(() => verifyMessage(chain, address, message, signature)),
  messageToSign: (address, message) => messageToSign(chain, address, message)
})
