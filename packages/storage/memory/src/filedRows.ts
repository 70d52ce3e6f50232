import { BookedIncoming, FiatAccount } from "@bursar/core/account/FiatAccount"
import {
  type Filed,
  isWithin,
  type SubjectKind,
  type SubjectRange,
  type SubjectRows,
  subjectsOf,
  sweepableSubject
} from "@bursar/core/checker/subjects"
import { Customer } from "@bursar/core/customer/Customer"
import { Deposit } from "@bursar/core/deposit/Deposit"
import type { Job } from "@bursar/core/engine/Job"
import type { RecordDefinition } from "@bursar/core/engine/Records"
import { IdempotencyRecord } from "@bursar/core/idempotency/IdempotencyRecord"
import { Operation } from "@bursar/core/operation/Operation"
import { Payout } from "@bursar/core/payout/Payout"
import { Quote } from "@bursar/core/pricing/Quote"
import { Sweep } from "@bursar/core/sweep/Sweep"
import { SweepableDeposit } from "@bursar/core/sweep/SweepableDeposit"
import { operationsOf, OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { WalletUtxo } from "@bursar/core/transaction/WalletUtxo"
import { compareText } from "./byAge.ts"
import { recordsOf, type TenantRecords } from "./Store.ts"

/** The rows of a tenant by kind. */
export type RowsByKind = { readonly [K in SubjectKind]: ReadonlyArray<SubjectRows[K]> }

/** The rows that are filed, of a tenant and of its jobs. */
export const rowsByKind = (tenant: TenantRecords, jobs: ReadonlyArray<Job>): RowsByKind => {
  const all = <A, K>(of: RecordDefinition<A, K>): ReadonlyArray<A> => [...recordsOf(tenant, of).values()]
  return {
    customer: all(Customer),
    account: all(FiatAccount),
    operation: all(Operation),
    quote: all(Quote),
    incoming: all(BookedIncoming),
    transaction: all(OutboundTransaction),
    payout: all(Payout),
    attempt: all(TransactionAttempt),
    utxo: all(WalletUtxo),
    sweepable: all(SweepableDeposit),
    sweep: all(Sweep),
    job: jobs,
    leg: [...tenant.legs],
    event: [...tenant.events],
    deposit: all(Deposit),
    idempotencyRecord: all(IdempotencyRecord)
  }
}

/** A number that stands for everything in a row. */
const digestOf = (row: unknown, seed: number): bigint => {
  const written = JSON.stringify(row, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value))
  let digest = BigInt(Math.trunc(seed))
  for (let at = 0; at < written.length; at++)
    digest = BigInt.asUintN(64, (digest ^ BigInt(written.charCodeAt(at))) * 1_099_511_628_211n)
  return digest
}

const filedAs = <K extends SubjectKind>(
  kind: K,
  rows: RowsByKind[K],
  subjects: (row: SubjectRows[K]) => ReadonlyArray<string>,
  beside: boolean
): ReadonlyArray<Filed> =>
  rows.flatMap((row) =>
    // a row of its kind
    subjects(row).map((subject) => ({ kind, subject, row, beside, digest: null }) as unknown as Filed)
  )

/** For each key the ids of those that name it. */
const inverted = <A>(rows: ReadonlyArray<A>, id: (row: A) => string, names: (row: A) => ReadonlyArray<string>) => {
  const by = new Map<string, Array<string>>()
  for (const row of rows) for (const name of names(row)) by.set(name, [...(by.get(name) ?? []), id(row)])
  return (name: string): ReadonlyArray<string> => by.get(name) ?? []
}

/** All that is filed under the subjects of a range, by subject. */
export const filedRows = (all: RowsByKind, range: SubjectRange, seed: number | null): ReadonlyArray<Filed> => {
  const ofAccount = inverted(
    all.operation,
    ({ id }) => id,
    ({ details }) => [String(details.account_id)]
  )
  const ofTransaction = inverted(
    all.payout,
    ({ operationId }) => operationId,
    ({ transactionId }) => [transactionId ?? ""]
  )
  const ofPaid = inverted(all.transaction, ({ id }) => id, operationsOf)
  const ofMove = inverted(
    all.sweep,
    ({ id }) => id,
    ({ sweepTransactionId }) => [sweepTransactionId ?? ""]
  )
  const ofSwept = inverted(
    all.sweep,
    ({ id }) => id,
    ({ deposits }) => deposits.map(sweepableSubject)
  )
  const own = <K extends SubjectKind>(kind: K) => filedAs(kind, all[kind], subjectsOf[kind], false)
  // the keys of a closed record
  return [
    ...(Object.keys(subjectsOf) as ReadonlyArray<SubjectKind>).flatMap((kind) => own(kind)),
    ...filedAs("account", all.account, ({ id }) => ofAccount(id), true),
    ...filedAs("transaction", all.transaction, ({ id }) => [...ofTransaction(id), ...ofMove(id)], true),
    ...filedAs("operation", all.operation, ({ id }) => ofPaid(id), true),
    ...filedAs("sweepable", all.sweepable, (one) => ofSwept(sweepableSubject(one)), true)
  ]
    .filter(({ subject }) => isWithin(range, subject))
    .map((one) => (seed === null ? one : { ...one, digest: digestOf(one.row, seed) }))
    .toSorted((left, right) => compareText(left.subject, right.subject))
}
