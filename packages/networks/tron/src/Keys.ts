import type { NetworkKeys } from "@bursar/core/port/NetworkAdapter"
import { keccakKey, machineKeys, type MachineKeys } from "@bursar/network-kit/machineKeys"
import { fromEvmHex, toHex } from "./Address.ts"

const machine = machineKeys({
  whose: "tron",
  path: "m/44'/195'/0'",
  messagePrefix: "TRON Signed Message",
  addressOf: fromEvmHex,
  keysOf: (address) => {
    const hex = toHex(address)
    if (hex === undefined) throw new Error(`${address} is not an address on tron`)
    return [keccakKey(hex.slice(2))]
  }
})

/** The base58 address of a compressed public key. Throws where it is no point of the curve. */
export const addressOfPublicKey: MachineKeys["addressOfPublicKey"] = machine.addressOfPublicKey

/** Checks the extended public key of an account, `m/44'/195'/account'`; else says why it is none. */
export const parseXpub: MachineKeys["parseXpub"] = machine.parseXpub

/** The base58 address at `0/index` below an account. Throws where the index is no whole number below 2^31. */
export const deriveAddress: MachineKeys["deriveAddress"] = machine.deriveAddress

/** Whether the key of a base58 address has signed a text by TIP-191: 65 bytes in hexadecimal. */
export const verifyMessage: MachineKeys["verifyMessage"] = machine.verifyMessage

/** How addresses of tron follow from keys. Messages are signed by TIP-191. A key has the name that it has on EVM networks. */
export const tronKeys: NetworkKeys = machine.keys
