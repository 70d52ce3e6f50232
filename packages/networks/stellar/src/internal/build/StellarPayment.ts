import {
  Account,
  Asset,
  Memo as SdkMemo,
  type MemoType,
  Operation,
  type OperationRecord,
  StrKey,
  Transaction,
  TransactionBuilder,
  xdr
} from "@stellar/stellar-sdk/base"
import type { Memo } from "@bursar/core/port/Chain"
import { Result } from "effect"
import { unitsOf } from "../rpc/wire.ts"

/** What a transaction of ours does. `contract` is code and issuer, null for the network's own coin; units are stroops. */
export type Action =
  | {
      readonly _tag: "Pay"
      readonly from: string
      readonly to: string
      readonly contract: string | null
      readonly units: bigint
    }
  /** Makes the receiver's account out of coin. */
  | { readonly _tag: "Create"; readonly from: string; readonly to: string; readonly units: bigint }
  /** Agrees to hold assets, one operation for each, without a limit of the account's own. */
  | { readonly _tag: "Trust"; readonly from: string; readonly contracts: ReadonlyArray<string> }
  /** Uses up the sequence number and does nothing else. */
  | { readonly _tag: "Nothing" }

/** A transaction of one operation, or of several that agree to hold assets, of the kinds that the service makes. */
export interface StellarPayment {
  /** The account whose sequence number is used up, and which pays the fee. */
  readonly source: string
  readonly sequence: bigint
  /** The most that it pays for all of its operations, in stroops. */
  readonly fee: bigint
  /** Seconds: it can only be in ledgers that close from the first to the second, both included. */
  readonly minTime: number
  readonly maxTime: number
  readonly memo: Memo | null
  readonly action: Action
}

const decimals = 10_000_000n
const textOf = (units: bigint): string => `${units / decimals}.${String(units % decimals).padStart(7, "0")}`

const assetOf = (contract: string | null): Asset => {
  if (contract === null) return Asset.native()
  const [code = "", issuer = ""] = contract.split(":")
  return new Asset(code, issuer)
}

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

const memoFor = (memo: Memo | null): SdkMemo => {
  if (memo === null) return SdkMemo.none()
  switch (memo.type) {
    case "text":
      return SdkMemo.text(memo.value)
    case "id":
      return SdkMemo.id(memo.value)
    case "hash":
      return SdkMemo.hash(memo.value)
    case "return":
      return SdkMemo.return(memo.value)
  }
}

/** Undefined where it is text that is no UTF-8. */
const memoIn = ({ type, value }: SdkMemo<MemoType>): Memo | null | undefined => {
  if (type === "none" || value === null) return null
  if (typeof value === "string") return type === "text" || type === "id" ? { type, value } : undefined
  if (type === "hash" || type === "return") return { type, value: hexOf(value) }
  // a byte order mark is part of the memo
  const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  const text = Result.getOrUndefined(Result.try(() => utf8.decode(value)))
  return type === "text" && text !== undefined ? { type, value: text } : undefined
}

const operationsOf = ({ action, source }: StellarPayment): ReadonlyArray<xdr.Operation> => {
  if (action._tag === "Nothing") return [Operation.bumpSequence({ bumpTo: "0" })]
  const by = action.from === source ? {} : { source: action.from }
  switch (action._tag) {
    case "Trust":
      // Without a limit the SDK writes the largest that there is.
      return action.contracts.map((contract) => Operation.changeTrust({ asset: assetOf(contract), ...by }))
    case "Create":
      return [Operation.createAccount({ destination: action.to, startingBalance: textOf(action.units), ...by })]
    case "Pay":
      return [
        Operation.payment({
          destination: action.to,
          asset: assetOf(action.contract),
          amount: textOf(action.units),
          ...by
        })
      ]
  }
}

/** The transaction as the SDK has it. Throws what the SDK throws: at what the network does not have. */
const built = (stellarPayment: StellarPayment, networkPassphrase: string): Transaction => {
  const operations = operationsOf(stellarPayment)
  const builder = new TransactionBuilder(new Account(stellarPayment.source, String(stellarPayment.sequence - 1n)), {
    // The SDK counts it once for each operation.
    fee: String(stellarPayment.fee / BigInt(operations.length)),
    networkPassphrase,
    timebounds: { minTime: stellarPayment.minTime, maxTime: stellarPayment.maxTime },
    memo: memoFor(stellarPayment.memo)
  })
  for (const operation of operations) builder.addOperation(operation)
  return builder.build()
}

/** The envelope of a transaction, without signatures. */
export const encodePayment = (stellarPayment: StellarPayment, networkPassphrase: string): Uint8Array =>
  built(stellarPayment, networkPassphrase).toEnvelope().toXdr()

const nameOf = (asset: Asset): string => `${asset.getCode()}:${asset.getIssuer()}`

/** Undefined where not all of them agree to hold assets, each another one. The limit is compared by writing them again. */
const trustlinesIn = (source: string, operations: ReadonlyArray<OperationRecord>): Action | undefined => {
  const contracts = operations.flatMap((operation) =>
    operation.type === "changeTrust" && operation.line instanceof Asset && !operation.line.isNative()
      ? [nameOf(operation.line)]
      : []
  )
  return new Set(contracts).size === operations.length
    ? { _tag: "Trust", from: operations[0]?.source ?? source, contracts }
    : undefined
}

