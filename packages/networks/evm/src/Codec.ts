import { Result } from "effect"
import type { Payment, TransactionFormat, TransactionSignature } from "@bursar/core/port/ChainSender"
import { checksummed } from "./Address.ts"
import { addressOfPublicKey } from "./Keys.ts"
import { type EvmNetworkOptions, factsOf } from "./internal/facts.ts"
import { decodeDraft, type Draft, draftDigest } from "./internal/build/Draft.ts"
import { purposeOf, type Reading } from "./internal/build/purpose.ts"
import { decodeSigned, encodeSigned, keyOf } from "./internal/build/SignedTransaction.ts"

/** What transactions of a network are read with. */
export interface EvmCodecOptions extends EvmNetworkOptions {
  /** The pinned token contracts, from `CurrencyTable.contracts(network)`. Calls of any other contract are refused. */
  readonly contracts: ReadonlyArray<string>
  /** The chain that transactions must be for, for a private network. */
  readonly chainId?: number
}

/** What is known of a network when its transactions are read. Throws when a contract is none: a mistake of the configuration. */
export const readingOf = (options: EvmCodecOptions): Reading => {
  const { chainId, contracts, network } = options
  const bad = contracts.find((contract) => !/^0x[0-9a-f]{40}$/iu.test(contract))
  if (bad !== undefined) throw new Error(`${bad} is not a token contract on ${network}`)
  return {
    network,
    chainId: chainId ?? factsOf(options).chainId,
    contracts: new Map(contracts.map((contract) => [contract.toLowerCase(), checksummed(contract)]))
  }
}

const compressedBytes = 33

/** The half of the order of the curve, rounded down: the network takes no `s` above it (EIP-2). */
const halfOrder = Buffer.from("7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0", "hex")

/**
 * A signature over a digest by the key of an address, checked; else says what is wrong with it. The key that it recovers is one that it verifies
 * by, so that it is not verified beside.
 */
const checked = ({ from }: Draft, digest: Uint8Array, { bytes, publicKey, recovery }: TransactionSignature) => {
  if (bytes.length !== 64) return Result.fail("The signature is not 64 bytes long.")
  if (recovery !== 0 && recovery !== 1) return Result.fail("The signature does not say which of two points it means.")
  const signature = { bytes, yParity: recovery } as const
  const isLow = Buffer.compare(bytes.subarray(32), halfOrder) <= 0
  const signer = isLow ? keyOf(digest, signature, publicKey.length === compressedBytes) : undefined
  if (signer === undefined || Buffer.compare(signer, publicKey) !== 0)
    return Result.fail("The signature is not one of this transaction by the key that came with it.")
  return addressOfPublicKey(signer) === from
    ? Result.succeed(signature)
    : Result.fail(`The signature is not by the key of ${from}.`)
}

/** Unsigned bytes as they were read. */
interface Understood {
  readonly draft: Draft
  readonly payment: Payment | undefined
  readonly digest: Uint8Array
}

/**
 * How transactions of an EVM network are written: of type 2, with the payer's 20 bytes before the unsigned ones.
 *
 * **Details**
 *
 * Read are transfers of coin without calldata, transfers of pinned tokens, and transactions of the payer to itself that give
 * nothing. Calls of anything else, other chains, contract creation, access lists and zero amounts are refused.
 *
 * **Gotchas**
 *
 * `feeMax` is the gas at the price that the bytes allow. On base the cost of posting to Ethereum comes on top, which no bytes of
 * a transaction can limit.
 */
export const evmCodec = (options: EvmCodecOptions): TransactionFormat => {
  const reading = readingOf(options)
  // a signer reads what it is to sign three times
  const known = new WeakMap<
    Uint8Array,
    { readonly bytes: Uint8Array; readonly read: Result.Result<Understood, string> }
  >()
  const understood = (unsigned: Uint8Array) => {
    const there = known.get(unsigned)
    if (there !== undefined && Buffer.compare(there.bytes, unsigned) === 0) return there.read
    const bytes = Uint8Array.from(unsigned)
    const read = Result.flatMap(decodeDraft(bytes), (draft) =>
      Result.map(purposeOf(reading, draft), (payment) => ({ draft, payment, digest: draftDigest(bytes) }))
    )
    known.set(unsigned, { bytes, read })
    return read
  }
  return {
    network: reading.network,
    read: (unsigned) =>
      Result.map(understood(unsigned), ({ digest, draft, payment }) => ({
        payments: payment === undefined ? [] : [payment],
        feeMax: draft.gas * draft.maxFeePerGas,
        digests: [{ address: draft.from, digest: Uint8Array.from(digest) }],
        guard: { _tag: "Sequence", account: draft.from, sequence: draft.nonce },
        validUntil: null
      })),
    readSigned: (raw) =>
      Result.map(
        Result.flatMap(decodeSigned(raw), ({ draft }) => purposeOf(reading, draft)),
        (payment) => ({ payments: payment === undefined ? [] : [payment] })
      ),
    finish: (unsigned, signatures) =>
      Result.flatMap(understood(unsigned), ({ digest, draft }) => {
        const [signature] = signatures
        if (signature === undefined || signatures.length !== 1) {
          return Result.fail(`It takes one signature, not ${signatures.length}.`)
        }
        return Result.map(checked(draft, digest, signature), (good) => encodeSigned(draft, good))
      })
  }
}
