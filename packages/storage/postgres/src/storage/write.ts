import type { Loaded } from "@bursar/core/engine/runBatch"
import type { JobEntry, WriteSet } from "@bursar/core/engine/WriteSet"
import type { PostedLeg } from "@bursar/core/ledger/Leg"
import type { Operation } from "@bursar/core/operation/Operation"
import { Data, Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { arrayParameter, bool, int8, parameter, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { inserting, type Statement } from "../internal/Table.ts"
import type { Answer, Transaction } from "../internal/Transaction.ts"
import { addressTable } from "../table/addressTable.ts"
import { apiKeyTable } from "../table/apiKeyTable.ts"
import { backfillTable } from "../table/backfillTable.ts"
import { balanceTable } from "../table/balanceTable.ts"
import { idempotencyRecordTable } from "../table/idempotencyRecordTable.ts"
import { depositTable } from "../table/depositTable.ts"
import { endpointTable } from "../table/endpointTable.ts"
import { eventTable } from "../table/eventTable.ts"
import { importedKeyTable } from "../table/importedKeyTable.ts"
import { issuingAccountTable } from "../table/issuingAccountTable.ts"
import { legTable } from "../table/legTable.ts"
import { nonceTable } from "../table/nonceTable.ts"
import { operationTable } from "../table/operationTable.ts"
import { signingKeyTable } from "../table/signingKeyTable.ts"
import { sealedKeyTable } from "../table/sealedKeyTable.ts"
import { tenantTable } from "../table/tenantTable.ts"
import { xpubTable } from "../table/xpubTable.ts"
import { keyOwnership } from "./keyOwnership.ts"
import { receiptStatement } from "./receipts.ts"
import { putRecords } from "./records.ts"

/** Another tenant took an address, or an API key's id, after this batch had found it free. */
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
  keyDirectory: `insert into api_key_directory (key_id, tenant_id)
    select k.key_id, $1::uuid from unnest($2::text[]) as k(key_id) order by k.key_id
    on conflict (key_id) do update set tenant_id = excluded.tenant_id where api_key_directory.tenant_id = excluded.tenant_id
    returning 1`,
  jobPut: `insert into agenda (tenant_id, topic, key, due_at)
    select $1::uuid, a.topic, a.key, a.due_at from unnest($2::text[], $3::text[], $4::timestamptz[]) as a(topic, key, due_at)
    on conflict (tenant_id, topic, key) do update set due_at = excluded.due_at`,
  jobDrop: `delete from agenda a using unnest($2::text[], $3::text[]) as d(topic, key)
    where a.tenant_id = $1 and a.topic = d.topic and a.key = d.key`,
  forgetNonces: "delete from signature_nonce where tenant_id = $1 and forget_at < $2",
  // a new endpoint starts after the events that were there; one that is switched on again has not failed yet
  endpointState: `insert into webhook_state (tenant_id, endpoint_id, cursor)
    select $1::uuid, e.endpoint_id, $3::int8 from unnest($2::uuid[]) as e(endpoint_id)
    on conflict (tenant_id, endpoint_id) do nothing`,
  endpointAgain: `update webhook_state s set failing_since = null
    from unnest($2::uuid[]) as e(endpoint_id) join webhook_endpoint was on was.tenant_id = $1 and was.endpoint_id = e.endpoint_id
    where s.tenant_id = $1 and s.endpoint_id = e.endpoint_id and not was.enabled`
}

const put = {
  tenant: inserting(tenantTable, "replace"),
  newOperations: inserting(operationTable, "fail"),
  operations: inserting(operationTable, "replace"),
  legs: inserting(legTable, "fail"),
  balances: inserting(balanceTable, "replace"),
  events: inserting(eventTable, "fail"),
  idempotencyRecords: inserting(idempotencyRecordTable, "fail"),
  addresses: inserting(addressTable, "replace"),
  xpubs: inserting(xpubTable, "replace"),
  issuingAccounts: inserting(issuingAccountTable, "replace"),
  sealedKeys: inserting(sealedKeyTable, "fail"),
  importedKeys: inserting(importedKeyTable, "fail"),
  deposits: inserting(depositTable, "replace"),
  backfills: inserting(backfillTable, "fail"),
  apiKeys: inserting(apiKeyTable, "replace"),
  endpoints: inserting(endpointTable, "replace"),
  signingKeys: inserting(signingKeyTable, "replace"),
  nonces: inserting(nonceTable, "fail")
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

/** From this many records on, the server gets to work on them while the next statement is being made. */
const worthItsOwnPacket = 32

/** How a batch is written. */
export interface WriteOptions {
  /** The batch's own: its receipt is found by it. */
  readonly batchId: string
  /** Whether what is put and was not read is taken for new. */
  readonly trusting: boolean
}

/**
 * Sends all that a batch writes, one statement per kind, largest kinds first, then COMMIT. Where something of another
 * tenant could be in the way, it looks before it commits and fails with Taken.
 */
export const write = Effect.fnUntraced(function* (
  { commit, flush, send }: Transaction,
  loaded: Loaded,
  writes: WriteSet,
  { batchId, trusting }: WriteOptions
): Effect.fn.Return<void, SqlError | Taken> {
  const { head, tenantId } = writes
  const tenant = parameter(uuid, tenantId)
  const answers: Array<Answer> = []
  const run = Effect.fnUntraced(function* (sql: string, parameters: ReadonlyArray<unknown>) {
    answers.push(yield* send(sql, parameters))
  })
  const putAll = <A>(
    statement: (tenant: typeof tenantId, records: ReadonlyArray<A>) => Statement,
    records: ReadonlyArray<A>
  ) => {
    if (records.length === 0) return Effect.void
    const { parameters, sql } = statement(tenantId, records)
    return records.length < worthItsOwnPacket ? run(sql, parameters) : Effect.andThen(run(sql, parameters), flush)
  }
  const claim = Effect.fnUntraced(function* (
    what: string,
    sql: string,
    count: number,
    parameters: ReadonlyArray<unknown>
  ) {
    if (count === 0) return
    // what was written says so itself; what a command's tag counts is the server's affair
    const { rows } = yield* yield* send(sql, parameters)
    if (rows.length !== count) return yield* new Taken({ what })
  })

  const isNew = ({ id }: Operation) => trusting && !loaded.operations.has(id)
  yield* putAll(put.newOperations, writes.operations.filter(isNew))
  yield* putAll(
    put.operations,
    writes.operations.filter((operation) => !isNew(operation))
  )
  yield* putAll(put.legs, sorted(writes.legs))
  yield* putAll(put.idempotencyRecords, writes.idempotencyRecords)
  yield* putAll(put.events, writes.events)
  yield* putAll(put.balances, writes.balances)
  yield* putAll(put.addresses, writes.addresses)
  yield* putAll(put.xpubs, writes.xpubs)
  yield* putAll(put.issuingAccounts, writes.issuingAccounts)
  yield* putAll(put.sealedKeys, writes.sealedKeys)
  yield* putAll(put.importedKeys, writes.importedKeys)
  yield* putAll(put.deposits, writes.deposits)
  yield* putAll(put.backfills, writes.backfills)
  yield* putAll(put.apiKeys, writes.apiKeys)
  yield* putAll(put.signingKeys, writes.signingKeys)
  if (writes.nonces.length > 0) {
    yield* run(statements.forgetNonces, [tenant, parameter(timestamptz, head.lastAt)])
    yield* putAll(put.nonces, writes.nonces)
  }
  for (const { parameters, sql } of putRecords(tenantId, writes.records)) yield* run(sql, parameters)
  const dropped = writes.jobs.filter(({ dueAt }) => dueAt === null)
  const scheduled = writes.jobs.filter(({ dueAt }) => dueAt !== null)
  if (dropped.length > 0) yield* run(statements.jobDrop, [tenant, ...placesOf(dropped)])
  if (scheduled.length > 0) {
    const moments = scheduled.map(({ dueAt }) => dueAt)
    yield* run(statements.jobPut, [tenant, ...placesOf(scheduled), arrayParameter(timestamptz, moments)])
  }
  if (writes.endpoints.length > 0) {
    const enabled = writes.endpoints.filter((endpoint) => endpoint.enabled).map(({ id }) => id)
    yield* run(statements.endpointAgain, [tenant, arrayParameter(uuid, enabled)])
    yield* putAll(put.endpoints, writes.endpoints)
    const ids = writes.endpoints.map(({ id }) => id)
    yield* run(statements.endpointState, [
      tenant,
      arrayParameter(uuid, ids),
      parameter(int8, BigInt(loaded.head.eventId))
    ])
  }
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
  yield* claim("an API key's id", statements.keyDirectory, writes.apiKeys.length, [
    tenant,
    arrayParameter(
      text,
      writes.apiKeys.map(({ id }) => id)
    )
  ])
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
  answers.push(yield* commit)
  yield* Effect.all(answers)
})
