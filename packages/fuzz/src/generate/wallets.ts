import { publicKeyAddresses } from "@bursar/bitcoin"
import { addressOfPublicKey } from "@bursar/evm/Keys"
import type { Random } from "@bursar/simulation/kernel/Random"
import { accountOfPublicKey } from "@bursar/stellar/Keys"
import { fromEvmHex } from "@bursar/tron/Address"
import { sha256 } from "@noble/hashes/sha2.js"
import { createBase58check } from "@scure/base"
import { createECDH } from "node:crypto"

/** The networks of the contract. */
export const networks = ["tron", "ethereum", "bsc", "base", "bitcoin", "stellar"] as const

/** A network of the contract. */
export type NetworkName = (typeof networks)[number]

const publicKeyOf = (random: Random): Uint8Array => {
  const pair = createECDH("secp256k1")
  // a first byte of zero keeps it below the order of the curve
  pair.setPrivateKey(Buffer.from([0, 1, ...random.bytes(30)]))
  return new Uint8Array(pair.getPublicKey(null, "compressed"))
}

/** An address of nobody's on a network. */
export const addressOn = (network: NetworkName, random: Random): string => {
  if (network === "stellar") return accountOfPublicKey(random.bytes(32))
  const key = publicKeyOf(random)
  if (network === "bitcoin") return publicKeyAddresses("regtest", key)[0] ?? ""
  const evm = addressOfPublicKey(key)
  return network === "tron" ? fromEvmHex(evm.slice(2).toLowerCase()) : evm
}

/** The version of extended public keys (BIP 32) on main and on test networks. */
const versions = { main: [0x04, 0x88, 0xb2, 0x1e], test: [0x04, 0x35, 0x87, 0xcf] } as const

/** An extended public key of nobody's, at the depth of an account. */
export const xpubOn = (network: NetworkName, random: Random): string =>
  createBase58check(sha256).encode(
    Uint8Array.of(
      ...versions[network === "bitcoin" ? "test" : "main"],
      3,
      ...random.bytes(4),
      ...[0x80, 0, 0, 0],
      ...random.bytes(32),
      ...publicKeyOf(random)
    )
  )
