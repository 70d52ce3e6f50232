import { signer } from "./account.ts"
import { base58Of } from "./address.ts"
import { contracts, type InternalCall, type Log, type Outcome } from "./contracts.ts"
import * as parameters from "./parameters.ts"
import { keys, type Store } from "./Store.ts"
import { encode, type Transaction, type TransferContract, type TriggerSmartContract } from "./Transaction.ts"

/** What a node refuses a transaction with. */
export class Refused extends Error {
  readonly code: string
  /** `code` as the protocol names it; `message` in the words of java-tron. */
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** What became of a transaction that is in a block. Amounts are sun, bytes hexadecimal. */
export interface Receipt {
  readonly contractRet: "SUCCESS" | "REVERT" | "OUT_OF_ENERGY"
  readonly fee: bigint
  readonly netUsage: bigint
  readonly netFee: bigint
  /** Null where no contract ran. */
  readonly energy: { readonly used: bigint; readonly fee: bigint } | null
  readonly contract: string | null
  readonly output: string
  readonly problem: string
  readonly logs: ReadonlyArray<Log>
  readonly internal: ReadonlyArray<InternalCall>
}

const invalid = (message: string) => new Refused("CONTRACT_VALIDATE_ERROR", `Contract validate error : ${message}`)

const ownerPermission = 0n
const activePermission = 2n
const signatureChars = 130

/** Checks that the owner signed, and nobody else did. */
export const checkSignatures = ({ id, raw, signatures }: Transaction): void => {
  const wrong = (message: string) => new Refused("SIGERROR", `Validate signature error: ${message}`)
  const short = signatures.find((signature) => signature.length < signatureChars)
  if (short !== undefined) throw wrong(`Signature size is ${short.length / 2}`)
  if (signatures.length === 0) throw wrong("miss sig or contract")
  if (raw.permissionId !== ownerPermission && raw.permissionId !== activePermission) {
    throw wrong("permission isn't exit")
  }
  if (signatures.length > 1)
    throw wrong(`Signature count is ${signatures.length} more than key counts of permission : 1`)
  const [signature = ""] = signatures
  const address = signer(id, signature.slice(0, signatureChars))
  if (address === undefined) throw wrong("Header byte out of range or signature is invalid")
  if (address !== raw.contract.owner) {
    throw wrong(`${signature} is signed by ${base58Of(address)} but it is not contained of permission.`)
  }
}

/** Free bandwidth that is used at a time: what was used comes back evenly over a day. */
export const usedBandwidth = (get: Store["get"], owner: string, now: bigint): bigint => {
  const elapsed = now - get(keys.netAt(owner))
  if (elapsed >= parameters.bandwidthWindowMs) return 0n
  return (get(keys.net(owner)) * (parameters.bandwidthWindowMs - elapsed)) / parameters.bandwidthWindowMs
}

/** Sun that is burnt. */
const pay = (store: Store, owner: string, sun: bigint): void => {
  if (store.get(keys.balance(owner)) < sun) throw new Refused("BANDWITH_ERROR", "Account resource insufficient error.")
  if (sun > 0n) store.add(keys.balance(owner), -sun)
}

const consumeBandwidth = (store: Store, transaction: Transaction, now: bigint) => {
  const { contract } = transaction.raw
  if (contract.type === "TransferContract" && !store.has(keys.balance(contract.to))) {
    pay(store, contract.owner, parameters.activationBandwidthFee)
    return { netUsage: 0n, netFee: parameters.activationBandwidthFee }
  }
  const bytes = BigInt(encode(transaction).length / 2) + parameters.resultBytes
  const used = usedBandwidth(store.get, contract.owner, now)
  if (used + bytes > parameters.freeBandwidth) {
    const netFee = bytes * parameters.bandwidthPrice
    pay(store, contract.owner, netFee)
    return { netUsage: 0n, netFee }
  }
  store.set(keys.net(contract.owner), used + bytes)
  store.set(keys.netAt(contract.owner), now)
  return { netUsage: bytes, netFee: 0n }
}

const addressChars = 42
const isAddress = (hex: string): boolean => hex.length === addressChars && hex.startsWith("41")

/** Why a transfer cannot be, in the words of java-tron's TransferActuator. */
const faultOfTransfer = (store: Store, { amount, owner, to }: TransferContract): string | undefined => {
  if (!isAddress(owner)) return "Invalid ownerAddress!"
  if (!isAddress(to)) return "Invalid toAddress!"
  if (to === owner) return "Cannot transfer TRX to yourself."
  if (!store.has(keys.balance(owner))) return "Validate TransferContract error, no OwnerAccount."
  if (amount <= 0n) return "Amount must be greater than 0."
  if (contracts.has(to)) return "Cannot transfer TRX to a smartContract."
  const fee = store.has(keys.balance(to)) ? 0n : parameters.activationFee
  return store.get(keys.balance(owner)) < amount + fee
    ? "Validate TransferContract error, balance is not sufficient."
    : undefined
}

/** Refuses a transfer that cannot be, as `createtransaction` does before it is signed. */
export const checkTransfer = (store: Store, contract: TransferContract): void => {
  const fault = faultOfTransfer(store, contract)
  if (fault !== undefined) throw invalid(fault)
}

const nothingRun = { energy: null, contract: null, output: "", problem: "", logs: [], internal: [] } as const

const runTransfer = (store: Store, contract: TransferContract, now: bigint) => {
  const { amount, owner, to } = contract
  const fresh = !store.has(keys.balance(to))
  const fee = fresh ? parameters.activationFee : 0n
  checkTransfer(store, contract)
  store.add(keys.balance(owner), -(amount + fee))
  store.add(keys.balance(to), amount)
  if (fresh) store.set(keys.since(to), now)
  return { contractRet: "SUCCESS" as const, fee, ...nothingRun }
}

/** Runs a call with its value. If it reverts, nothing has changed. */
export const runCall = (store: Store, { callValue, contract: address, data, owner }: TriggerSmartContract): Outcome => {
  const contract = contracts.get(address)
  if (contract === undefined) throw invalid("No contract or not a smart contract")
  const { result, undo } = store.record(() => {
    store.add(keys.balance(owner), -callValue)
    store.add(keys.balance(address), callValue)
    return contract.run({ store, caller: owner, contract: address, value: callValue, data })
  })
  if (result.reverted) store.undo(undo)
  return result
}

const leastOf = (a: bigint, b: bigint): bigint => (a < b ? a : b)

const runTrigger = (store: Store, contract: TriggerSmartContract, feeLimit: bigint) => {
  const { callValue, contract: address, owner } = contract
  if (!store.has(keys.balance(owner))) throw invalid("Validate InternalTransfer error, no OwnerAccount.")
  if (feeLimit < 0n || feeLimit > parameters.feeLimitMax) {
    throw invalid(`feeLimit must be >= 0 and <= ${parameters.feeLimitMax}`)
  }
  const balance = store.get(keys.balance(owner))
  if (callValue < 0n || balance < callValue) {
    throw invalid("Validate InternalTransfer error, balance is not sufficient.")
  }
  const limit = leastOf(feeLimit, balance - callValue) / parameters.energyPrice
  const { result: outcome, undo } = store.record(() => runCall(store, contract))
  const exhausted = outcome.energy > limit
  if (exhausted) store.undo(undo)
  const used = exhausted ? limit : outcome.energy
  const fee = used * parameters.energyPrice
  pay(store, owner, fee)
  const ran = { energy: { used, fee }, contract: address, fee }
  if (exhausted) {
    const problem = `Not enough energy for 'SSTORE' operation executing: curInvokeEnergyLimit[${limit}]`
    return { ...ran, contractRet: "OUT_OF_ENERGY" as const, output: "", problem, logs: [], internal: [] }
  }
  const { internal, logs, output, reverted } = outcome
  const problem = reverted ? "REVERT opcode executed" : ""
  return { ...ran, contractRet: reverted ? ("REVERT" as const) : ("SUCCESS" as const), output, problem, logs, internal }
}

/**
 * Carries out a transaction whose signature is checked. Throws {@link Refused} when it can be in no block; one that fails in the
 * virtual machine can, and pays for it.
 */
export const execute = (store: Store, transaction: Transaction, now: bigint): Receipt => {
  const { contract, feeLimit } = transaction.raw
  const bandwidth = consumeBandwidth(store, transaction, now)
  const ran =
    contract.type === "TransferContract" ? runTransfer(store, contract, now) : runTrigger(store, contract, feeLimit)
  return { ...ran, ...bandwidth, fee: ran.fee + bandwidth.netFee }
}
