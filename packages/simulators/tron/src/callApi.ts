import { keccak256, stringToHex, toFunctionSelector } from "viem"
import { hexOf } from "./address.ts"
import type { Block } from "./Block.ts"
import { type Chain, referenceOf } from "./Chain.ts"
import { contracts, type Outcome } from "./contracts.ts"
import { checkTransfer, Refused, runCall } from "./execute.ts"
import { hexTextOf, inHex, int64Of, type JsonObject } from "./json.ts"
import * as parameters from "./parameters.ts"
import { type Contract, make, type TriggerSmartContract, type Transaction } from "./Transaction.ts"
import { toJson } from "./transactionJson.ts"

/** What a question says. */
export type Body = Readonly<Record<string, unknown>>

const invalid = (message: string) => new Refused("CONTRACT_VALIDATE_ERROR", message)

/** A part of a question that cannot be read at all. */
export class Unreadable extends Error {
  override readonly message = "INVALID hex String"
}

/** The address in a field. Throws {@link Unreadable} where the field is none. */
const addressIn = (body: Body, name: string): string => {
  const address = hexOf(body[name])
  if (address === undefined) throw new Unreadable()
  return address
}

const required = <A>(value: A | undefined, message: string): A => {
  if (value === undefined) throw invalid(message)
  return value
}

/** The transaction that a node makes of a contract, to be signed. */
const unsigned = (
  chain: Chain,
  contract: Contract,
  body: Body,
  now: number,
  reference = chain.at(chain.solid()) ?? chain.head()
): Transaction => {
  const head = chain.head()
  return make({
    ...referenceOf(reference),
    expiration: BigInt(head.time) + parameters.expirationDefaultMs,
    timestamp: BigInt(now),
    feeLimit: required(int64Of(body["fee_limit"]), "Invalid fee_limit"),
    memo: required(hexTextOf(body["extra_data"]), "Invalid extra_data"),
    permissionId: required(int64Of(body["Permission_id"]), "Invalid Permission_id"),
    contract
  })
}

/** `createtransaction`: what a transfer of coin would be, refused where it cannot be. */
export const createTransaction = (chain: Chain, body: Body, now: number): JsonObject => {
  const contract = {
    type: "TransferContract",
    owner: addressIn(body, "owner_address"),
    to: addressIn(body, "to_address"),
    amount: required(int64Of(body["amount"]), "Amount must be greater than 0.")
  } as const
  checkTransfer(chain.store, contract)
  const visible = body["visible"] === true
  return { visible, ...toJson(unsigned(chain, contract, body, now), visible) }
}

/** The calldata of a question: as it is, or the selector of a function, whatever text that is, and its arguments. */
const dataOf = (body: Body): string => {
  const selector = body["function_selector"]
  if (typeof selector !== "string" || selector === "") return required(hexTextOf(body["data"]), "Invalid data")
  return keccak256(stringToHex(selector)).slice(2, 10) + required(hexTextOf(body["parameter"]), "Invalid parameter")
}

const triggerOf = (body: Body): TriggerSmartContract => ({
  type: "TriggerSmartContract",
  owner: addressIn(body, "owner_address"),
  contract: addressIn(body, "contract_address"),
  callValue: required(int64Of(body["call_value"]), "Invalid call_value"),
  data: dataOf(body)
})

/** Runs a call and takes back what it did. */
const dryRun = (chain: Chain, contract: TriggerSmartContract): Outcome => {
  if (!contracts.has(contract.contract)) throw invalid("Smart contract is not exist.")
  const { result, undo } = chain.store.record(() => runCall(chain.store, contract))
  chain.store.undo(undo)
  return result
}

const problem = { message: inHex("REVERT opcode executed") }

/** `triggerconstantcontract`: what a call would give. */
export const triggerConstantContract = (chain: Chain, body: Body, now: number, reference?: Block): JsonObject => {
  const contract = triggerOf(body)
  const { energy, logs, output, reverted } = dryRun(chain, contract)
  const visible = body["visible"] === true
  const ret = [reverted ? { ret: "FAILED" } : {}]
  return {
    result: { result: true, ...(reverted ? problem : {}) },
    energy_used: energy,
    constant_result: [output],
    ...(reverted || logs.length === 0
      ? {}
      : { logs: logs.map(({ address, data, topics }) => ({ address, data, topics })) }),
    transaction: { ...toJson(unsigned(chain, contract, body, now, reference), visible, ret), visible }
  }
}

/** `estimateenergy`: what a call would cost. */
export const estimateEnergy = (chain: Chain, body: Body): JsonObject => {
  const { energy, reverted } = dryRun(chain, triggerOf(body))
  return reverted
    ? { result: { code: "CONTRACT_EXE_ERROR", ...problem } }
    : { result: { result: true }, energy_required: energy }
}

/** `triggersmartcontract`: the transaction of a call. A function that only reads is answered at once. */
export const triggerSmartContract = (chain: Chain, body: Body, now: number): JsonObject => {
  const contract = triggerOf(body)
  const known = contracts.get(contract.contract)
  if (known === undefined) throw invalid("No contract or not a valid smart contract")
  const view = known.functions.some(
    ({ signature, view: reads }) =>
      reads && toFunctionSelector(`function ${signature}`).slice(2) === contract.data.slice(0, 8)
  )
  if (view) return triggerConstantContract(chain, body, now)
  const visible = body["visible"] === true
  return {
    result: { result: true },
    transaction: { ...toJson(unsigned(chain, contract, body, now), visible), visible }
  }
}

/** A refusal as the questions about contracts report it: what only tries a call says it without the words in front. */
export const refusedCall = ({ code, message }: Refused, endpoint: string): JsonObject => ({
  result: {
    code,
    message: inHex(endpoint === "triggersmartcontract" ? `Contract validate error : ${message}` : message)
  }
})
