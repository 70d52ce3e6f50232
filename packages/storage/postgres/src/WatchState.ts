import type { Fence } from "@bursar/core/engine/fenced"
import { WatchState } from "@bursar/core/store/WatchState"
import { Clock, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { Connection } from "./Connection.ts"
import { attempt, attemptChange } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import * as Cell from "./internal/cells.ts"
import { arrayParameter, text } from "./internal/columnTypes.ts"
import { select } from "./internal/select.ts"
import { depositTable } from "./table/depositTable.ts"
import { walletTransferTable } from "./table/walletTransferTable.ts"
import * as Backfills from "./watch/backfills.ts"
import * as Cursor from "./watch/cursor.ts"
import { underFence } from "./watch/fence.ts"
import { owners, watched, watchedNow } from "./watch/owned.ts"

/** What watchers remember. Every write holds the leadership's lease for as long as it takes. */
export const layer = Layer.effect(
  WatchState,
  Effect.gen(function* () {
    const { sql } = yield* Connection

    const write = (
      doing: string,
      fence: Fence,
      statements: (now: number) => ReadonlyArray<Effect.Effect<unknown, SqlError>>
    ) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        underFence(
          sql,
          fence,
          Effect.forEach(statements(now), (statement) => statement, { discard: true })
        )
      ).pipe(attemptChange(doing))

    const [jobColumns, isUnread] = [sql.literal(Backfills.jobColumns), sql.literal(Backfills.isUnread)]

    return WatchState.of({
      cursor: (network) => Cursor.cursor(sql, network).pipe(attempt("read a cursor")),
      blocks: (network, from) => Cursor.blocks(sql, network, from).pipe(attempt("read the blocks")),
      advance: (fence, network, block, keepFrom) =>
        write("advance a cursor", fence, (now) => [
          sql`delete from chain_block where network = ${network} and (number < ${keepFrom} or number >= ${block.number})`,
          sql`insert into chain_block (network, number, hash, parent_hash, time)
            values (${network}, ${block.number}, ${block.hash}, ${block.parentHash}, ${new Date(block.time)})`,
          Cursor.moveCursor(sql, network, block, now)
        ]),
      rewind: (fence, network, to) =>
        write("rewind a cursor", fence, (now) => [
          sql`delete from chain_block where network = ${network} and number > ${to.number}`,
          Cursor.moveCursor(sql, network, to, now)
        ]),
      report: (fence, network, said) =>
        write("report on a network", fence, (now) => [
          Cursor.putStatus(sql, network, said, now),
          Cursor.keepLag(sql, network, now)
        ]),
      statuses: Cursor.statuses(sql).pipe(attempt("read how the networks are doing")),
      owners: (network, addresses) => owners(sql, network, addresses).pipe(attempt("look up addresses")),
      watched: (network, limit) => watched(sql, network, limit).pipe(attempt("list what is watched")),
      depositsAmong: (network, txHashes) =>
        txHashes.length === 0
          ? Effect.succeed([])
          : select(
              sql,
              depositTable,
              sql`where t.network = ${network} and t.tx_hash = any(${arrayParameter(text, txHashes)})`
            ).pipe(attempt("look up deposits by transaction")),
      detectedUpTo: (network, height, limit) =>
        select(
          sql,
          depositTable,
          sql`where t.network = ${network} and t.status = 'DETECTED' and t.block_number <= ${height}
          order by t.block_number, t.deposit_id limit ${limit}`
        ).pipe(attempt("read detected deposits")),
      waiting: (network) =>
        select(
          sql,
          depositTable,
          sql`where t.network = ${network} and t.status = 'DETECTED' and t.block_number is null order by t.deposit_id`
        ).pipe(attempt("read deposits that wait for a block")),
      depositsAbove: (network, height) =>
        select(
          sql,
          depositTable,
          sql`where t.network = ${network} and t.status <> 'REORGED' and t.block_number > ${height}
          order by t.block_number, t.deposit_id`
        ).pipe(attempt("read deposits above a height")),
      walletTransfersAmong: (network, txHashes) =>
        txHashes.length === 0
          ? Effect.succeed([])
          : select(
              sql,
              walletTransferTable,
              sql`where t.network = ${network} and t.tx_hash = any(${arrayParameter(text, txHashes)})`
            ).pipe(attempt("look up arrivals at wallets by transaction")),
      walletTransfersUpTo: (network, height, limit) =>
        select(
          sql,
          walletTransferTable,
          sql`where t.network = ${network} and t.status = 'DETECTED' and t.block_number <= ${height}
          order by t.block_number, t.transfer_key limit ${limit}`
        ).pipe(attempt("read detected arrivals at wallets")),
      walletTransfersAbove: (network, height) =>
        select(
          sql,
          walletTransferTable,
          sql`where t.network = ${network} and t.status <> 'REORGED' and t.block_number > ${height}
          order by t.block_number, t.transfer_key`
        ).pipe(attempt("read arrivals at wallets above a height")),
      oneNodeCredits: (network, minute) =>
        sql<Row>`select currency, minute, units from one_node_credit
          where network = ${network} and minute >= ${new Date(minute)} order by minute, currency`.pipe(
          Effect.map((rows) =>
            rows.map((row) => ({
              currency: Cell.text(row.currency),
              minute: Cell.at(row.minute),
              units: Cell.units(row.units)
            }))
          ),
          attempt("read what was credited by the word of one node")
        ),
      countOneNodeCredits: (fence, network, credits, keepFrom) =>
        write("count what is credited by the word of one node", fence, () => [
          sql`delete from one_node_credit where network = ${network} and minute < ${new Date(keepFrom)}`,
          ...credits.map(
            ({ currency, minute, units }) =>
              sql`insert into one_node_credit (network, currency, minute, units)
                values (${network}, ${currency}, ${new Date(minute)}, ${units.toString()}::numeric)
                on conflict (network, currency, minute) do update set units = one_node_credit.units + excluded.units`
          )
        ]),
      firstRegistered: (network) =>
        sql<Row>`select min(created_at) as earliest from address where network = ${network} and retired_at is null`.pipe(
          Effect.map(([row]) => Cell.atOrNull(row?.earliest ?? null) ?? undefined),
          attempt("read when the first address was registered")
        ),
      watchedNow: (family, networks, now) =>
        watchedNow(sql, family, networks, now).pipe(attempt("read what is watched now")),
      backfills: (network, limit, after) =>
        sql<Row>`select ${jobColumns} from backfill t
          where t.network = ${network} and ${isUnread} and t.ended_at is null
            and ${after === undefined ? sql`true` : sql`(t.created_at, t.backfill_id) > (${new Date(after.createdAt)}, ${after.id}::uuid)`}
          order by t.created_at, t.backfill_id limit ${limit}`.pipe(
          Effect.map((rows) => rows.map(Backfills.readJob)),
          attempt("read backfills")
        ),
      isBackfillStuckAt: (network, number) =>
        sql<Row>`select 1 from backfill t where t.network = ${network} and ${isUnread} and t.ended_at is null
          and t.next_block = ${BigInt(number)} and t.problem is not null limit 1`.pipe(
          Effect.map((rows) => rows.length > 0),
          attempt("read whether a backfill stands before a block")
        ),
      endedBackfills: (network, limit) =>
        sql<Row>`select ${jobColumns} from backfill t
          where t.network = ${network} and ${isUnread} and t.ended_at is not null
          order by t.ended_at desc, t.created_at, t.backfill_id limit ${limit}`.pipe(
          Effect.map((rows) => rows.map(Backfills.readJob)),
          attempt("read backfills that were ended")
        ),
      endBackfill: ({ id, nextBlock, tenantId }, { at, by, reason }) =>
        sql<Row>`update backfill t set ended_by = ${by}, end_reason = ${reason}, ended_at = ${new Date(at)}
          where t.tenant_id = ${tenantId} and t.backfill_id = ${id} and ${isUnread} and t.ended_at is null
            and t.next_block is not distinct from ${nextBlock === null ? null : BigInt(nextBlock)}::bigint
          returning ${jobColumns}`.pipe(
          Effect.map(([row]) => (row === undefined ? undefined : Backfills.readJob(row))),
          attemptChange("end a backfill")
        ),
      dueBackfills: (network, now, limit) =>
        sql.unsafe<Row>(Backfills.dueBackfillsStatement, [network, new Date(now), limit]).pipe(
          Effect.map((rows) => rows.map(Backfills.readJob)),
          attempt("read due backfills")
        ),
      putOffBackfill: (fence, { id, tenantId }, { dueAt, failures, problem }) =>
        write("put a backfill off", fence, () => [
          sql`update backfill set due_at = ${dueAt === null ? null : new Date(dueAt)}, failures = ${failures}, problem = ${problem}
            where tenant_id = ${tenantId} and backfill_id = ${id}`
        ]),
      backfillProgress: (fence, { id, tenantId }, nextBlock, lastBlock) =>
        write("store a backfill's progress", fence, () => [
          sql`update backfill set next_block = ${nextBlock}, last_block = ${lastBlock}
            where tenant_id = ${tenantId} and backfill_id = ${id}`
        ])
    })
  })
)
