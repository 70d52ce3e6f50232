import type { xdr } from "@stellar/stellar-sdk/base"
import { type Account, authImmutable, authRequired, availableOf } from "../Account.ts"
import { baseReserve } from "../network.ts"
import type { Op } from "./pay.ts"
import { actor, type Step, update } from "./Step.ts"

const signersMax = 20
const weightMax = 255
const homeDomainBytesMax = 32
const dataBytesMax = 64

const inRange = (weight: number | undefined) => weight === undefined || (weight >= 0 && weight <= weightMax)

/** Who may sign for an account, and what it says of itself. Signers other than public keys are not known here. */
export const setOptions = (step: Step, op: Op<"setOptions">): xdr.OperationResultTrWire => ({
  type: 5,
  setOptionsResult: { code: optionsSet(step, op) }
})

const optionsSet = (step: Step, op: Op<"setOptions">): 0 | -1 | -2 | -5 | -7 | -8 | -9 => {
  let account: Account = actor(step)
  const { clearFlags = 0, setFlags = 0 } = op
  if ((account.flags & authImmutable) !== 0 && (clearFlags | setFlags) !== 0) return -5
  if (![op.masterWeight, op.lowThreshold, op.medThreshold, op.highThreshold].every(inRange)) return -7
  if (op.homeDomain !== undefined && Buffer.byteLength(op.homeDomain) > homeDomainBytesMax) return -9
  const tell = (type: Parameters<Step["record"]>[0]["type"], details: Parameters<Step["record"]>[0]["details"]) =>
    step.record({ account: step.sourceAddress, type, details })
  const flags = (account.flags & ~clearFlags) | setFlags
  const isRequired = (flags & authRequired) !== 0
  // Horizon tells of no other flag here.
  const required = ((setFlags | clearFlags) & authRequired) === 0 ? undefined : isRequired
  if (op.setFlags !== undefined || op.clearFlags !== undefined) {
    tell("account_flags_updated", { auth_required_flag: required })
  }
  const { thresholds } = account
  const next = {
    master: op.masterWeight ?? thresholds.master,
    low: op.lowThreshold ?? thresholds.low,
    medium: op.medThreshold ?? thresholds.medium,
    high: op.highThreshold ?? thresholds.high
  }
  if (op.lowThreshold !== undefined || op.medThreshold !== undefined || op.highThreshold !== undefined) {
    tell("account_thresholds_updated", {
      low_threshold: op.lowThreshold ?? 0,
      med_threshold: op.medThreshold ?? 0,
      high_threshold: op.highThreshold ?? 0
    })
  }
  if (op.homeDomain !== undefined) tell("account_home_domain_updated", { home_domain: op.homeDomain })
  account = { ...account, flags, thresholds: next, homeDomain: op.homeDomain ?? account.homeDomain }
  if (op.signer !== undefined) {
    const signed = withSigner(account, op.signer)
    if (typeof signed === "number") return signed
    const key = "ed25519PublicKey" in op.signer ? (op.signer.ed25519PublicKey ?? "") : ""
    const weight = signed.signers.get(key) ?? 0
    const known = account.signers.has(key)
    tell(weight === 0 ? "signer_removed" : known ? "signer_updated" : "signer_created", {
      weight,
      public_key: key,
      key: ""
    })
    account = signed
  }
  update(step, account)
  return 0
}

const withSigner = (account: Account, signer: NonNullable<Op<"setOptions">["signer"]>): Account | -1 | -2 | -8 => {
  const key = "ed25519PublicKey" in signer ? signer.ed25519PublicKey : undefined
  const weight = Number(signer.weight ?? 0)
  if (key === undefined || key === account.id || weight < 0 || weight > weightMax) return -8
  const signers = new Map(account.signers)
  if (weight === 0) {
    signers.delete(key)
  } else {
    if (!signers.has(key)) {
      if (signers.size >= signersMax) return -2
      if (availableOf(account) < baseReserve) return -1
    }
    signers.set(key, weight)
  }
  return { ...account, signers }
}

/** Notes something beside an account, or removes it: `config.memo_required` tells senders to add a memo. */
export const manageData = (step: Step, op: Op<"manageData">): xdr.OperationResultTrWire => ({
  type: 10,
  manageDataResult: { code: dataPut(step, op) }
})

const dataPut = (step: Step, { name, value }: Op<"manageData">): 0 | -2 | -3 | -4 => {
  const account = actor(step)
  if (name.length === 0 || Buffer.byteLength(name) > dataBytesMax) return -4
  const data = new Map(account.data)
  const known = data.has(name)
  const tell = (type: "data_created" | "data_removed" | "data_updated") =>
    step.record({
      account: step.sourceAddress,
      type,
      details: { name, value: value === undefined ? undefined : Buffer.from(value).toString("base64") }
    })
  if (value === undefined) {
    if (!known) return -2
    data.delete(name)
    tell("data_removed")
  } else {
    if (!known && availableOf(account) < baseReserve) return -3
    data.set(name, value)
    tell(known ? "data_updated" : "data_created")
  }
  update(step, { ...account, data })
  return 0
}
