import { sha256 } from "viem"
import { allBytesIn, bytes, bytesIn, fieldsOf, message, number, numberIn, text } from "./protobuf.ts"

/** Sends the network's coin. Addresses are hexadecimal, amounts in sun. */
export interface TransferContract {
  readonly type: "TransferContract"
  readonly owner: string
  readonly to: string
  readonly amount: bigint
}

/** Calls a contract. `data` is the calldata in hexadecimal. */
export interface TriggerSmartContract {
  readonly type: "TriggerSmartContract"
  readonly owner: string
  readonly contract: string
  readonly callValue: bigint
  readonly data: string
}

/** The contracts that the local node knows. */
export type Contract = TransferContract | TriggerSmartContract

/** What is signed. Bytes are hexadecimal, times in milliseconds. */
export interface RawData {
  readonly refBlockBytes: string
  readonly refBlockHash: string
  readonly expiration: bigint
  readonly timestamp: bigint
  readonly feeLimit: bigint
  readonly memo: string
  readonly permissionId: bigint
  readonly contract: Contract
}

/** A transaction with the bytes that its id is the hash of. */
export interface Transaction {
  readonly id: string
  readonly raw: RawData
  readonly rawHex: string
  readonly signatures: ReadonlyArray<string>
}

/** The name of a contract's type in `Any`. */
export const typeUrl = ({ type }: Contract): string => `type.googleapis.com/protocol.${type}`

const numbers = { TransferContract: 1n, TriggerSmartContract: 31n } as const

const contractBytes = (contract: Contract): string =>
  contract.type === "TransferContract"
    ? bytes(1, contract.owner) + bytes(2, contract.to) + number(3, contract.amount)
    : bytes(1, contract.owner) + bytes(2, contract.contract) + number(3, contract.callValue) + bytes(4, contract.data)

/** The bytes of what is signed, as every implementation of the protocol writes them. */
const encodeRaw = (raw: RawData): string => {
  const any = text(1, typeUrl(raw.contract)) + bytes(2, contractBytes(raw.contract))
  const contract = number(1, numbers[raw.contract.type]) + message(2, any) + number(5, raw.permissionId)
  return (
    bytes(1, raw.refBlockBytes) +
    bytes(4, raw.refBlockHash) +
    number(8, raw.expiration) +
    bytes(10, raw.memo) +
    message(11, contract) +
    number(14, raw.timestamp) +
    number(18, raw.feeLimit)
  )
}

const hash = (hex: string): string => sha256(`0x${hex}`).slice(2)

/** A transaction of what is signed and its signatures. */
export const make = (raw: RawData, signatures: ReadonlyArray<string> = []): Transaction => {
  const rawHex = encodeRaw(raw)
  return { id: hash(rawHex), raw, rawHex, signatures }
}

const decodeContract = (hex: string): { readonly contract: Contract; readonly permissionId: bigint } | undefined => {
  const outer = fieldsOf(hex)
  const inner = outer === undefined ? undefined : fieldsOf(bytesIn(fieldsOf(bytesIn(outer, 2)) ?? [], 2))
  if (outer === undefined || inner === undefined) return undefined
  const permissionId = numberIn(outer, 5)
  const owner = bytesIn(inner, 1)
  const type = numberIn(outer, 1)
  if (type === numbers.TransferContract) {
    return {
      contract: { type: "TransferContract", owner, to: bytesIn(inner, 2), amount: numberIn(inner, 3) },
      permissionId
    }
  }
  if (type !== numbers.TriggerSmartContract) return undefined
  return {
    contract: {
      type: "TriggerSmartContract",
      owner,
      contract: bytesIn(inner, 2),
      callValue: numberIn(inner, 3),
      data: bytesIn(inner, 4)
    },
    permissionId
  }
}

/** Reads a signed transaction; undefined when it is malformed or its contract is not known here. */
export const decode = (hex: string): Transaction | undefined => {
  const outer = fieldsOf(hex)
  if (outer === undefined) return undefined
  const rawHex = bytesIn(outer, 1)
  const fields = fieldsOf(rawHex)
  const contracts = fields === undefined ? [] : allBytesIn(fields, 11)
  const read = contracts.length === 1 ? decodeContract(contracts[0] ?? "") : undefined
  if (fields === undefined || read === undefined) return undefined
  const raw: RawData = {
    refBlockBytes: bytesIn(fields, 1),
    refBlockHash: bytesIn(fields, 4),
    expiration: numberIn(fields, 8),
    timestamp: numberIn(fields, 14),
    feeLimit: numberIn(fields, 18),
    memo: bytesIn(fields, 10),
    ...read
  }
  return { id: hash(rawHex), raw, rawHex, signatures: allBytesIn(outer, 2) }
}

/** The bytes of a transaction as it is broadcast. */
export const encode = ({ rawHex, signatures }: Transaction): string =>
  message(1, rawHex) + signatures.map((signature) => message(2, signature)).join("")
