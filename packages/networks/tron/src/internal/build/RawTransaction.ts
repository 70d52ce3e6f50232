import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { readTransferCall, transferCall } from "@bursar/network-kit/Token"
import { Result } from "effect"
import { bytesField, bytesIn, fieldsOf, numberField, numberIn } from "../rpc/protobuf.ts"

/** What a transaction of ours does. Addresses have 21 bytes in hexadecimal, units are base units. */
export type Action =
  | { readonly _tag: "Native"; readonly owner: string; readonly to: string; readonly units: bigint }
  | {
      readonly _tag: "Token"
      readonly owner: string
      readonly contract: string
      readonly to: string
      readonly units: bigint
    }

/** What is signed: `raw_data` of the protocol, of the two kinds of transactions that the service makes. */
export interface RawTransaction {
  /** The low two bytes of the height of a block, and the middle eight of its id, in hexadecimal: it exists on that chain alone. */
  readonly refBlockBytes: string
  readonly refBlockHash: string
  /** Milliseconds. */
  readonly expiration: bigint
  readonly timestamp: bigint
  /** The most that is burnt for energy, in sun; 0 where no contract is called. */
  readonly feeLimit: bigint
  readonly action: Action
}

const addressBytes = 21
const addressPrefix = 0x41
const typePrefix = "type.googleapis.com/protocol."

const kinds = {
  Native: { number: 1n, name: "TransferContract" },
  Token: { number: 31n, name: "TriggerSmartContract" }
} as const

const parameterOf = (action: Action): Uint8Array =>
  action._tag === "Native"
    ? concatBytes(
        bytesField(1, hexToBytes(action.owner)),
        bytesField(2, hexToBytes(action.to)),
        numberField(3, action.units)
      )
    : concatBytes(
        bytesField(1, hexToBytes(action.owner)),
        bytesField(2, hexToBytes(action.contract)),
        bytesField(4, hexToBytes(transferCall(action.to, action.units)))
      )

/** The bytes of what is signed, as every implementation of the protocol writes them. */
export const encodeRaw = (raw: RawTransaction): Uint8Array => {
  const { name, number } = kinds[raw.action._tag]
  const any = concatBytes(bytesField(1, utf8ToBytes(typePrefix + name)), bytesField(2, parameterOf(raw.action)))
  return concatBytes(
    bytesField(1, hexToBytes(raw.refBlockBytes)),
    bytesField(4, hexToBytes(raw.refBlockHash)),
    numberField(8, raw.expiration),
    bytesField(11, concatBytes(numberField(1, number), bytesField(2, any))),
    numberField(14, raw.timestamp),
    numberField(18, raw.feeLimit)
  )
}

const isAddress = (bytes: Uint8Array): boolean => bytes.length === addressBytes && bytes[0] === addressPrefix

const actionIn = (contract: Uint8Array): Action | undefined => {
  const outer = fieldsOf(contract) ?? []
  const parameter = fieldsOf(bytesIn(fieldsOf(bytesIn(outer, 2)) ?? [], 2)) ?? []
  const [owner, second] = [bytesIn(parameter, 1), bytesIn(parameter, 2)]
  if (!isAddress(owner) || !isAddress(second)) return undefined
  const kind = numberIn(outer, 1)
  if (kind === kinds.Native.number) {
    return { _tag: "Native", owner: bytesToHex(owner), to: bytesToHex(second), units: numberIn(parameter, 3) }
  }
  const call = readTransferCall(bytesToHex(bytesIn(parameter, 4)))
  if (kind !== kinds.Token.number || call === undefined) return undefined
  return {
    _tag: "Token",
    owner: bytesToHex(owner),
    contract: bytesToHex(second),
    to: `41${call.to}`,
    units: call.units
  }
}

/**
 * Reads what is signed, or says why it will not. A field that is not known, or is there twice, or is written in another way than
 * the protocol's own, is refused by writing what was understood again and comparing: nothing of the bytes goes unread.
 */
export const decodeRaw = (bytes: Uint8Array): Result.Result<RawTransaction, string> => {
  const fields = fieldsOf(bytes)
  if (fields === undefined) return Result.fail("these bytes are no transaction of tron")
  const action = actionIn(bytesIn(fields, 11))
  if (action === undefined) return Result.fail("it is neither a transfer of TRX nor one of a TRC-20 token")
  const raw: RawTransaction = {
    refBlockBytes: bytesToHex(bytesIn(fields, 1)),
    refBlockHash: bytesToHex(bytesIn(fields, 4)),
    expiration: numberIn(fields, 8),
    timestamp: numberIn(fields, 14),
    feeLimit: numberIn(fields, 18),
    action
  }
  if (bytesToHex(encodeRaw(raw)) !== bytesToHex(bytes)) {
    return Result.fail("it says more than a plain transfer does, or says it oddly")
  }
  if (raw.refBlockBytes.length !== 4 || raw.refBlockHash.length !== 16) return Result.fail("it names no block")
  if (raw.expiration === 0n || raw.timestamp === 0n) return Result.fail("it does not say of when it is")
  if (action.units === 0n) return Result.fail("it transfers nothing")
  if (action._tag === "Native" && raw.feeLimit > 0n) return Result.fail("a transfer of TRX has no limit of energy")
  if (action._tag === "Token" && raw.feeLimit === 0n) return Result.fail("a call of a contract needs a limit of energy")
  return Result.succeed(raw)
}

/** The id of a transaction. Signatures are no part of it. */
export const idOf = (rawBytes: Uint8Array): string => bytesToHex(sha256(rawBytes))

/** A transaction as it is broadcast: what is signed, and the signature. */
export const encodeSigned = (rawBytes: Uint8Array, signature: Uint8Array): Uint8Array =>
  concatBytes(bytesField(1, rawBytes), bytesField(2, signature))

const signatureBytes = 65

/** What is signed in a transaction as it is broadcast; undefined where that is no such thing. */
export const rawBytesIn = (signed: Uint8Array): Uint8Array | undefined => {
  const fields = fieldsOf(signed) ?? []
  const raw = bytesIn(fields, 1)
  return fields.length === 2 && bytesIn(fields, 2).length === signatureBytes ? raw : undefined
}

/** What the result of a transaction counts for in bandwidth, beyond its own bytes. */
const resultBytes = 64

/** The bandwidth that a transaction takes once it is signed. */
export const bandwidthOf = (rawBytes: Uint8Array): bigint =>
  BigInt(encodeSigned(rawBytes, new Uint8Array(signatureBytes)).length + resultBytes)
