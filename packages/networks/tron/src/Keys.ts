import { keccakKey } from "@bursar/core/address/KeyClaim"
import type { KeyName } from "@bursar/core/engine/Directory"
import { deriveInTurns, type NetworkKeys } from "@bursar/core/port/NetworkAdapter"
import { Effect, Result } from "effect"
import { toHex } from "./TronAddress.ts"
import { verifyMessage } from "./verifyMessage.ts"
import { addressOf, deriveAddress, parseXpub } from "./xpub.ts"

const keysOf = (address: string): ReadonlyArray<KeyName> => {
  const hex = toHex(address)
  if (hex === undefined) throw new Error(`${address} is no address on tron`)
  return [keccakKey(hex.slice(2))]
}

/** How addresses of tron follow from keys; messages are signed by TIP-191. A key has the name that it has on EVM networks. */
export const tronKeys: NetworkKeys = {
  parse: (text) => Result.map(parseXpub(text), (xpub) => ({ canonical: xpub.text })),
  derive: (account, from, count) => {
    const xpub = Result.getOrThrow(parseXpub(account))
    const at = (index: number) => {
      const address = deriveAddress(xpub, index)
      return { address, keys: keysOf(address) }
    }
    return deriveInTurns(at, from, count)
  },
  addressesOf: (publicKey) => [addressOf(publicKey)],
  keysOf,
  keysOfPublicKey: (publicKey) => keysOf(addressOf(publicKey)),
  verifyMessage: (address, message, signature) => Effect.sync(() => verifyMessage(address, message, signature))
}
