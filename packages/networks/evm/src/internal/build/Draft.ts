import { Result } from "effect"
import {
  bytesToHex,
  concatBytes,
  hexToBytes,
  keccak256,
  parseTransaction,
  serializeTransaction,
  type TransactionSerializableEIP1559
} from "viem"
import { checksummed } from "../../Address.ts"

/** 0x-prefixed hexadecimal. */
export type Hex = `0x${string}`

/** A transaction of type 2 (EIP-1559) without an access list, and who is to sign it. */
export interface Draft {
  /** Checksummed. */
  readonly from: string
  readonly chainId: number
  readonly nonce: bigint
  /** Checksummed. */
  readonly to: string
  readonly value: bigint
  readonly data: Hex
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

const addressBytes = 20
const typeByte = 2

/** The transaction in viem's words. */
export const serializable = (draft: Omit<Draft, "from">): TransactionSerializableEIP1559 => ({
  type: "eip1559",
  chainId: draft.chainId,
  nonce: Number(draft.nonce),
  // A checksummed address begins with 0x, which its type does not say.
  to: draft.to as Hex,
  value: draft.value,
  data: draft.data,
  gas: draft.gas,
  maxFeePerGas: draft.maxFeePerGas,
  maxPriorityFeePerGas: draft.maxPriorityFeePerGas
})

/** What is hashed and signed: the type and the RLP of nine fields. */
export const payloadOf = (draft: Omit<Draft, "from">): Uint8Array =>
  hexToBytes(serializeTransaction(serializable(draft)))

/** What is signed. */
export const digestOf = (draft: Omit<Draft, "from">): Uint8Array => keccak256(payloadOf(draft), "bytes")

/** The unsigned bytes: the 20 bytes of the payer, which the network only learns from the signature, before the payload. */
export const encodeDraft = (draft: Draft): Uint8Array => concatBytes([hexToBytes(draft.from as Hex), payloadOf(draft)])

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index])

/** A transaction of type 2 as it was read, whoever signs it; else says why it is none that this service makes. */
export const draftOf = (from: string, transaction: TransactionSerializableEIP1559): Result.Result<Draft, string> => {
  const { accessList, chainId, data, gas, maxFeePerGas, maxPriorityFeePerGas, nonce, to, value } = transaction
  if (to === undefined || to === null) return Result.fail("It creates a contract.")
  if (accessList !== undefined && accessList.length > 0) return Result.fail("It has an access list.")
  if (gas === undefined || gas === 0n) return Result.fail("It has no gas.")
  if (maxFeePerGas === undefined || maxFeePerGas === 0n) return Result.fail("It offers nothing for its gas.")
  if (nonce === undefined || !Number.isSafeInteger(nonce) || !Number.isSafeInteger(chainId)) {
    return Result.fail("Its nonce or its chain is out of range.")
  }
  return Result.succeed({
    from,
    chainId,
    nonce: BigInt(nonce),
    to: checksummed(to),
    value: value ?? 0n,
    data: data ?? "0x",
    gas,
    maxFeePerGas,
    maxPriorityFeePerGas: maxPriorityFeePerGas ?? 0n
  })
}

/** What is signed of unsigned bytes that {@link decodeDraft} reads. */
export const draftDigest = (unsigned: Uint8Array): Uint8Array => keccak256(unsigned.subarray(addressBytes), "bytes")

/** Reads unsigned bytes again, and only such as {@link encodeDraft} writes: one transaction has one spelling. */
export const decodeDraft = (bytes: Uint8Array): Result.Result<Draft, string> => {
  if (bytes.length <= addressBytes || bytes[addressBytes] !== typeByte) {
    return Result.fail("These are not the bytes of an unsigned transaction of type 2.")
  }
  const payload = bytes.subarray(addressBytes)
  return Result.try({
    // The type byte was checked; viem wants it in the type of the text.
    try: () => parseTransaction(bytesToHex(payload) as `0x02${string}`),
    catch: () => "These bytes cannot be read as a transaction."
  }).pipe(
    Result.flatMap((transaction) => draftOf(checksummed(bytesToHex(bytes.subarray(0, addressBytes))), transaction)),
    Result.flatMap((draft) =>
      sameBytes(payloadOf(draft), payload)
        ? Result.succeed(draft)
        : Result.fail("These bytes are not written as a transaction is.")
    )
  )
}
