import { isUuid } from "@bursar/core/base/uuid"
import type { SubjectKind, SubjectRange, SubjectRows } from "@bursar/core/checker/subjects"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { type ReadTable, selectList } from "../internal/Table.ts"
import { bookedIncomingTable } from "../table/bookedIncomingTable.ts"
import { customerTable } from "../table/customerTable.ts"
import { depositTable } from "../table/depositTable.ts"
import { eventTable } from "../table/eventTable.ts"
import { fiatAccountTable } from "../table/fiatAccountTable.ts"
import { idempotencyRecordTable } from "../table/idempotencyRecordTable.ts"
import { jobTable } from "../table/jobTable.ts"
import { legTable } from "../table/legTable.ts"
import { operationTable } from "../table/operationTable.ts"
import { outboundTransactionTable } from "../table/outboundTransactionTable.ts"
import { payoutTable } from "../table/payoutTable.ts"
import { quoteTable } from "../table/quoteTable.ts"
import { sweepableDepositTable } from "../table/sweepableDepositTable.ts"
import { sweepTable } from "../table/sweepTable.ts"
import { transactionAttemptTable } from "../table/transactionAttemptTable.ts"
import { walletUtxoTable } from "../table/walletUtxoTable.ts"

/** Where the rows of each kind stand. */
export const filedTables: { readonly [K in SubjectKind]: ReadTable<SubjectRows[K]> } = {
  customer: customerTable,
  account: fiatAccountTable,
  operation: operationTable,
  quote: quoteTable,
  incoming: bookedIncomingTable,
  transaction: outboundTransactionTable,
  payout: payoutTable,
  attempt: transactionAttemptTable,
  utxo: walletUtxoTable,
  sweepable: sweepableDepositTable,
  sweep: sweepTable,
  job: jobTable,
  leg: legTable,
  event: eventTable,
  deposit: depositTable,
  idempotencyRecord: idempotencyRecordTable
}

/** One way in which rows of a kind, `t`, are filed: under what `subjectsOf` says, or beside a row `x` that names them. */
export interface Filing {
  readonly kind: SubjectKind
  /** The subject in SQL; null where the row has none of this sort. */
  readonly subject: string
  /** What it is read from; the table of the kind alone where absent. */
  readonly from?: string
  /** Whether the subject is a column of type uuid, whose order is that of its text. */
  readonly isId?: true
  readonly beside?: true
  /** The order of the rows of one subject, where it matters. */
  readonly within?: string
}

const id = (kind: SubjectKind, column: string): Filing => ({ kind, subject: `t.${column}`, isId: true })

/** The elements of a column; none where it holds something else. */
const each = (column: string, element: string): string =>
  `json_array_elements(case when json_typeof(${column}) = 'array' then ${column} else '[]' end) ${element}`

const tableOf = (kind: SubjectKind): string => `${filedTables[kind].name} t`

/** A text as an id; null where it is none. */
const asId = (text: string): string =>
  `case when ${text} ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then (${text})::uuid end`

const sweepableOf = (element: string): string =>
  `(${element}->>'network') || '|' || (${element}->>'txHash') || '|' || (${element}->>'transferIndex')`

/** The rows of a kind that are named by rows of another, of the same tenant. */
const named = (kind: SubjectKind, by: SubjectKind, on: string, lateral?: string): string =>
  `${filedTables[by].name} x ${lateral === undefined ? "" : `cross join lateral ${lateral} `}join ${tableOf(kind)} on t.tenant_id = x.tenant_id and ${on}`

