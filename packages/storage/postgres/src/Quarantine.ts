import {
  type BlockOrder,
  Quarantine,
  type Quarantined,
  type QuarantinedGain,
  type QuarantineEntry,
  type QuarantinePlace
} from "@bursar/core/port/Quarantine"
import type { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Predicate } from "effect"
import { Connection } from "./Connection.ts"
import { attempt, attemptChange } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import { given } from "./internal/select.ts"
import * as Cell from "./internal/cells.ts"
import { underFence } from "./watch/fence.ts"

/** Gains as they are stored: JSON has no numbers of that size. */
interface StoredGain extends Omit<QuarantinedGain, "alreadyRead" | "units"> {
  readonly units: string
  readonly alreadyRead?: string
}

const storedGain = ({ alreadyRead, units, ...gain }: QuarantinedGain): StoredGain => ({
  ...gain,
  units: units.toString(),
  ...(alreadyRead === undefined ? {} : { alreadyRead: alreadyRead.toString() })
})

const gainOf = ({ alreadyRead, units, ...gain }: StoredGain): QuarantinedGain => ({
  ...gain,
  units: BigInt(units),
  ...(alreadyRead === undefined ? {} : { alreadyRead: BigInt(alreadyRead) })
})

const storedGains = (gains: Quarantined["gains"]): string | null =>
  gains === null ? null : JSON.stringify(gains.map(storedGain))

const isUnits = (one: unknown): boolean => typeof one === "string" && /^-?[0-9]{1,100}$/u.test(one)

const isStoredGain = (one: unknown): one is StoredGain =>
  Predicate.isObject(one) &&
  typeof one["to"] === "string" &&
  (one["contract"] === null || typeof one["contract"] === "string") &&
  isUnits(one["units"]) &&
  (one["alreadyRead"] === undefined || isUnits(one["alreadyRead"])) &&
  (one["across"] === undefined || one["across"] === "block")

/** Null, which is that nobody knows, also where others have made something else of what was stored: it hides no other, and no part of it passes for the whole. */
const gainsOf = (cell: unknown): Quarantined["gains"] => {
  const gains = Cell.list(cell, isStoredGain)
  return Array.isArray(cell) && gains.length === cell.length ? gains.map(gainOf) : null
}

const outcomes = ["read", "passed", "gone"] as const

const entryOf = (row: Row): QuarantineEntry => ({
  network: Cell.text(row.network),
  block: { hash: Cell.text(row.block_hash), number: Cell.int(row.block_number), time: Cell.at(row.block_time) },
  txHash: row.tx_hash === "" ? null : Cell.text(row.tx_hash),
  reason: Cell.text(row.reason),
  gains: gainsOf(row.gains),
  noticedAt: Cell.at(row.noticed_at),
  end:
    row.outcome === null
      ? null
      : {
          outcome: Cell.oneOf(outcomes, row.outcome),
          by: Cell.text(row.ended_by),
          reason: Cell.textOrNull(row.end_reason),
          at: Cell.at(row.ended_at)
        }
})

/** Those behind a place. The first comparison is what the index goes by. */
const behind = (sql: PgClient.PgClient, { block, network, noticedAt, txHash }: QuarantinePlace) => {
  const [at, number] = [new Date(noticedAt), BigInt(block.number)]
  return sql`noticed_at <= ${at} and (noticed_at < ${at} or block_number < ${number} or (block_number = ${number}
    and (network, block_hash, tx_hash) > (${network}, ${block.hash}, ${txHash ?? ""})))`
}

const orderOf = (row: Row): BlockOrder => ({
  network: Cell.text(row.network),
  number: Cell.int(row.number),
  kind: Cell.oneOf(["PASS", "REREAD"], row.kind),
  by: Cell.text(row.ordered_by),
  reason: Cell.textOrNull(row.reason),
  at: Cell.at(row.ordered_at)
})

