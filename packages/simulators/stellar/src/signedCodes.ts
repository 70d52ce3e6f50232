import { Asset, type OperationRecord, type xdr } from "@stellar/stellar-sdk/base"
import type { Op } from "./operations/pay.ts"

type Wire = xdr.Asset | xdr.ChangeTrustAsset

const codeIn = (wire: Wire): string | undefined => {
  if (wire.type !== "assetTypeCreditAlphanum4" && wire.type !== "assetTypeCreditAlphanum12") return undefined
  const { assetCode } = wire.type === "assetTypeCreditAlphanum4" ? wire.alphaNum4 : wire.alphaNum12
  return Buffer.from(assetCode.toBytes()).toString().replace(/\0+$/u, "")
}

type Pairs = ReadonlyArray<readonly [unknown, Wire | undefined]>

const onTheWay = (
  { destAsset, path, sendAsset }: Op<"pathPaymentStrictReceive"> | Op<"pathPaymentStrictSend">,
  wire: xdr.PathPaymentStrictReceiveOp | xdr.PathPaymentStrictSendOp
): Pairs => [
  [destAsset, wire.destAsset],
  [sendAsset, wire.sendAsset],
  ...path.map((asset, nth) => [asset, wire.path[nth]] as const)
]

/** The assets of an operation, each with what was signed for it. */
const assetsIn = (op: OperationRecord, { body }: xdr.Operation): Pairs => {
  if (op.type === "payment" && body.type === "payment") return [[op.asset, body.paymentOp.asset]]
  if (op.type === "changeTrust" && body.type === "changeTrust") return [[op.line, body.changeTrustOp.line]]
  if (op.type === "setTrustLineFlags" && body.type === "setTrustLineFlags")
    return [[op.asset, body.setTrustLineFlagsOp.asset]]
  if (op.type === "pathPaymentStrictReceive" && body.type === "pathPaymentStrictReceive")
    return onTheWay(op, body.pathPaymentStrictReceiveOp)
  if (op.type === "pathPaymentStrictSend" && body.type === "pathPaymentStrictSend")
    return onTheWay(op, body.pathPaymentStrictSendOp)
  return []
}

/** Gives the assets of an operation the codes that were signed: the SDK writes `XLM` for what reads so in any case. */
export const withSignedCodes = (op: OperationRecord, signed: xdr.Operation | undefined): OperationRecord => {
  for (const [asset, wire] of signed === undefined ? [] : assetsIn(op, signed)) {
    const code = wire === undefined ? undefined : codeIn(wire)
    if (asset instanceof Asset && code !== undefined) Object.assign(asset, { code })
  }
  return op
}