/** All ways in which rows are filed: as `subjectsOf` says, and then beside what names them. */
export const filings: ReadonlyArray<Filing> = [
  id("customer", "customer_id"),
  id("account", "account_id"),
  id("operation", "operation_id"),
  { kind: "operation", subject: "t.details->>'quote_id'" },
  { kind: "operation", subject: "t.details->>'reverses'" },
  { kind: "operation", subject: "t.details->>'refund_of'" },
  { kind: "operation", subject: "t.details->>'assigns'" },
  { kind: "operation", subject: "t.details->>'succeeds'" },
  id("quote", "quote_id"),
  id("incoming", "operation_id"),
  id("transaction", "transaction_id"),
  {
    kind: "transaction",
    subject: "e->>'operationId'",
    from: `${tableOf("transaction")} cross join lateral ${each("t.payments", "e")}`
  },
  { kind: "transaction", subject: "'sequence:' || t.network || '|' || t.guard_account || '|' || t.guard_sequence" },
  {
    kind: "transaction",
    subject: "'utxo:' || t.network || '|' || (e->>'txHash') || ':' || (e->>'vout')",
    from: `${tableOf("transaction")} cross join lateral ${each("case when t.guard_sequence is null then t.guard_utxos end", "e")}`
  },
  id("payout", "operation_id"),
  id("attempt", "transaction_id"),
  { kind: "utxo", subject: "'utxo:' || t.utxo_key" },
  { kind: "sweepable", subject: "'sweepable:' || t.sweepable_deposit_key" },
  id("sweepable", "deposit_id"),
  id("sweep", "sweep_id"),
  id("sweep", "sweep_transaction_id"),
  {
    kind: "sweep",
    subject: `'sweepable:' || ${sweepableOf("e")}`,
    from: `${tableOf("sweep")} cross join lateral ${each("t.deposits", "e")}`
  },
  { kind: "job", subject: "substring(t.key from '[^|]*$')" },
  { ...id("leg", "operation_id"), within: "t.posting_seq, t.ordinal" },
  { ...id("event", "resource_id"), within: "t.event_id" },
  id("deposit", "deposit_id"),
  id("deposit", "credited_by"),
  { kind: "idempotencyRecord", subject: "coalesce(t.resource_id, 'key:' || t.key)" },
  {
    kind: "account",
    subject: "x.operation_id::text",
    from: named("account", "operation", `t.account_id = ${asId("x.details->>'account_id'")}`),
    beside: true
  },
  {
    kind: "transaction",
    subject: "x.operation_id::text",
    from: named("transaction", "payout", "t.transaction_id = x.transaction_id"),
    beside: true
  },
  {
    kind: "operation",
    subject: "x.transaction_id::text",
    from: named("operation", "transaction", `t.operation_id = ${asId("e->>'operationId'")}`, each("x.payments", "e")),
    beside: true
  },
  {
    kind: "transaction",
    subject: "x.sweep_id::text",
    from: named("transaction", "sweep", "t.transaction_id = x.sweep_transaction_id"),
    beside: true
  },
  {
    kind: "sweepable",
    subject: "x.sweep_id::text",
    from: named("sweepable", "sweep", `t.sweepable_deposit_key = ${sweepableOf("e")}`, each("x.deposits", "e")),
    beside: true
  }
]

/** The column of the subject of a row that is filed. */
export const subjectColumn = "filed_under"

/** The column of the digest of a row that is filed. */
export const digestColumn = "filed_digest"

/** A text as it stands in a statement, of a session whose `standard_conforming_strings` is on. */
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

const textOf = ({ isId, subject }: Filing): string => `(${isId ? `${subject}::text` : subject}) collate "C"`

const bound = (filing: Filing, sign: "<" | ">=", subject: string): string =>
  filing.isId && isUuid(subject)
    ? `${filing.subject} ${sign} ${literal(subject)}::uuid`
    : `${textOf(filing)} ${sign} ${literal(subject)}`

/** Which rows are of the tenant and have a subject of this sort. The tenant's id is one: it stands in the text. */
const standing = (filing: Filing, tenantId: TenantId): string =>
  [
    `t.tenant_id = ${literal(tenantId)}`,
    ...(filing.beside ? [`x.tenant_id = ${literal(tenantId)}`] : []),
    `${filing.subject} is not null`
  ].join(" and ")

/** Everything that stands in a row, as one number. */
const digest = (seed: number): string => `hashtextextended(t::text, ${Math.trunc(seed)})`

/** What a cursor reads that is filed in one way under the subjects of a range, in their order. */
export const filedText = (
  filing: Filing,
  tenantId: TenantId,
  { from, to }: SubjectRange,
  seed: number | null
): string => {
  const where = [
    standing(filing, tenantId),
    ...(from === "" ? [] : [bound(filing, ">=", from)]),
    ...(to === null ? [] : [bound(filing, "<", to)])
  ]
  const order = [filing.isId ? filing.subject : textOf(filing), ...(filing.within === undefined ? [] : [filing.within])]
  return `select ${selectList(filedTables[filing.kind], "t")}, ${textOf(filing)} as ${subjectColumn},
      ${seed === null ? "null" : digest(seed)} as ${digestColumn}
    from ${filing.from ?? tableOf(filing.kind)} where ${where.join(" and ")} order by ${order.join(", ")}`
}

/** How many rows are filed in one way between each two of the subjects `$1`, and the sum of their digests. */
export const digestText = (filing: Filing, tenantId: TenantId, seed: number): string =>
  `select width_bucket(${textOf(filing)}, $1::text[]) as place, count(*) as filed, sum(${digest(seed)}) as digest
    from ${filing.from ?? tableOf(filing.kind)} where ${standing(filing, tenantId)} group by 1`
