import * as Bitcoin from "@bursar/bitcoin"
import type { Network } from "@bursar/core/money/Network"
import * as Evm from "@bursar/evm/Keys"
import { accountOfPublicKey } from "@bursar/stellar/Keys"
import { fromEvmHex } from "@bursar/tron/Address"
import { createECDH, randomBytes } from "node:crypto"

/** The address, on a local network, of somebody whom nobody knows. Their key is forgotten at once. */
export const externalWalletOn = (network: Network): string => {
  if (network === "stellar") return accountOfPublicKey(randomBytes(32))
  const pair = createECDH("secp256k1")
  pair.generateKeys()
  const publicKey = new Uint8Array(pair.getPublicKey(null, "compressed"))
  if (network === "bitcoin") return Bitcoin.publicKeyAddresses("regtest", publicKey)[0] ?? ""
  const evm = Evm.addressOfPublicKey(publicKey)
  return network === "tron" ? fromEvmHex(evm.slice(2).toLowerCase()) : evm
}
