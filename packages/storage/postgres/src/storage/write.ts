import type { Loaded } from "@bursar/core/engine/runBatch"
import type { JobEntry } from "@bursar/core/engine/JobEntry"
import type { WriteSet } from "@bursar/core/engine/WriteSet"
import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { PostedLeg } from "@bursar/core/ledger/Leg"
import { Operation } from "@bursar/core/operation/Operation"
import { StorageError } from "@bursar/core/engine/StorageError"
import { Data, Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { arrayParameter, bool, int8, parameter, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { type MappedRecord, mappedIn, type PutStatement, type RecordMapping } from "../internal/MappedRecord.ts"
import { inserting, type Statement } from "../internal/Table.ts"
import type { Answer, Transaction } from "../internal/Transaction.ts"
import { balanceTable } from "../table/balanceTable.ts"
import { eventTable } from "../table/eventTable.ts"
import { legTable } from "../table/legTable.ts"
import { mappedRecords } from "../table/recordTables.ts"
import { tenantTable } from "../table/tenantTable.ts"
import { keyOwnership } from "./keyOwnership.ts"
import { receiptStatement } from "./receipts.ts"
import { totalsChange } from "./totalsChange.ts"

/** Another tenant took an address, or a key that is unique, after this batch had found it free. */
export class Taken extends Data.TaggedError("Taken")<{ readonly what: string }> {}

const statements = {
  head: `with receipt as (${receiptStatement})
    update tenant_head set change_seq = $2, event_id = $3, posting_seq = $4, last_at = $5 where tenant_id = $1`,
  free: `delete from address_directory d using unnest($2::text[], $3::text[]) as f(network, address)
    where d.address = f.address and d.network = f.network and d.tenant_id = $1`,
  // ordered, so that two tenants that claim the same addresses at once do not deadlock
  claim: `insert into address_directory (address, network, tenant_id, address_id, claimed_at, wallet)
    select c.address, c.network, $1::uuid, c.address_id, $5::timestamptz, c.wallet
    from unnest($2::text[], $3::text[], $4::uuid[], $6::bool[]) as c(network, address, address_id, wallet)
    order by c.address, c.network
    on conflict (address, network) do update set address_id = excluded.address_id, claimed_at = excluded.claimed_at,
      wallet = excluded.wallet
    where address_directory.tenant_id = excluded.tenant_id returning 1`,
  jobPut: `insert into job (tenant_id, queue, key, due_at)
    select $1::uuid, a.queue, a.key, a.due_at from unnest($2::text[], $3::text[], $4::timestamptz[]) as a(queue, key, due_at)
    on conflict (tenant_id, queue, key) do update set due_at = excluded.due_at`,
  // as \`dueAfter\` says, of the row as it is once its lock is held: a hint may be at it
  jobMoveOn: `update job j
    set due_at = case when j.due_at < a.put_off_to then least(j.due_at, a.due_at) else a.due_at end
    from unnest($2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[]) as a(queue, key, due_at, put_off_to)
    where j.tenant_id = $1 and j.queue = a.queue and j.key = a.key`,
  jobPutMissing: `insert into job (tenant_id, queue, key, due_at)
    select $1::uuid, a.queue, a.key, a.due_at from unnest($2::text[], $3::text[], $4::timestamptz[]) as a(queue, key, due_at)
    on conflict (tenant_id, queue, key) do nothing`,
  jobDrop: `delete from job a using unnest($2::text[], $3::text[]) as d(queue, key)
    where a.tenant_id = $1 and a.queue = d.queue and a.key = d.key`
}

const put = {
  tenant: inserting(tenantTable, "replace"),
  legs: inserting(legTable, "fail"),
  balances: inserting(balanceTable, "replace"),
  events: inserting(eventTable, "fail")
}

/** In the order of their key, so that neighbours are written to the same page of its index. */
const sorted = (legs: ReadonlyArray<PostedLeg>): ReadonlyArray<PostedLeg> =>
  legs.toSorted((one, other) =>
    one.account < other.account
      ? -1
      : one.account > other.account
        ? 1
        : one.currency < other.currency
          ? -1
          : one.currency > other.currency
            ? 1
            : one.version - other.version
  )

const placesOf = (entries: ReadonlyArray<JobEntry>) => [
  arrayParameter(
    text,
    entries.map(({ queue }) => queue)
  ),
  arrayParameter(
    text,
    entries.map(({ key }) => key)
  )
]

const nothing: ReadonlySet<string> = new Set()

const momentsOf = (moments: ReadonlyArray<Timestamp | null | undefined>) => arrayParameter(timestamptz, moments)

/** What is written of jobs, each with its parameters after the tenant. */
const jobStatements = (jobs: WriteSet["jobs"]): ReadonlyArray<Statement> => {
  const dropped = jobs.filter(({ dueAt }) => dueAt === null)
  const set = jobs.filter(({ dueAt, putOffTo }) => dueAt !== null && putOffTo === undefined)
  const movedOn = jobs.filter(({ dueAt, putOffTo }) => dueAt !== null && putOffTo !== undefined)
  const scheduled = (entries: WriteSet["jobs"]) => [...placesOf(entries), momentsOf(entries.map(({ dueAt }) => dueAt))]
  const until = momentsOf(movedOn.map(({ putOffTo }) => putOffTo))
  return [
    ...(dropped.length === 0 ? [] : [{ sql: statements.jobDrop, parameters: placesOf(dropped) }]),
    ...(set.length === 0 ? [] : [{ sql: statements.jobPut, parameters: scheduled(set) }]),
    ...(movedOn.length === 0
      ? []
      : [
          { sql: statements.jobMoveOn, parameters: [...scheduled(movedOn), until] },
          { sql: statements.jobPutMissing, parameters: scheduled(movedOn) }
        ])
  ]
}

/** What is written of each kind, in the order in which kinds are written: what others name stands before them. */
const inOrder = (mapping: RecordMapping, written: WriteSet["records"]) => {
  const places = [...mapping.keys()]
  return written
    .map(({ of, records }) => ({ mapped: mappedIn(mapping, of), records, place: places.indexOf(of.name) }))
    .toSorted((one, other) => one.place - other.place)
}

const unstorable = (cause: unknown) => new StorageError({ doing: "commit", cause, unstorable: true })

/** Kinds whose tables are ours: what is put comes back as it was. Others are asked, for a column, a domain or a trigger may spell it otherwise. */
const ours: ReadonlySet<MappedRecord> = new Set(mappedRecords)

/** Fails where what was put would not be found again under its key. */
const findAgain = Effect.fnUntraced(function* (
  mapped: MappedRecord,
  records: ReadonlyArray<unknown>,
  answer: Answer
): Effect.fn.Return<void, SqlError | StorageError> {
  const { rows } = yield* answer
  const key = yield* Effect.try({ try: () => mapped.missing(records, rows), catch: unstorable })
  if (key === undefined) return
  return yield* unstorable(new Error(`the table of ${mapped.of.name} gives the key ${key} back in another spelling`))
})

/** From this many records on, the server gets to work on them while the next statement is being made. */
const worthItsOwnPacket = 32

/** How a batch is written. */
export interface WriteOptions {
  /** The tables of all kinds of records. */
  readonly mapping: RecordMapping
  /** The batch's own: its receipt is found by it. */
  readonly batchId: string
  /** Whether what is put and was not read is taken for new. */
  readonly trusting: boolean
}

/**
 * Sends all that a batch writes, one statement per kind in the order of the mapping, then COMMIT. Where something of another
 * tenant could be in the way, it looks before it commits and fails with Taken. Sends nothing where a key could not be found again.
 */
export const write = Effect.fnUntraced(function* (
  { commit, flush, send }: Transaction,
  loaded: Loaded,
  writes: WriteSet,
  { batchId, mapping, trusting }: WriteOptions
): Effect.fn.Return<void, SqlError | StorageError | Taken> {
  const { head, tenantId } = writes
  const tenant = parameter(uuid, tenantId)
  const answers: Array<Answer> = []
  const checks: Array<Effect.Effect<void, SqlError | StorageError>> = []
  const run = Effect.fnUntraced(function* (sql: string, parameters: ReadonlyArray<unknown>) {
    answers.push(yield* send(sql, parameters))
  })
  const putCounted = ({ count, parameters, sql }: PutStatement) =>
    count < worthItsOwnPacket ? run(sql, parameters) : Effect.andThen(run(sql, parameters), flush)
  const putAll = <A>(
    statement: (tenant: typeof tenantId, records: ReadonlyArray<A>) => Statement,
    records: ReadonlyArray<A>
  ) => (records.length === 0 ? Effect.void : putCounted({ ...statement(tenantId, records), count: records.length }))
  const claim = Effect.fnUntraced(function* (
    what: string,
    sql: string,
    count: number,
    parameters: ReadonlyArray<unknown>
  ) {
    if (count === 0) return
    yield* run(sql, parameters)
    // in their order: the first that failed says what was wrong, the others only that the transaction had failed
    const claimed = (yield* Effect.all(answers)).at(-1)
    // what was written says so itself; what a command's tag counts is the server's affair
    const rows = claimed?.rows ?? []
    if (rows.length !== count) return yield* new Taken({ what })
  })

  const written = inOrder(mapping, writes.records)
  for (const { mapped, records } of written) {
    const key = mapped.impossible(records)
    if (key === undefined) continue
    return yield* unstorable(
      new Error(`the table of ${mapped.of.name} cannot hold the key ${key}, or would give it back in another spelling`)
    )
  }
  const totals = totalsChange(writes, loaded.records.get(Operation.name), trusting)
  for (const one of totals.before) yield* run(one.sql, one.parameters)
  for (const { mapped, records } of written) {
    const known = loaded.records.get(mapped.of.name) ?? nothing
    const heads = { before: loaded.head, after: head }
    // a column may throw, as where a fraction is to be a bigint
    const putting = Effect.try({
      try: () => mapped.put(records, { tenantId, heads, known, trusting, giving: !ours.has(mapped) }),
      catch: unstorable
    })
    for (const one of yield* putting) {
      yield* putCounted(one)
      const answer = answers.at(-1)
      if (one.put !== undefined && answer !== undefined) checks.push(findAgain(mapped, one.put, answer))
    }
  }
  yield* putAll(put.legs, sorted(writes.legs))
  for (const one of totals.after) yield* run(one.sql, one.parameters)
  yield* putAll(put.events, writes.events)
  yield* putAll(put.balances, writes.balances)
  for (const { parameters, sql } of jobStatements(writes.jobs)) yield* run(sql, [tenant, ...parameters])
  if (writes.tenant !== undefined) yield* putAll(put.tenant, [writes.tenant])
  yield* run(statements.head, [
    tenant,
    ...[head.changeSeq, head.eventId, head.postingSeq].map((count) => parameter(int8, BigInt(count))),
    parameter(timestamptz, head.lastAt),
    parameter(uuid, batchId)
  ])
  if (writes.freed.length > 0) {
    yield* run(statements.free, [
      tenant,
      arrayParameter(
        text,
        writes.freed.map(({ network }) => network)
      ),
      arrayParameter(
        text,
        writes.freed.map(({ address }) => address)
      )
    ])
  }
  for (const { mapped, records } of written) {
    const claiming = mapped.claim?.(tenantId, records)
    if (claiming !== undefined)
      yield* claim(`the key of a ${mapped.of.name}`, claiming.sql, records.length, claiming.parameters)
  }
  yield* claim("an address", statements.claim, writes.claimed.length, [
    tenant,
    arrayParameter(
      text,
      writes.claimed.map(({ network }) => network)
    ),
    arrayParameter(
      text,
      writes.claimed.map(({ address }) => address)
    ),
    arrayParameter(
      uuid,
      writes.claimed.map(({ addressId }) => addressId)
    ),
    parameter(timestamptz, head.lastAt),
    arrayParameter(
      bool,
      writes.claimed.map(({ wallet }) => wallet === true)
    )
  ])
  const ownership = keyOwnership(tenant, parameter(timestamptz, head.lastAt), writes)
  if (ownership.release !== undefined) yield* run(...ownership.release)
  yield* claim("the key of an address", ...ownership.claim)
  if (ownership.use !== undefined) yield* run(...ownership.use)
  if (checks.length > 0) {
    yield* Effect.all(answers) // before what they gave is looked at, as a claim does
    yield* Effect.all(checks)
  }
  answers.push(yield* commit)
  yield* Effect.all(answers)
})