const actionIn = (source: string, operations: ReadonlyArray<OperationRecord>): Action | undefined => {
  const [operation, ...others] = operations
  if (operation?.type === "changeTrust") return trustlinesIn(source, operations)
  if (others.length > 0) return undefined
  const from = operation?.source ?? source
  if (operation?.type === "payment") {
    const { amount, asset, destination } = operation
    const contract = asset.isNative() ? null : nameOf(asset)
    return { _tag: "Pay", from, to: destination, contract, units: unitsOf(amount) }
  }
  if (operation?.type === "createAccount") {
    return { _tag: "Create", from, to: operation.destination, units: unitsOf(operation.startingBalance) }
  }
  return operation?.type === "bumpSequence" ? { _tag: "Nothing" } : undefined
}

const transactionIn = (envelope: Uint8Array, networkPassphrase: string): Transaction | undefined =>
  Result.getOrUndefined(Result.try(() => new Transaction(xdr.TransactionEnvelope.fromXdr(envelope), networkPassphrase)))

const paymentIn = (transaction: Transaction): StellarPayment | undefined => {
  const { fee, memo, operations, sequence, source, timeBounds } = transaction
  const action = actionIn(source, operations)
  const said = memoIn(memo)
  if (action === undefined || said === undefined || timeBounds === undefined) return undefined
  return {
    source,
    sequence: BigInt(sequence),
    fee: BigInt(fee),
    minTime: Number(timeBounds.minTime),
    maxTime: Number(timeBounds.maxTime),
    memo: said,
    action
  }
}

/** A transaction that was read, with what has to be signed. */
export interface DecodedPayment {
  readonly stellarPayment: StellarPayment
  readonly hash: Uint8Array
}

const unsupported =
  "it is not one plain payment, one new account, agreements to hold assets without a limit, or nothing at all, each with a time until which it is valid"

const isAccount = (text: string): boolean => StrKey.isValidEd25519PublicKey(text)

/**
 * Reads an envelope without signatures, or says why it will not. What was understood is written again and compared, so that
 * nothing of the bytes goes unread: no further condition, operation, signer or signature.
 */
export const decodePayment = (bytes: Uint8Array, networkPassphrase: string): Result.Result<DecodedPayment, string> => {
  const transaction = transactionIn(bytes, networkPassphrase)
  if (transaction === undefined) return Result.fail("these bytes are no transaction of stellar")
  // The SDK reads its parts when asked, and throws at some that the network would refuse.
  const stellarPayment = Result.getOrUndefined(Result.try(() => paymentIn(transaction)))
  if (stellarPayment === undefined) return Result.fail(unsupported)
  const again = Result.getOrUndefined(Result.try(() => encodePayment(stellarPayment, networkPassphrase)))
  if (again === undefined || hexOf(again) !== hexOf(bytes)) return Result.fail(unsupported)
  const { action, maxTime, source } = stellarPayment
  if (maxTime === 0) return Result.fail("it never expires")
  if (!isAccount(source)) return Result.fail("its sequence number is not that of a plain account")
  if (action._tag !== "Nothing" && !isAccount(action.from)) return Result.fail("its payer is not a plain account")
  if ((action._tag === "Pay" || action._tag === "Create") && action.units === 0n) {
    return Result.fail("it transfers nothing")
  }
  if (action._tag === "Trust" && stellarPayment.memo !== null) return Result.fail("an agreement has no memo")
  return Result.succeed({ stellarPayment, hash: transaction.hash() })
}

/** A signature over a transaction's hash, with the key that made it. */
export interface EnvelopeSignature {
  readonly publicKey: Uint8Array
  readonly bytes: Uint8Array
}

/** How much of a key goes before its signature, to find it by. */
const hintBytes = 4

/** The envelope with its signatures, as it is broadcast. */
export const withSignatures = (
  bytes: Uint8Array,
  networkPassphrase: string,
  signatures: ReadonlyArray<EnvelopeSignature>
): Uint8Array => {
  const transaction = new Transaction(xdr.TransactionEnvelope.fromXdr(bytes), networkPassphrase)
  for (const signature of signatures) {
    const hint = signature.publicKey.subarray(-hintBytes)
    transaction.addDecoratedSignature(
      new xdr.DecoratedSignature({ hint: Uint8Array.from(hint), signature: signature.bytes })
    )
  }
  return transaction.toEnvelope().toXdr()
}

/** Reads an envelope with its signatures, whose hash is the same without them. */
export const decodeSigned = (raw: Uint8Array, networkPassphrase: string): Result.Result<DecodedPayment, string> => {
  const transaction = transactionIn(raw, networkPassphrase)
  if (transaction === undefined) return Result.fail("these bytes are no transaction of stellar")
  transaction.signatures.splice(0)
  return decodePayment(transaction.toEnvelope().toXdr(), networkPassphrase)
}

/** The hash by which the network knows a transaction. */
export const hashOf = ({ hash }: DecodedPayment): string => hexOf(hash)
