import { sha256 } from "@noble/hashes/sha2.js"
import { concatBytes } from "@noble/hashes/utils.js"
import type { TransactionContent, TransactionFormat, TransactionSignature } from "@bursar/core/port/ChainSender"
import { Result } from "effect"
import * as ecc from "tiny-secp256k1"
import { decodeRaw, encodeSigned, idOf, rawBytesIn, type RawTransaction } from "./internal/build/RawTransaction.ts"
import { feeCeiling, type PriceCaps, priceCapsDefault } from "./internal/build/PriceCaps.ts"
import { fromHex, parseTronAddress } from "./Address.ts"
import { addressOfPublicKey } from "./Keys.ts"

/** How transactions of tron are read. */
export interface TronCodecOptions extends Partial<PriceCaps> {
  /** The pinned TRC-20 contracts in base58: calls of others are refused. */
  readonly contracts: ReadonlyArray<string>
}

const recoveryFirst = 27
const signatureBytes = 64

/** The base58 address of a public key, compressed or not; undefined where the bytes are no point. */
const addressOf = (publicKey: Uint8Array): string | undefined =>
  ecc.isPoint(publicKey) ? addressOfPublicKey(publicKey) : undefined

const contentOf = (
  { contracts, ...caps }: TronCodecOptions,
  raw: RawTransaction,
  unsigned: Uint8Array
): Result.Result<TransactionContent, string> => {
  const { action } = raw
  const contract = action._tag === "Token" ? fromHex(action.contract) : null
  if (contract !== null && !contracts.includes(contract)) return Result.fail(`${contract} is no contract known here`)
  return Result.map(parseTronAddress(contracts, fromHex(action.to)), (to) => ({
    payments: [{ to, contract, units: action.units, memo: null }],
    feeMax: feeCeiling(raw, { ...priceCapsDefault, ...caps }),
    digests: [{ address: fromHex(action.owner), digest: sha256(unsigned) }],
    guard: { _tag: "Expiry" },
    validUntil: Number(raw.expiration)
  }))
}

/** The signature as the network writes it: `r`, `s`, and which of the points was meant. */
const written = (
  address: string,
  digest: Uint8Array,
  { bytes, publicKey, recovery }: TransactionSignature
): Result.Result<Uint8Array, string> => {
  if (addressOf(publicKey) !== address) return Result.fail(`the signature is not by the key of ${address}`)
  if (bytes.length !== signatureBytes || !ecc.verify(digest, publicKey, bytes, true)) {
    return Result.fail(`the signature of ${address} does not fit the transaction`)
  }
  if (recovery !== 0 && recovery !== 1 && recovery !== 2 && recovery !== 3) {
    return Result.fail("the signature does not say which point it means")
  }
  const point = ecc.recover(digest, bytes, recovery, true)
  return point !== null && addressOf(point) === address
    ? Result.succeed(concatBytes(bytes, Uint8Array.of(recoveryFirst + recovery)))
    : Result.fail("the signature means another point than its key's")
}

/**
 * How transactions of tron are written: the unsigned one is `raw_data` of the protocol, the signed one what nodes take.
 *
 * **Details**
 *
 * Understood are a transfer of TRX and `transfer` of a pinned TRC-20 contract, by the owner's own permission, without a memo. A
 * transaction names its network by the id of a block, not by a number, so the chain it is for cannot be told from its bytes.
 */
export const tronCodec = (options: TronCodecOptions): TransactionFormat => {
  const read: TransactionFormat["read"] = (unsigned) =>
    Result.flatMap(decodeRaw(unsigned), (raw) => contentOf(options, raw, unsigned))
  return {
    network: "tron",
    read,
    readSigned: (raw) => {
      const unsigned = rawBytesIn(raw)
      return unsigned === undefined ? Result.fail("these bytes are no signed transaction of tron") : read(unsigned)
    },
    finish: (unsigned, signatures) =>
      Result.flatMap(read(unsigned), ({ digests: [asked] }) => {
        const [signature] = signatures
        if (asked === undefined || signature === undefined || signatures.length !== 1) {
          return Result.fail(`one signature is asked for, ${signatures.length} were given`)
        }
        return Result.map(written(asked.address, asked.digest, signature), (bytes) => ({
          hash: idOf(unsigned),
          raw: encodeSigned(unsigned, bytes)
        }))
      })
  }
}
