import { address as codec, crypto } from "bitcoinjs-lib"
import { type BitcoinChainName, facts } from "./BitcoinNetwork.ts"

/**
 * The addresses of a compressed public key on a chain: native segwit, segwit within P2SH, and the old form. Each is spent with
 * the same private key.
 */
export const publicKeyAddresses = (chain: BitcoinChainName, publicKey: Uint8Array): ReadonlyArray<string> => {
  const { bech32, pubKeyHash, scriptHash } = facts[chain]
  const program = crypto.hash160(publicKey)
  return [
    codec.toBech32(program, 0, bech32),
    codec.toBase58Check(crypto.hash160(Uint8Array.of(0x00, 0x14, ...program)), scriptHash),
    codec.toBase58Check(program, pubKeyHash)
  ]
}
