import type { Connection as SqlConnection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import { isUuid } from "@bursar/core/base/uuid"
import type { StorageError } from "@bursar/core/engine/StorageError"
import {
  type SolvencyLeaf,
  type SolvencyNode,
  type SolvencyPlace,
  SolvencyStore,
  type StoredSnapshot,
  type UnsweptAddress
} from "@bursar/core/solvency/SolvencyStore"
import { type OwedToTenant, owedUnits } from "@bursar/core/solvency/OwedToTenant"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Layer, Option, Stream } from "effect"
import { Connection } from "./Connection.ts"
import { attempt, attemptChange } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import * as Cell from "./internal/cells.ts"

/** How many rows are fetched at a time. */
const fetchRows = 2_000

const setUp = [
  "begin isolation level repeatable read read only",
  // a tree is built meanwhile
  "set local idle_in_transaction_session_timeout = '5min'"
]

/** A text as it stands in a statement: a cursor takes no parameters. */
const quoted = (value: string): string => `'${value.replaceAll("'", "''")}'`

const sumOf = (wanted: string): string => `coalesce(sum(b.units) filter (where ${wanted}), 0)`

/** One statement sees one moment, whatever is booked while its rows are fetched. */
const owedStatement = (environment: string, orderKey: string): string => `select b.currency, b.tenant_id, h.posting_seq,
    ${sumOf("b.account = 'float:available'")} as available,
    ${sumOf("b.account = 'float:held'")} as held,
    ${sumOf("b.account like 'account:%' and b.units > 0")} as customers,
    -${sumOf("b.account = 'exchange'")} as converting,
    ${sumOf("b.account like 'chain:%:tenant'")} as own_addresses,
    -${sumOf("b.account = 'suspense'")} as unattributed
  from balance b
  join tenant t on t.tenant_id = b.tenant_id
  join tenant_head h on h.tenant_id = b.tenant_id
  where t.kind = ${quoted(environment)} and b.units <> 0
  group by b.currency, b.tenant_id, h.posting_seq
  order by b.currency collate "C", sha256(convert_to(${quoted(orderKey)} || b.tenant_id::text, 'UTF8'))`

const partsOf = (row: Row): Omit<OwedToTenant, "unattributed"> => ({
  tenantId: TenantId(Cell.text(row.tenant_id)),
  currency: Cell.text(row.currency),
  posting: Cell.int(row.posting_seq ?? row.posting),
  available: Cell.units(row.available),
  held: Cell.units(row.held),
  customers: Cell.units(row.customers),
  converting: Cell.units(row.converting),
  ownAddresses: Cell.units(row.own_addresses)
})

const owedOf = (row: Row): OwedToTenant => ({ ...partsOf(row), unattributed: Cell.units(row.unattributed) })

const leafOf = (row: Row): SolvencyLeaf => ({
  ...partsOf(row),
  units: Cell.units(row.units),
  index: Cell.int(row.leaf_index),
  salt: Cell.text(row.salt)
})

const nodeOf = (row: Row): SolvencyNode => ({
  currency: Cell.text(row.currency),
  level: Cell.int(row.level),
  index: Cell.int(row.node_index),
  hash: Cell.text(row.hash),
  units: Cell.units(row.units)
})

const snapshotOf = (row: Row): StoredSnapshot => {
  const at = Cell.atOrNull(row.published_at)
  return {
    id: Cell.text(row.snapshot_id),
    environment: Cell.oneOf(["LIVE", "SANDBOX"], row.environment),
    takenAt: Cell.at(row.taken_at),
    takenBy: Cell.text(row.taken_by),
    document: Cell.text(row.document),
    published: at === null ? null : { at, by: Cell.text(row.published_by) }
  }
}

/** Leaves as the statement that adds them reads them. */
const leavesText = (leaves: ReadonlyArray<SolvencyLeaf>): string =>
  JSON.stringify(
    leaves.map((leaf) => ({
      tenant_id: leaf.tenantId,
      currency: leaf.currency,
      leaf_index: leaf.index,
      units: String(leaf.units),
      salt: leaf.salt,
      available: String(leaf.available),
      held: String(leaf.held),
      customers: String(leaf.customers),
      converting: String(leaf.converting),
      own_addresses: String(leaf.ownAddresses),
      posting: leaf.posting
    }))
  )

/** Nodes as the statement that adds them reads them. */
const nodesText = (nodes: ReadonlyArray<SolvencyNode>): string =>
  JSON.stringify(
    nodes.map(({ currency, hash, index, level, units }) => ({
      currency,
      level,
      node_index: index,
      hash,
      units: String(units)
    }))
  )

/** Places as the statement that looks nodes up reads them; a node is a place, too. */
const placesText = (places: ReadonlyArray<SolvencyPlace>): string =>
  JSON.stringify(places.map(({ currency, index, level }) => ({ currency, level, index })))

const fetching =
  <A>(connection: SqlConnection, read: (row: Row) => A) =>
  (): Effect.Effect<readonly [ReadonlyArray<A>, Option.Option<undefined>], StorageError> =>
    Effect.map(
      connection.executeUnprepared(`fetch ${fetchRows} from solvency`, [], undefined),
      (rows: ReadonlyArray<Row>) =>
        [rows.map(read), rows.length === fetchRows ? Option.some(undefined) : Option.none()] as const
    ).pipe(attempt("read for a proof of solvency"))

