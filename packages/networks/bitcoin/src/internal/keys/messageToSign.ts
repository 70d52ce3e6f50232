import { script, Transaction } from "bitcoinjs-lib"
import type { TransactionSignature } from "@bursar/core/port/ChainSender"
import type { MessageToSign } from "@bursar/core/port/NetworkAdapter"
import { Result } from "effect"
import { type BitcoinChainName, facts } from "../facts.ts"
import { scriptOfAddress } from "../rpc/scriptOfAddress.ts"
import { legacyDigest, p2wpkhDigest } from "./messageForms.ts"

/** A witness of two items, each of fewer bytes than take a longer prefix. */
const witness = ({ bytes, publicKey }: TransactionSignature): string => {
  const signature = script.signature.encode(bytes, Transaction.SIGHASH_ALL)
  const items = [signature, publicKey].map((item) => Buffer.concat([Buffer.of(item.length), item]))
  return Buffer.concat([Buffer.of(items.length), ...items]).toString("base64")
}

/** BIP 137: the first byte tells which address of the key is meant, and how the key is recovered. */
const legacySignature =
  (header: number) =>
  ({ bytes, recovery }: TransactionSignature): string =>
    Buffer.concat([Buffer.of(header + (recovery ?? 0)), bytes]).toString("base64")

const p2pkhHeader = 31
const segwitInP2shHeader = 35

/**
 * What the key of an address signs for a text: by BIP 322 in its simple form for P2WPKH, by the older form with a recoverable signature
 * for the other addresses of a compressed key. Addresses of scripts and of taproot sign nothing here: the service has no such keys.
 */
export const messageToSign = (
  chain: BitcoinChainName,
  address: string,
  message: string
): Result.Result<MessageToSign, string> =>
  Result.flatMap(scriptOfAddress(chain, address), (locking) => {
    if (locking.length === 22 && locking[0] === 0x00)
      return Result.succeed({ digest: p2wpkhDigest(locking.subarray(2), message), finish: witness })
    if (address.startsWith(`${facts[chain].bech32}1`)) return Result.fail("No key alone signs for this address.")
    const digest = legacyDigest(message)
    if (digest === undefined) return Result.fail("The text is too long to be signed.")
    const header = locking[0] === 0x76 ? p2pkhHeader : segwitInP2shHeader
    return Result.succeed({ digest, finish: legacySignature(header) })
  })
