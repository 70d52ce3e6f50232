import { encodeMuxedAccountToAddress, hash as sha256, StrKey, xdr } from "@stellar/stellar-sdk/base"
import type { Memo } from "@bursar/core/port/Chain"
import { Result } from "effect"
import { memoText } from "./memoText.ts"
import { payerOf } from "./payerOf.ts"
import { arrivedUnits, mergedUnits } from "./results.ts"

/** What was signed for a transaction, read from its envelope. */
export interface Signed {
  /** The account that acts where an operation names none: `G…`, or `M…` where it was named so. */
  readonly source: string
  /** The number of its account that it uses up. */
  readonly sequence: bigint
  readonly memo: Memo | null
  readonly operations: ReadonlyArray<xdr.Operation>
  /**
   * The hashes by which the network may know it: its own, and where somebody else bids for it also the one inside. Computed at the
   * first call.
   */
  readonly hashes: () => readonly [outer: string, inner?: string]
}

/** What an operation that pays moves by what was signed for it and by its result. Assets as in `movesOf`, units base units. */
export interface SignedMove {
  readonly asset: string
  readonly units: bigint
  readonly from: string | null
  readonly to: string
}

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

/** The types of envelopes that are signed, as 32 bits. */
const [single, feeBump] = [2, 5]

/** What stands before an account's key where accounts of other kinds are possible: transactions had none before protocol 13. */
const plainKey = Uint8Array.of(0, 0, 0, 0)

const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

const hashIn = (networkPassphrase: string, type: number, ...body: ReadonlyArray<Uint8Array>): string => {
  const networkId = sha256(new TextEncoder().encode(networkPassphrase))
  return hexOf(sha256(joined([networkId, Uint8Array.of(0, 0, 0, type), ...body])))
}

const memoOf = (memo: xdr.Memo): Memo | null => {
  switch (memo.type) {
    case "memoNone":
      return null
    case "memoText":
      return { type: "text", value: memoText(Uint8Array.from(memo.text.bytes)) }
    case "memoId":
      return { type: "id", value: String(memo.id) }
    case "memoHash":
      return { type: "hash", value: hexOf(memo.hash.toBytes()) }
    case "memoReturn":
      return { type: "return", value: hexOf(memo.retHash.toBytes()) }
  }
}

const signedIn = (networkPassphrase: string, envelope: xdr.TransactionEnvelope): Signed => {
  if (envelope.type === "envelopeTypeTxV0") {
    const { tx } = envelope.v0
    return {
      source: StrKey.encodeEd25519PublicKey(tx.sourceAccountEd25519.toBytes()),
      sequence: tx.seqNum,
      memo: memoOf(tx.memo),
      operations: tx.operations,
      hashes: () => [hashIn(networkPassphrase, single, plainKey, tx.toXdr())]
    }
  }
  const bump = envelope.type === "envelopeTypeTxFeeBump" ? envelope.feeBump.tx : undefined
  const { tx } = envelope.type === "envelopeTypeTxFeeBump" ? envelope.feeBump.tx.innerTx.v1 : envelope.v1
  return {
    source: encodeMuxedAccountToAddress(tx.sourceAccount),
    sequence: tx.seqNum,
    memo: memoOf(tx.memo),
    operations: tx.operations,
    hashes: () => {
      const own = hashIn(networkPassphrase, single, tx.toXdr())
      return bump === undefined ? [own] : [hashIn(networkPassphrase, feeBump, bump.toXdr()), own]
    }
  }
}

/** Reads an envelope in base64; undefined where it cannot be read, as one of a later protocol. */
export const readSigned = (networkPassphrase: string, envelopeXdr: string): Signed | undefined =>
  Result.getOrUndefined(
    Result.try(() => signedIn(networkPassphrase, xdr.TransactionEnvelope.fromXdr(envelopeXdr, "base64")))
  )

/** Horizon's name of an operation: that of the protocol, its words set apart by underscores. */
export const typeOf = ({ body }: xdr.Operation): string =>
  body.type.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)

/** The account that an operation is of, `G…` or `M…`: its own, or that of its transaction. */
export const sourceOf = ({ source }: Signed, { sourceAccount }: xdr.Operation): string =>
  sourceAccount === null ? source : encodeMuxedAccountToAddress(sourceAccount)

/** An account that is not muxed. */
export const accountIn = ({ ed25519 }: xdr.PublicKey): string => StrKey.encodeEd25519PublicKey(ed25519.toBytes())

const issuedIn = ({ assetCode, issuer }: xdr.AlphaNum4 | xdr.AlphaNum12): string =>
  `${new TextDecoder().decode(assetCode.toBytes()).replace(/\0+$/u, "")}:${accountIn(issuer)}`

/** The code as it was signed: the SDK writes `XLM` for what reads so in any case, and anybody may issue an asset `xlm`. */
const assetIn = (asset: xdr.Asset): string => {
  switch (asset.type) {
    case "assetTypeNative":
      return "native"
    case "assetTypeCreditAlphanum4":
      return issuedIn(asset.alphaNum4)
    case "assetTypeCreditAlphanum12":
      return issuedIn(asset.alphaNum12)
  }
}

const moveIn = (signed: Signed, index: number, resultXdr: string): SignedMove | undefined => {
  const wire = signed.operations[index]
  if (wire === undefined) return undefined
  const { body } = wire
  const source = sourceOf(signed, wire)
  const moved = (asset: string, units: bigint | undefined, to: string, from: string | null = source) =>
    // the wire can say less than nothing, which no ledger takes
    units === undefined || units < 0n ? undefined : { asset, units, from, to }
  const movedAlong = (
    { destAsset, destination, path, sendAsset }: xdr.PathPaymentStrictReceiveOp | xdr.PathPaymentStrictSendOp,
    units: bigint | undefined
  ) => {
    const [arrived, to] = [assetIn(destAsset), encodeMuxedAccountToAddress(destination)]
    const from = payerOf({ sent: assetIn(sendAsset), arrived, between: path.length, from: source, to })
    return moved(arrived, units, to, from)
  }
  switch (body.type) {
    case "payment": {
      const { amount, asset, destination } = body.paymentOp
      return moved(assetIn(asset), amount, encodeMuxedAccountToAddress(destination))
    }
    case "pathPaymentStrictReceive":
      return movedAlong(body.pathPaymentStrictReceiveOp, body.pathPaymentStrictReceiveOp.destAmount)
    case "pathPaymentStrictSend":
      return movedAlong(body.pathPaymentStrictSendOp, arrivedUnits(resultXdr, index))
    case "createAccount": {
      const { destination, startingBalance } = body.createAccountOp
      return moved("native", startingBalance, accountIn(destination))
    }
    case "accountMerge":
      return moved("native", mergedUnits(resultXdr, index), encodeMuxedAccountToAddress(body.destination))
    default:
      return undefined
  }
}

/**
 * What the operation at a place, counted from 0, moves by what was signed for it and by its result, in base64; undefined where it is
 * none that pays, or cannot be read.
 */
export const signedMove = (signed: Signed, index: number, resultXdr: string): SignedMove | undefined =>
  Result.getOrUndefined(Result.try(() => moveIn(signed, index, resultXdr)))
