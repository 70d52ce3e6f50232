import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import { bytesIn, fieldsOf, numberIn } from "../rpc/protobuf.ts"

/** What a transaction's own contract moves of the network's coin. */
export interface NativeMove {
  readonly from: string
  readonly to: string
  readonly units: bigint
}

/** Where a contract that pays the network's coin has its parties and its amount (core/contract of the protocol). */
const amountFields: ReadonlyMap<string, number> = new Map([
  ["TransferContract", 3],
  ["ParticipateAssetIssueContract", 4],
  ["TriggerSmartContract", 3]
])

/** What the signed bytes of a transaction say of its contract. */
export interface SignedContract {
  /** As `core/Tron.proto` calls it. */
  readonly type: string
  /** What it moves of the network's coin; undefined where it is of a type that pays nobody. */
  readonly moved: NativeMove | undefined
}

/** The type that a `type_url` names: what stands behind its last slash. Nodes take any text before it, line breaks too. */
const typeIn = (url: string): string => url.slice(url.lastIndexOf("/") + 1).replace(/^protocol\./u, "")

/**
 * The contract in the bytes of which a transaction's id is the hash. Undefined where they have what the protocol did not have when this
 * was written: then they neither confirm nor contradict anything.
 */
export const signedContract = (rawDataHex: string): SignedContract | undefined => {
  const raw = fieldsOf(hexToBytes(rawDataHex))
  const contract = raw === undefined ? undefined : fieldsOf(bytesIn(raw, 11))
  const parameter = contract === undefined ? undefined : fieldsOf(bytesIn(contract, 2))
  if (parameter === undefined) return undefined
  const type = typeIn(new TextDecoder().decode(bytesIn(parameter, 1)))
  const amount = amountFields.get(type)
  if (amount === undefined) return { type, moved: undefined }
  const value = fieldsOf(bytesIn(parameter, 2))
  if (value === undefined) return undefined
  const [from, to] = [bytesToHex(bytesIn(value, 1)), bytesToHex(bytesIn(value, 2))]
  return { type, moved: { from, to, units: numberIn(value, amount) } }
}