/** What proofs of solvency are made of and what they leave. */
export const layer = Layer.effect(
  SolvencyStore,
  Effect.map(Connection, ({ long, sql }) => {
    /** The rows of a statement, fetched piece by piece from one moment. */
    const rowsOf = <A>(statement: string, read: (row: Row) => A): Stream.Stream<A, StorageError> =>
      Stream.unwrap(
        Effect.gen(function* () {
          const connection = yield* long.reserve
          yield* Effect.addFinalizer(() => Effect.ignore(connection.executeRaw("rollback", [])))
          for (const one of setUp) yield* connection.executeRaw(one, [])
          yield* connection.executeUnprepared(`declare solvency no scroll cursor for ${statement}`, [], undefined)
          return Stream.paginate<undefined, A, StorageError>(undefined, fetching(connection, read))
        }).pipe(attempt("read for a proof of solvency"))
      )

    const found = (id: string): Effect.Effect<ReadonlyArray<Row>, SqlError> =>
      isUuid(id)
        ? sql<Row>`select * from solvency_snapshot where snapshot_id = ${id}::uuid`
        : Effect.succeed<ReadonlyArray<Row>>([])

    return SolvencyStore.of({
      owed: ({ environment, orderKey }) =>
        Stream.filter(
          rowsOf(owedStatement(environment, orderKey), owedOf),
          (owed) => owedUnits(owed) > 0n || owed.unattributed > 0n
        ),
      unswept: (tenantId) =>
        sql<Row>`select distinct on (network collate "C", address collate "C") network, address, address_key from (
            select network, address, address_key from sweepable_deposit
              where tenant_id = ${tenantId} and record_group is not null
            union all
            select network, address, address_key from sweep where tenant_id = ${tenantId} and closed_at is null) as unswept
          order by network collate "C", address collate "C"`.pipe(
          Effect.map((rows) =>
            rows.map((row): UnsweptAddress => ({
              network: Cell.text(row.network),
              address: Cell.text(row.address),
              key: Cell.json(row.address_key)
            }))
          ),
          attempt("read the addresses that hold deposits")
        ),
      addNodes: (id, { leaves, nodes }) =>
        Effect.asVoid(
          sql.withTransaction(
            Effect.andThen(
              sql`insert into solvency_leaf (tenant_id, snapshot_id, currency, leaf_index, units, salt, available, held,
                  customers, converting, own_addresses, posting)
                select r.tenant_id, ${id}::uuid, r.currency, r.leaf_index, r.units, r.salt, r.available, r.held,
                  r.customers, r.converting, r.own_addresses, r.posting
                from json_to_recordset(${leavesText(leaves)}::json) as r(tenant_id uuid, currency text, leaf_index bigint,
                  units numeric, salt text, available numeric, held numeric, customers numeric, converting numeric,
                  own_addresses numeric, posting bigint)`,
              sql`insert into solvency_node (snapshot_id, currency, level, node_index, hash, units)
                select ${id}::uuid, r.currency, r.level, r.node_index, decode(r.hash, 'hex'), r.units
                from json_to_recordset(${nodesText(nodes)}::json) as r(currency text, level integer, node_index bigint,
                  hash text, units numeric)`
            )
          )
        ).pipe(attemptChange("store a part of a proof of solvency")),
      add: ({ document, environment, id, takenAt, takenBy }) =>
        sql`insert into solvency_snapshot (snapshot_id, environment, taken_at, taken_by, document)
          values (${id}::uuid, ${environment}, ${new Date(takenAt)}, ${takenBy}, ${document})
          on conflict do nothing`.pipe(Effect.asVoid, attemptChange("store a proof of solvency")),
      publish: (id, { at, by }) =>
        (isUuid(id)
          ? Effect.asVoid(
              sql`update solvency_snapshot set published_at = ${new Date(at)}, published_by = ${by}
                where snapshot_id = ${id}::uuid and published_at is null`
            )
          : Effect.void
        ).pipe(
          Effect.andThen(found(id)),
          Effect.map(([row]) => (row === undefined ? undefined : snapshotOf(row))),
          attemptChange("publish a proof of solvency")
        ),
      byId: (id) =>
        found(id).pipe(
          Effect.map(([row]) => (row === undefined ? undefined : snapshotOf(row))),
          attempt("read a proof of solvency")
        ),
      latestPublished: (environment) =>
        sql<Row>`select * from solvency_snapshot where environment = ${environment} and published_at is not null
          order by taken_at desc, snapshot_id desc limit 1`.pipe(
          Effect.map(([row]) => (row === undefined ? undefined : snapshotOf(row))),
          attempt("read a proof of solvency")
        ),
      list: (limit) =>
        sql<Row>`select * from solvency_snapshot order by taken_at desc, snapshot_id desc limit ${limit}`.pipe(
          Effect.map((rows) => rows.map(snapshotOf)),
          attempt("list proofs of solvency")
        ),
      leavesOf: (tenantId, id) =>
        sql<Row>`select * from solvency_leaf where tenant_id = ${tenantId} and snapshot_id = ${id}::uuid
          order by currency collate "C"`.pipe(
          Effect.map((rows) => rows.map(leafOf)),
          attempt("read the leaves of a tenant")
        ),
      nodesAt: (id, places) =>
        places.length === 0
          ? Effect.succeed([])
          : sql<Row>`select n.currency, n.level, n.node_index, encode(n.hash, 'hex') as hash, n.units
              from json_to_recordset(${placesText(places)}::json) as p(currency text, level integer, index bigint)
              join solvency_node n on n.snapshot_id = ${id}::uuid and n.currency = p.currency and n.level = p.level
                and n.node_index = p.index`.pipe(
              Effect.map((rows) => rows.map(nodeOf)),
              attempt("read the nodes of a proof of solvency")
            ),
      leaves: (id) =>
        isUuid(id)
          ? rowsOf(
              `select * from solvency_leaf where snapshot_id = ${quoted(id)} order by currency collate "C", leaf_index`,
              leafOf
            )
          : Stream.empty
    })
  })
)
