import type { Network } from "@bursar/core/money/Network"
import type { BlockRef } from "@bursar/core/port/Chain"
import type { NetworkReport, NetworkStatus } from "@bursar/core/store/WatchState"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Row } from "../internal/cells.ts"
import * as Cell from "../internal/cells.ts"

const readCursor = (row: Row): BlockRef | undefined =>
  row.cursor_number === null
    ? undefined
    : {
        number: Cell.int(row.cursor_number),
        hash: Cell.text(row.cursor_hash),
        parentHash: Cell.text(row.cursor_parent_hash),
        time: Cell.at(row.cursor_time)
      }

/** The block up to which a network has been read. */
export const cursor = (sql: SqlClient, network: Network): Effect.Effect<BlockRef | undefined, SqlError> =>
  Effect.map(
    sql<Row>`select cursor_number, cursor_hash, cursor_parent_hash, cursor_time from network_status where network = ${network}`,
    ([row]) => (row === undefined ? undefined : readCursor(row))
  )

/** The stored blocks of a network from a height up. */
export const blocks = (
  sql: SqlClient,
  network: Network,
  from: number
): Effect.Effect<ReadonlyArray<BlockRef>, SqlError> =>
  Effect.map(
    sql<Row>`select number, hash, parent_hash, time from chain_block
      where network = ${network} and number >= ${from} order by number`,
    (rows) =>
      rows.map((row) => ({
        number: Cell.int(row.number),
        hash: Cell.text(row.hash),
        parentHash: Cell.text(row.parent_hash),
        time: Cell.at(row.time)
      }))
  )

/** Moves the cursor onto a block. */
export const moveCursor = (sql: SqlClient, network: Network, to: BlockRef, now: number) =>
  sql`insert into network_status (network, cursor_number, cursor_hash, cursor_parent_hash, cursor_time, updated_at)
    values (${network}, ${to.number}, ${to.hash}, ${to.parentHash}, ${new Date(to.time)}, ${new Date(now)})
    on conflict (network) do update set cursor_number = excluded.cursor_number, cursor_hash = excluded.cursor_hash,
      cursor_parent_hash = excluded.cursor_parent_hash, cursor_time = excluded.cursor_time, updated_at = excluded.updated_at`

/** Stores how a network is doing. */
export const putStatus = (
  sql: SqlClient,
  network: Network,
  { latest, nodes, notice, problem }: NetworkReport,
  now: number
) =>
  sql`insert into network_status (network, latest, problem, notice, nodes, updated_at)
    values (${network}, ${latest}::int8, ${problem}, ${notice}, ${JSON.stringify(nodes)}::json, ${new Date(now)})
    on conflict (network) do update set latest = excluded.latest, problem = excluded.problem, notice = excluded.notice,
      nodes = excluded.nodes, updated_at = excluded.updated_at`

/** For how long it is kept how far behind a network was, in milliseconds: a quarter of a year, and some days. */
const lagKeptMs = 100 * 86_400_000

/** Keeps how far behind a network is, by the minute: the most of it. A network of which that is not known keeps nothing. */
export const keepLag = (sql: SqlClient, network: Network, now: number) =>
  Effect.andThen(
    sql`insert into network_lag (network, minute, blocks)
      select network, date_trunc('minute', ${new Date(now)}::timestamptz), greatest(0, latest - cursor_number)
      from network_status where network = ${network} and latest is not null and cursor_number is not null
      on conflict (network, minute) do update set blocks = excluded.blocks where network_lag.blocks < excluded.blocks`,
    sql`delete from network_lag where network = ${network} and minute < ${new Date(now - lagKeptMs)}`
  )

/** How every network that was ever read is doing. */
export const statuses = (sql: SqlClient): Effect.Effect<ReadonlyArray<NetworkStatus>, SqlError> =>
  Effect.map(sql<Row>`select * from network_status order by network`, (rows) =>
    rows.map((row) => ({
      network: Cell.text(row.network),
      cursor: readCursor(row) ?? null,
      latest: Cell.intOrNull(row.latest),
      problem: Cell.textOrNull(row.problem),
      notice: Cell.textOrNull(row.notice),
      nodes: Cell.json<NetworkStatus["nodes"]>(row.nodes),
      updatedAt: Cell.at(row.updated_at)
    }))
  )
