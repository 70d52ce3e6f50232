import { Asset, type xdr } from "@stellar/stellar-sdk/base"
import { authRevocable, availableOf } from "../Account.ts"
import { nameOf } from "../entries.ts"
import type { JsonObject } from "../json.ts"
import { baseReserve } from "../network.ts"
import { amountIn, textOf } from "../units.ts"
import { assetJson, issuerOf, needsConsent } from "./balances.ts"
import type { Op } from "./pay.ts"
import { actor, type Step, update } from "./Step.ts"

/** Agrees to hold an asset up to a limit; a limit of zero ends it. */
export const changeTrust = (step: Step, op: Op<"changeTrust">): xdr.OperationResultTrWire => {
  const asset = op.line instanceof Asset ? nameOf(op.line) : undefined
  const code = asset === undefined ? -1 : trusted(step, asset, amountIn(op.limit))
  return { type: 6, changeTrustResult: { code } }
}

const trusted = (step: Step, asset: string, limit: bigint): 0 | -1 | -2 | -3 | -4 => {
  const account = actor(step)
  const issuer = issuerOf(asset)
  if (limit < 0n || issuer === undefined || issuer === step.source) return -1
  const line = account.trustlines.get(asset)
  const trustlines = new Map(account.trustlines)
  const tell = (type: "trustline_created" | "trustline_removed" | "trustline_updated") =>
    step.record({ account: step.sourceAddress, type, details: { ...assetJson(asset), limit: textOf(limit) } })
  if (line !== undefined) {
    if (limit < line.balance) return -3
    if (limit === 0n) {
      trustlines.delete(asset)
      update(step, { ...account, trustlines })
      tell("trustline_removed")
      return 0
    }
    if (step.state.get(issuer) === undefined) return -2
    trustlines.set(asset, { ...line, limit, modified: step.ledger })
    step.state.put(account.id, { ...account, trustlines })
    tell("trustline_updated")
    return 0
  }
  if (limit === 0n) return -3
  if (step.state.get(issuer) === undefined) return -2
  if (availableOf(account) < baseReserve) return -4
  trustlines.set(asset, { balance: 0n, limit, authorized: !needsConsent(step, asset), modified: step.ledger })
  update(step, { ...account, trustlines })
  tell("trustline_created")
  return 0
}

/** Lets an issuer give its consent to a holder, or take it back. */
export const setTrustLineFlags = (step: Step, op: Op<"setTrustLineFlags">): xdr.OperationResultTrWire => {
  const code = consented(step, op)
  return { type: 21, setTrustLineFlagsResult: { code } }
}

const consented = (step: Step, { asset: given, flags, trustor }: Op<"setTrustLineFlags">): 0 | -1 | -2 | -3 => {
  const asset = nameOf(given)
  const { authorized } = flags
  if (issuerOf(asset) !== step.source || trustor === step.source) return -1
  const holder = step.state.get(trustor)
  const line = holder?.trustlines.get(asset)
  if (holder === undefined || line === undefined) return -2
  if (authorized === undefined) return 0
  if (!authorized && (actor(step).flags & authRevocable) === 0) return -3
  const trustlines = new Map(holder.trustlines)
  trustlines.set(asset, { ...line, authorized, modified: step.ledger })
  step.state.put(trustor, { ...holder, trustlines })
  const details: JsonObject = { ...assetJson(asset), trustor, authorized_flag: authorized }
  step.record({ account: step.sourceAddress, type: "trustline_flags_updated", details })
  return 0
}
