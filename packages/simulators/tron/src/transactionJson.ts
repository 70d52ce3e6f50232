import { hexOf, shown } from "./address.ts"
import { hexTextOf, int64Of, type JsonObject, objectIn } from "./json.ts"
import { type Contract, make, type Transaction, typeUrl } from "./Transaction.ts"

const positive = (name: string, value: bigint): JsonObject => (value === 0n ? {} : { [name]: value })

const valueOf = (contract: Contract, visible: boolean): JsonObject =>
  contract.type === "TransferContract"
    ? {
        owner_address: shown(contract.owner, visible),
        to_address: shown(contract.to, visible),
        ...positive("amount", contract.amount)
      }
    : {
        ...(contract.data === "" ? {} : { data: contract.data }),
        owner_address: shown(contract.owner, visible),
        contract_address: shown(contract.contract, visible),
        ...positive("call_value", contract.callValue)
      }

/** A transaction as the node writes it; `ret` is what became of it, for one in a block. */
export const toJson = (
  { id, raw, rawHex, signatures }: Transaction,
  visible: boolean,
  ret?: ReadonlyArray<JsonObject>
): JsonObject => ({
  ...(ret === undefined ? {} : { ret }),
  ...(signatures.length === 0 ? {} : { signature: signatures }),
  txID: id,
  raw_data: {
    contract: [
      {
        parameter: { value: valueOf(raw.contract, visible), type_url: typeUrl(raw.contract) },
        type: raw.contract.type,
        ...positive("Permission_id", raw.permissionId)
      }
    ],
    ref_block_bytes: raw.refBlockBytes,
    ref_block_hash: raw.refBlockHash,
    expiration: raw.expiration,
    ...positive("fee_limit", raw.feeLimit),
    ...positive("timestamp", raw.timestamp),
    ...(raw.memo === "" ? {} : { data: raw.memo })
  },
  raw_data_hex: rawHex
})

const contractOf = (entry: unknown): Contract | undefined => {
  const value = objectIn(objectIn(entry, "parameter"), "value")
  const type: unknown = typeof entry === "object" && entry !== null ? Reflect.get(entry, "type") : undefined
  const owner = hexOf(value?.["owner_address"])
  if (value === undefined || owner === undefined) return undefined
  if (type === "TransferContract") {
    const to = hexOf(value["to_address"])
    const amount = int64Of(value["amount"])
    return to === undefined || amount === undefined ? undefined : { type, owner, to, amount }
  }
  const contract = hexOf(value["contract_address"])
  const callValue = int64Of(value["call_value"])
  const data = hexTextOf(value["data"])
  return type !== "TriggerSmartContract" || contract === undefined || callValue === undefined || data === undefined
    ? undefined
    : { type, owner, contract, callValue, data }
}

/**
 * Reads a transaction from JSON as the node does: from `raw_data` alone, so that an id or `raw_data_hex` that does not fit is of no
 * account. Undefined when it is malformed or its contract is not known here.
 */
export const fromJson = (json: Readonly<Record<string, unknown>>): Transaction | undefined => {
  const raw = objectIn(json, "raw_data")
  const contracts: unknown = raw?.["contract"]
  const entry: unknown = Array.isArray(contracts) && contracts.length === 1 ? contracts[0] : undefined
  const contract = contractOf(entry)
  const list: unknown = json["signature"] ?? []
  const signatures = (Array.isArray(list) ? list : [list]).map(hexTextOf)
  if (raw === undefined || contract === undefined) return undefined
  const numbers = [raw["expiration"], raw["timestamp"], raw["fee_limit"]].map(int64Of)
  const texts = [raw["ref_block_bytes"], raw["ref_block_hash"], raw["data"]].map(hexTextOf)
  const [expiration, timestamp, feeLimit] = numbers
  const [refBlockBytes, refBlockHash, memo] = texts
  const permissionId = int64Of(Reflect.get(Object(entry), "Permission_id"))
  if (
    expiration === undefined ||
    timestamp === undefined ||
    feeLimit === undefined ||
    permissionId === undefined ||
    refBlockBytes === undefined ||
    refBlockHash === undefined ||
    memo === undefined ||
    !signatures.every((signature) => signature !== undefined)
  ) {
    return undefined
  }
  return make(
    { refBlockBytes, refBlockHash, expiration, timestamp, feeLimit, memo, permissionId, contract },
    signatures
  )
}
