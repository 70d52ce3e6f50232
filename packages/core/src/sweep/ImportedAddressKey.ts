import { familyOf } from "../address/KeyFamily.ts"
import type { Network } from "../money/Network.ts"
import { defineRecord } from "../engine/Records.ts"

/** Which imported key an address has. One key has the same address on all networks of its family. */
export interface ImportedAddressKey {
  /** The network that it was imported for. */
  readonly network: Network
  readonly address: string
  readonly keyId: string
  /** The public side, in hexadecimal: compressed secp256k1, on stellar ed25519. */
  readonly publicKey: string
}

/** The key under which the imported key of an address is found, on whichever network of its family. */
export const importedAddressKey = (network: Network, address: string): string => `${familyOf(network)}|${address}`

/** Imported keys by the addresses that they are of. */
export const ImportedAddressKey = defineRecord<ImportedAddressKey>({
  name: "ImportedAddressKey",
  key: ({ address, network }) => importedAddressKey(network, address)
})
