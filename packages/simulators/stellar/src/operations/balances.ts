import { authRequired, availableOf } from "../Account.ts"
import { accountOf } from "../address.ts"
import type { JsonObject } from "../json.ts"
import { unitsMax } from "../network.ts"
import { textOf } from "../units.ts"
import { type Step, update } from "./Step.ts"

/** Why an amount cannot be taken: the codes that all payments share. */
export type DebitCode = 0 | -2 | -3 | -4

/** Why an amount cannot be given: the codes that all payments share. */
export type CreditCode = 0 | -5 | -6 | -7 | -8

/** The account that issues an asset; undefined for the network's own. */
export const issuerOf = (asset: string): string | undefined => asset.split(":")[1]

/** How Horizon writes an asset, the names of its fields beginning with a prefix. */
export const assetJson = (asset: string, prefix = ""): JsonObject => {
  const [code = "", issuer] = asset.split(":")
  if (issuer === undefined) return { [`${prefix}asset_type`]: "native" }
  return {
    [`${prefix}asset_type`]: code.length > 4 ? "credit_alphanum12" : "credit_alphanum4",
    [`${prefix}asset_code`]: code,
    [`${prefix}asset_issuer`]: issuer
  }
}

/** Gives an amount to an address. The issuer of an asset destroys what it receives of it. */
export const credit = (step: Step, address: string, asset: string, units: bigint): CreditCode => {
  const account = step.state.get(accountOf(address))
  if (account === undefined) return -5
  const done = (): CreditCode => {
    step.record({
      account: address,
      type: "account_credited",
      details: { ...assetJson(asset), amount: textOf(units) }
    })
    return 0
  }
  if (asset === "native") {
    if (account.balance + units > unitsMax) return -8
    update(step, { ...account, balance: account.balance + units })
    return done()
  }
  if (issuerOf(asset) === account.id) return done()
  const line = account.trustlines.get(asset)
  if (line === undefined) return -6
  if (!line.authorized) return -7
  if (line.balance + units > line.limit) return -8
  const trustlines = new Map(account.trustlines)
  trustlines.set(asset, { ...line, balance: line.balance + units, modified: step.ledger })
  step.state.put(account.id, { ...account, trustlines })
  return done()
}

/** Takes an amount from an address that exists. The issuer of an asset makes what it sends of it. */
export const debit = (step: Step, address: string, asset: string, units: bigint): DebitCode => {
  const account = step.state.get(accountOf(address))
  if (account === undefined) throw new Error(`${address} does not exist`)
  const done = (): DebitCode => {
    step.record({ account: address, type: "account_debited", details: { ...assetJson(asset), amount: textOf(units) } })
    return 0
  }
  if (asset === "native") {
    if (availableOf(account) < units) return -2
    update(step, { ...account, balance: account.balance - units })
    return done()
  }
  if (issuerOf(asset) === account.id) return done()
  const line = account.trustlines.get(asset)
  if (line === undefined) return -3
  if (!line.authorized) return -4
  if (line.balance < units) return -2
  const trustlines = new Map(account.trustlines)
  trustlines.set(asset, { ...line, balance: line.balance - units, modified: step.ledger })
  step.state.put(account.id, { ...account, trustlines })
  return done()
}

/** Whether the issuer of an asset must consent to its holders. */
export const needsConsent = (step: Step, asset: string): boolean =>
  ((step.state.get(issuerOf(asset) ?? "")?.flags ?? 0) & authRequired) !== 0
