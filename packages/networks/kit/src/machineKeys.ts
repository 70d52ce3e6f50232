import type { KeyName } from "@bursar/core/engine/Directory"
import { deriveInTurns, type NetworkKeys } from "@bursar/core/port/NetworkAdapter"
import { Effect, Result } from "effect"
import { accountKeyName, type AccountXpubs, accountXpubs } from "./accountXpub.ts"
import { machineAddress, messageDigest, type MessagePrefix, messageSigner, writtenSignature } from "./signedMessage.ts"

/**
 * The name of the key with these 20 bytes of its keccak hash, in hexadecimal: all networks of the Ethereum virtual machine write the same
 * ones. It is stored: it must never change.
 */
export const keccakKey = (hex: string): KeyName => `keccak:${hex.toLowerCase()}`

/** How addresses follow from keys on a family of networks whose addresses are those of the Ethereum virtual machine. */
export interface MachineKeys extends AccountXpubs {
  /** The canonical address of a compressed public key. Throws where it is no point of the curve. */
  readonly addressOfPublicKey: (publicKey: Uint8Array) => string
  /** Whether the key of a canonical address has signed a text: 65 bytes in hexadecimal. False on junk. */
  readonly verifyMessage: (address: string, message: string, signature: string) => boolean
  /** The same, as the port has it. */
  readonly keys: NetworkKeys
}

/** The keys of a family of networks. */
export const machineKeys = ({
  addressOf,
  keysOf,
  messagePrefix,
  ...words
}: {
  /** Whose keys they are, in words, such as "an EVM network". */
  readonly whose: string
  /** The path of an account, such as `m/44'/60'/0'`. */
  readonly path: string
  /** What stands before a text that is signed. */
  readonly messagePrefix: MessagePrefix
  /** The canonical form of 20 bytes in hexadecimal. */
  readonly addressOf: (machine: string) => string
  /** The names of the key of a canonical address. */
  readonly keysOf: (address: string) => ReadonlyArray<KeyName>
}): MachineKeys => {
  const addressOfPublicKey = (publicKey: Uint8Array): string => addressOf(machineAddress(publicKey))
  const xpubs = accountXpubs({ ...words, addressOf: addressOfPublicKey })
  const verifyMessage: MachineKeys["verifyMessage"] = (address, message, signature) => {
    const signer = messageSigner(messagePrefix, message, signature)
    return signer !== undefined && addressOf(signer) === address
  }
  return {
    ...xpubs,
    addressOfPublicKey,
    verifyMessage,
    keys: {
      parse: xpubs.parseXpub,
      accountKeyName,
      derive: (account, from, count) => {
        const xpub = Result.getOrThrow(xpubs.parseXpub(account))
        const at = (index: number) => {
          const address = xpubs.deriveAddress(xpub, index)
          return { address, keys: keysOf(address) }
        }
        return deriveInTurns(at, from, count)
      },
      addressesOf: (publicKey) => [addressOfPublicKey(publicKey)],
      keysOf,
      keysOfPublicKey: (publicKey) => keysOf(addressOfPublicKey(publicKey)),
      verifyMessage: (address, message, signature) => Effect.sync(() => verifyMessage(address, message, signature)),
      messageToSign: (_address, message) =>
        Result.succeed({ digest: messageDigest(messagePrefix, message), finish: writtenSignature })
    }
  }
}
