import type { KeyFamily, Network } from "../money/Network.ts"
import { defineRecord } from "../engine/Records.ts"

/** Which imported key an address has. One key has the same address on all networks of its family. */
export interface ImportedAddressKey {
  /** The network that it was imported for, and its family. */
  readonly network: Network
  readonly family: KeyFamily
  readonly address: string
  readonly keyId: string
  /** The public side, in hexadecimal: compressed secp256k1, on stellar ed25519. */
  readonly publicKey: string
}

/** The key under which the imported key of an address is found, on whichever network of its family. */
export const importedAddressKey = (family: KeyFamily, address: string): string => `${family}|${address}`

/** Imported keys by the addresses that they are of. */
export const ImportedAddressKey = defineRecord<ImportedAddressKey>({
  name: "ImportedAddressKey",
  key: ({ address, family }) => importedAddressKey(family, address)
})
