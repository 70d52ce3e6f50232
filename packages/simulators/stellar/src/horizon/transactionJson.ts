import type { Memo, Transaction } from "@stellar/stellar-sdk/base"
import type { Found } from "../Chain.ts"
import { accountOf, muxedOf } from "../address.ts"
import type { JsonObject } from "../json.ts"
import { feeMaxOf } from "../Submission.ts"
import { toid } from "../toid.ts"
import { link, pagedLink, timeText } from "./links.ts"

const base64 = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString("base64")

/** The muxed form of an address and its id in fields of their own, where it is muxed. */
const muxedJson = (name: string, address: string): JsonObject => {
  const muxed = muxedOf(address)
  return muxed === undefined ? {} : { [`${name}_muxed`]: muxed.address, [`${name}_muxed_id`]: muxed.id }
}

/** An address in fields of its own: the account, and where it is muxed the muxed form and its id. */
export const addressJson = (name: string, address: string): JsonObject => ({
  [name]: accountOf(address),
  ...muxedJson(name, address)
})

const memoJson = ({ type, value }: Memo): JsonObject => {
  if (type === "none" || value === null) return { memo_type: "none" }
  if (type === "text")
    return { memo_type: "text", memo: Buffer.from(value).toString("utf8"), memo_bytes: base64(value) }
  return { memo_type: type, memo: type === "id" ? String(value) : base64(value) }
}

const preconditionsJson = (signed: Transaction): JsonObject | undefined => {
  const { ledgerBounds, minAccountSequence, timeBounds } = signed
  if (timeBounds === undefined && ledgerBounds === undefined && minAccountSequence === undefined) return undefined
  return {
    timebounds:
      timeBounds === undefined
        ? undefined
        : { min_time: timeBounds.minTime, max_time: timeBounds.maxTime === "0" ? undefined : timeBounds.maxTime },
    ledgerbounds:
      ledgerBounds === undefined
        ? undefined
        : { min_ledger: ledgerBounds.minLedger, max_ledger: ledgerBounds.maxLedger },
    min_account_sequence: minAccountSequence
  }
}

const signaturesJson = ({ signatures }: { readonly signatures: Transaction["signatures"] }) =>
  signatures.map(({ signature }) => base64(signature.toBytes()))

/** A transaction as Horizon writes it, under the hash by which it was asked for: its own, or that of the one inside it. */
export const transactionJson = (base: string, { executed, ledger }: Found, askedAs?: string): JsonObject => {
  const { submission } = executed
  const { bump, inner } = submission
  const hash = askedAs === inner.hash ? inner.hash : submission.hash
  const token = toid(ledger.sequence, executed.order).toString()
  const self = `${base}/transactions/${hash}`
  return {
    _links: {
      self: link(self),
      account: link(`${base}/accounts/${accountOf(inner.source)}`),
      ledger: link(`${base}/ledgers/${ledger.sequence}`),
      operations: pagedLink(`${self}/operations`),
      effects: pagedLink(`${self}/effects`),
      precedes: link(`${base}/transactions?order=asc&cursor=${token}`),
      succeeds: link(`${base}/transactions?order=desc&cursor=${token}`),
      transaction: link(self)
    },
    id: hash,
    paging_token: token,
    successful: executed.successful,
    hash,
    ledger: ledger.sequence,
    created_at: timeText(ledger.time),
    source_account: accountOf(inner.source),
    // Horizon's names of these leave out the source.
    ...muxedJson("account", inner.source),
    source_account_sequence: inner.sequence.toString(),
    ...addressJson("fee_account", bump?.source ?? inner.source),
    fee_charged: executed.feeCharged.toString(),
    max_fee: feeMaxOf(submission).toString(),
    operation_count: inner.operations.length,
    envelope_xdr: submission.envelope,
    result_xdr: executed.resultXdr,
    result_meta_xdr: executed.metaXdr,
    fee_meta_xdr: executed.feeMetaXdr,
    ...memoJson(inner.signed.memo),
    signatures: signaturesJson(hash === inner.hash ? inner.signed : (bump?.signed ?? inner.signed)),
    preconditions: preconditionsJson(inner.signed),
    fee_bump_transaction:
      bump === undefined ? undefined : { hash: submission.hash, signatures: signaturesJson(bump.signed) },
    inner_transaction:
      bump === undefined
        ? undefined
        : { hash: inner.hash, signatures: signaturesJson(inner.signed), max_fee: inner.fee.toString() }
  }
}
