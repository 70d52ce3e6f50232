import type { KeyForm, NetworkKeys } from "@bursar/core/port/NetworkAdapter"
import { keccakKey, machineKeys, type MachineKeys } from "@bursar/network-kit/machineKeys"
import { checksummed } from "./Address.ts"

const machine = machineKeys({
  whose: "an EVM network",
  path: "m/44'/60'/0'",
  messagePrefix: "Ethereum Signed Message",
  addressOf: (hex) => checksummed(`0x${hex}`),
  keysOf: (address) => [keccakKey(address.slice(2))]
})

/** The checksummed address of a compressed public key. Throws where it is no point of the curve. */
export const addressOfPublicKey: MachineKeys["addressOfPublicKey"] = machine.addressOfPublicKey

/** Checks the extended public key of an account, `m/44'/60'/account'`; else says why it is none. */
export const parseXpub: MachineKeys["parseXpub"] = machine.parseXpub

/** The checksummed address at `0/index` below an account. Throws where the index is no whole number below 2^31. */
export const deriveAddress: MachineKeys["deriveAddress"] = machine.deriveAddress

/** Whether the key of a checksummed address has signed a text by EIP-191 (`personal_sign`): 65 bytes in hexadecimal. */
export const verifyMessage: MachineKeys["verifyMessage"] = machine.verifyMessage

/** How addresses of EVM networks follow from keys. Messages are signed by EIP-191. */
export const evmKeys: NetworkKeys = machine.keys

/** The name of a public key by its address, which is the same on all EVM networks. */
export const evmKeyForm: KeyForm = { curve: "secp256k1", keysOfPublicKey: evmKeys.keysOfPublicKey }
