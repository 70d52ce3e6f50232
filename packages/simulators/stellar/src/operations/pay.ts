import type { OperationRecord, xdr } from "@stellar/stellar-sdk/base"
import { accountOf, publicKeyOf } from "../address.ts"
import { assetWire, nameOf } from "../entries.ts"
import { issuer, usdc } from "../network.ts"
import { amountIn, textOf } from "../units.ts"
import { credit, debit } from "./balances.ts"
import type { Step } from "./Step.ts"

/** An operation of one kind. */
export type Op<T extends OperationRecord["type"]> = Extract<OperationRecord, { readonly type: T }>

/** A payment: the receiver is looked at before the sender, and paying oneself coin is nothing. */
export const payment = (step: Step, op: Op<"payment">): xdr.OperationResultTrWire => {
  const units = amountIn(op.amount)
  const asset = nameOf(op.asset)
  if (units <= 0n) return { type: 1, paymentResult: { code: -1 } }
  if (asset === "native" && accountOf(op.destination) === step.source) return { type: 1, paymentResult: { code: 0 } }
  const given = credit(step, op.destination, asset, units)
  if (given !== 0) return { type: 1, paymentResult: { code: given } }
  return { type: 1, paymentResult: { code: debit(step, step.sourceAddress, asset, units) } }
}

/** Who changes coin for dollars, one for one and without end: their issuer, which has coin and makes dollars. */
const dealer = issuer

const isPair = (one: string, other: string): boolean =>
  (one === "native" && other === usdc) || (one === usdc && other === "native")

/** What the dealer sold on the way from one asset to another; undefined where there is no way. */
const offersBetween = (sent: string, received: string, units: bigint): Array<xdr.ClaimAtomWire> | undefined => {
  if (sent === received) return []
  if (!isPair(sent, received)) return undefined
  const orderBook = {
    sellerId: publicKeyOf(dealer),
    offerId: 1n,
    assetSold: assetWire(received),
    amountSold: units,
    assetBought: assetWire(sent),
    amountBought: units
  }
  return [{ type: 1, orderBook }]
}

/** What both kinds of path payment do once the amount is known; they number their refusals alike. */
const along = (step: Step, destination: string, sent: string, received: string, units: bigint) => {
  const given = credit(step, destination, received, units)
  if (given !== 0) return given
  const offers = offersBetween(sent, received, units)
  if (offers === undefined) return -10
  const taken = debit(step, step.sourceAddress, sent, units)
  if (taken !== 0) return taken
  if (sent !== received) {
    const quiet = { ...step, record: () => undefined }
    debit(quiet, dealer, received, units)
    credit(quiet, dealer, sent, units)
  }
  return {
    offers,
    last: { destination: publicKeyOf(accountOf(destination)), asset: assetWire(received), amount: units }
  }
}

/** A payment of an exact amount to the receiver, out of another asset. */
export const pathPaymentStrictReceive = (step: Step, op: Op<"pathPaymentStrictReceive">): xdr.OperationResultTrWire => {
  const units = amountIn(op.destAmount)
  const most = amountIn(op.sendMax)
  if (units <= 0n || most <= 0n) return { type: 2, pathPaymentStrictReceiveResult: { code: -1 } }
  const done = along(step, op.destination, nameOf(op.sendAsset), nameOf(op.destAsset), units)
  if (typeof done === "number") return { type: 2, pathPaymentStrictReceiveResult: { code: done } }
  return units > most
    ? { type: 2, pathPaymentStrictReceiveResult: { code: -12 } }
    : { type: 2, pathPaymentStrictReceiveResult: { code: 0, success: done } }
}

/** A payment of an exact amount by the sender, into another asset. */
export const pathPaymentStrictSend = (step: Step, op: Op<"pathPaymentStrictSend">): xdr.OperationResultTrWire => {
  const units = amountIn(op.sendAmount)
  const least = amountIn(op.destMin)
  if (units <= 0n || least <= 0n) return { type: 13, pathPaymentStrictSendResult: { code: -1 } }
  const done = along(step, op.destination, nameOf(op.sendAsset), nameOf(op.destAsset), units)
  if (typeof done === "number") return { type: 13, pathPaymentStrictSendResult: { code: done } }
  return units < least
    ? { type: 13, pathPaymentStrictSendResult: { code: -12 } }
    : { type: 13, pathPaymentStrictSendResult: { code: 0, success: done } }
}

/** What a path payment moved on each side: the way changes one for one. */
export const movedBy = (op: Op<"pathPaymentStrictReceive"> | Op<"pathPaymentStrictSend">): string =>
  textOf(amountIn(op.type === "pathPaymentStrictReceive" ? op.destAmount : op.sendAmount))