/** What watchers could not read. */
export const layer = Layer.effect(
  Quarantine,
  Effect.map(Connection, ({ sql }) =>
    Quarantine.of({
      add: (fence, entries) =>
        entries.length === 0
          ? Effect.void
          : underFence(
              sql,
              fence,
              Effect.forEach(
                entries,
                ({ block, gains, network, noticedAt, reason, txHash }) =>
                  sql`insert into quarantine (network, block_hash, tx_hash, block_number, block_time, reason, gains, noticed_at)
                    values (${network}, ${block.hash}, ${txHash ?? ""}, ${BigInt(block.number)}, ${new Date(block.time)}, ${reason},
                      ${storedGains(gains)}::json, ${new Date(noticedAt)})
                    on conflict (network, block_hash, tx_hash) do update set reason = excluded.reason, gains = excluded.gains,
                      noticed_at = excluded.noticed_at, outcome = null, ended_by = null, end_reason = null, ended_at = null
                    where quarantine.outcome in ('read', 'gone')`,
                { discard: true }
              )
            ).pipe(attemptChange("quarantine what could not be read")),
      openCount: (network) =>
        sql<Row>`select count(*) as open from quarantine where network = ${network} and outcome is null`.pipe(
          Effect.map(([row]) => Cell.int(row?.open)),
          attempt("count what is in quarantine")
        ),
      list: ({ after, limit, network, open }) =>
        sql<Row>`select * from quarantine where ${sql.and([
          sql`true`,
          ...(network === null ? [] : [sql`network = ${network}`]),
          ...(open ? [sql`outcome is null`] : []),
          ...given(after, (place) => behind(sql, place))
        ])} order by noticed_at desc, block_number desc, network, block_hash, tx_hash limit ${limit}`.pipe(
          Effect.map((rows) => rows.map(entryOf)),
          attempt("list what is in quarantine")
        ),
      openFrom: (network, number) =>
        sql<Row>`select * from quarantine where network = ${network} and block_number >= ${BigInt(number)} and outcome is null
          order by block_number, tx_hash`.pipe(
          Effect.map((rows) => rows.map(entryOf).map(({ end: _open, ...entry }) => entry)),
          attempt("read what is in quarantine")
        ),
      openIn: (network, blockHash) =>
        sql<Row>`select * from quarantine where network = ${network} and block_hash = ${blockHash} and outcome is null
          order by tx_hash`.pipe(
          Effect.map((rows) => rows.map(entryOf).map(({ end: _open, ...entry }) => entry)),
          attempt("read what of a block is in quarantine")
        ),
      passedWhole: (network, number) =>
        sql<Row>`select * from quarantine where network = ${network} and block_number >= ${BigInt(number)} and tx_hash = ''
          and (outcome is null or outcome = 'passed') order by block_number`.pipe(
          Effect.map((rows) => rows.map((row) => entryOf(row).block)),
          attempt("read which blocks were passed")
        ),
      end: ({ blockHash, network, txHash }, { at, by, outcome, reason }) =>
        sql<Row>`update quarantine set outcome = ${outcome}, ended_by = ${by}, end_reason = ${reason}, ended_at = ${new Date(at)}
          where ${sql.and([
            sql`network = ${network}`,
            sql`block_hash = ${blockHash}`,
            outcome === "read" ? sql`(outcome is null or (tx_hash = '' and outcome = 'passed'))` : sql`outcome is null`,
            ...(txHash === "all" ? [] : [sql`tx_hash = ${txHash}`])
          ])} returning 1`.pipe(
          Effect.map((rows) => rows.length),
          attemptChange("end a quarantine")
        ),
      order: ({ at, by, kind, network, number, reason }) =>
        sql`insert into block_order (network, number, kind, ordered_by, reason, ordered_at)
          values (${network}, ${BigInt(number)}, ${kind}, ${by}, ${reason}, ${new Date(at)})
          on conflict (network, number) do update set kind = excluded.kind, ordered_by = excluded.ordered_by,
            reason = excluded.reason, ordered_at = excluded.ordered_at`.pipe(
          Effect.asVoid,
          attemptChange("store what is to be done with a block")
        ),
      orders: (network) =>
        sql<Row>`select * from block_order where network = ${network} order by number`.pipe(
          Effect.map((rows) => rows.map(orderOf)),
          attempt("read what is to be done with blocks")
        ),
      withdraw: ({ kind, network, number }) =>
        sql<Row>`delete from block_order where network = ${network} and number = ${BigInt(number)} and kind = ${kind}
          returning 1`.pipe(
          Effect.map((rows) => rows.length > 0),
          attemptChange("take back what was to be done with a block")
        ),
      carriedOut: (fence, { at, kind, network, number }) =>
        underFence(
          sql,
          fence,
          Effect.asVoid(sql`delete from block_order where network = ${network} and number = ${BigInt(number)}
            and kind = ${kind} and ordered_at = ${new Date(at)}`)
        ).pipe(attemptChange("take back what was done with a block"))
    })
  )
)
