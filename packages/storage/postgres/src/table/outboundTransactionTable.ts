import {
  OutboundTransaction,
  type OutboundPayment,
  transactionOutcomes,
  transactionPurposes,
  expediteActions
} from "@bursar/core/transaction/OutboundTransaction"
import { transactionPhases } from "@bursar/core/transaction/TransactionMachine"
import type { ReplayGuard } from "@bursar/core/port/ChainSender"
import type { Outpoint, Utxo } from "@bursar/core/port/Utxo"
import * as Cell from "../internal/cells.ts"
import type { Row } from "../internal/cells.ts"
import { bool, int8, json, numeric, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { bigintColumn, column, groupColumn, type RecordTable, seldom } from "../internal/Table.ts"
import { memoOf } from "./memoOf.ts"

type Stored<A extends { readonly units: bigint }> = Omit<A, "units"> & { readonly units: string }

const store = <A extends { readonly units: bigint }>(one: A): Stored<A> => ({ ...one, units: one.units.toString() })

const outpointOf = ({ txHash, vout }: Row): Outpoint => ({ txHash: Cell.text(txHash), vout: Cell.int(vout) })

const utxoOf = (utxo: Row): Utxo => ({
  ...outpointOf(utxo),
  units: Cell.units(utxo.units),
  address: Cell.text(utxo.address),
  ...(utxo.publicKey === undefined ? {} : { publicKey: Cell.text(utxo.publicKey) })
})

/** The replay guard of a row of the table. */
export const guardOf = (row: Row): ReplayGuard => {
  if (row.guard_sequence !== null) {
    return { _tag: "Sequence", account: Cell.text(row.guard_account), sequence: Cell.units(row.guard_sequence) }
  }
  if (row.guard_utxos === null) return { _tag: "Expiry" }
  return { _tag: "Utxos", utxos: Cell.objects(row.guard_utxos, utxoOf) }
}

const paymentOf = ({ contract = null, memo, operationId = null, to, units }: Row): OutboundPayment => ({
  to: Cell.text(to),
  contract: Cell.textOrNull(contract),
  units: Cell.units(units),
  memo: memoOf(memo),
  operationId: Cell.textOrNull(operationId)
})

/** The uses of tokens. */
export const outboundTransactionTable: RecordTable<OutboundTransaction> = {
  name: "outbound_transaction",
  key: ["transaction_id"],
  keyType: uuid,
  columns: [
    column("transaction_id", uuid, ({ id }) => id),
    column(groupColumn, text, OutboundTransaction.group),
    column("network", text, ({ network }) => network),
    column("purpose", text, ({ purpose }) => purpose),
    column("wallet_id", uuid, ({ walletId }) => walletId),
    column("paid_from", text, ({ from }) => from),
    column("guard_account", text, ({ guard }) => (guard._tag === "Sequence" ? guard.account : null)),
    column("guard_sequence", numeric, ({ guard }) => (guard._tag === "Sequence" ? guard.sequence.toString() : null)),
    column("guard_utxos", json, ({ guard }) => (guard._tag === "Utxos" ? guard.utxos.map(store) : null)),
    column("counter_id", uuid, ({ counterId }) => counterId),
    column("payments", json, ({ payments }) => payments.map(store)),
    column("trustlines", json, ({ trustlines }) => trustlines),
    column("drain", bool, ({ drain }) => drain),
    bigintColumn("salt", int8, ({ salt }) => salt),
    column("phase", text, ({ phase }) => phase),
    column("outcome", text, ({ outcome }) => outcome),
    column("hashes", json, ({ hashes }) => hashes),
    column("fee_max", numeric, ({ feeMax }) => feeMax.toString()),
    column("cancelled", json, ({ cancelled }) => cancelled),
    column("asked", text, ({ asked }) => asked),
    column("problem", text, ({ problem }) => problem),
    column("reserved_at", timestamptz, ({ reservedAt }) => reservedAt),
    column("signed_at", timestamptz, ({ signedAt }) => signedAt),
    column("sent_at", timestamptz, ({ sentAt }) => sentAt),
    column("last_sent_at", timestamptz, ({ lastSentAt }) => lastSentAt),
    bigintColumn("block_number", int8, ({ blockNumber }) => blockNumber),
    column("fee", numeric, ({ fee }) => fee?.toString() ?? null),
    ...seldom<OutboundTransaction>("freed", [
      column("freed", json, ({ freed }) => (freed.length === 0 ? null : freed))
    ]),
    ...seldom<OutboundTransaction>("given up", [
      bigintColumn("given_up_after", int8, ({ givenUpAfter }) => givenUpAfter)
    ]),
    ...seldom<OutboundTransaction>("being signed", [
      column("signing_until", timestamptz, ({ signingUntil }) => signingUntil)
    ]),
    column("ended_at", timestamptz, ({ endedAt }) => endedAt)
  ],
  read: (row) => ({
    id: Cell.text(row.transaction_id),
    network: Cell.text(row.network),
    purpose: Cell.oneOf(transactionPurposes, row.purpose),
    walletId: Cell.textOrNull(row.wallet_id),
    from: Cell.text(row.paid_from),
    guard: guardOf(row),
    counterId: Cell.textOrNull(row.counter_id),
    payments: Cell.objects(row.payments, paymentOf),
    trustlines: Cell.texts(row.trustlines),
    drain: Cell.flag(row.drain),
    salt: Cell.int(row.salt),
    phase: Cell.oneOf(transactionPhases, row.phase),
    outcome: row.outcome === null ? null : Cell.oneOf(transactionOutcomes, row.outcome),
    hashes: Cell.texts(row.hashes),
    feeMax: Cell.units(row.fee_max),
    cancelled: Cell.texts(row.cancelled),
    givenUpAfter: Cell.intOrNull(row.given_up_after),
    signingUntil: Cell.atOrNull(row.signing_until),
    asked: row.asked === null ? null : Cell.oneOf(expediteActions, row.asked),
    problem: Cell.textOrNull(row.problem),
    reservedAt: Cell.at(row.reserved_at),
    signedAt: Cell.atOrNull(row.signed_at),
    sentAt: Cell.atOrNull(row.sent_at),
    lastSentAt: Cell.atOrNull(row.last_sent_at),
    blockNumber: Cell.intOrNull(row.block_number),
    fee: row.fee === null ? null : Cell.units(row.fee),
    freed: row.freed === null ? [] : Cell.objects(row.freed, outpointOf),
    endedAt: Cell.atOrNull(row.ended_at)
  })
}
