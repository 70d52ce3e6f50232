import {
  type ArrivalInBlock,
  type DecisionResult,
  type HeldArrivalEntry,
  HeldArrivals,
  type HeldDecision,
  type HeldPlace,
  heldOutcomes,
  isAbout,
  type NodeStatement
} from "@bursar/core/port/HeldArrivals"
import { TenantId } from "@bursar/core/tenant/Tenant"
import type { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Predicate } from "effect"
import { Connection } from "./Connection.ts"
import { attempt, attemptChange } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import { given } from "./internal/select.ts"
import * as Cell from "./internal/cells.ts"
import { underFence } from "./watch/fence.ts"

const isStatement = (one: unknown): one is NodeStatement =>
  Predicate.isObject(one) && [one["node"], one["operator"], one["says"]].every((field) => typeof field === "string")

const entryOf = (row: Row): HeldArrivalEntry => ({
  network: Cell.text(row.network),
  txHash: Cell.text(row.tx_hash),
  transferIndex: Cell.int(row.transfer_index),
  blockHash: Cell.text(row.block_hash),
  blockNumber: Cell.int(row.block_number),
  tenantId: TenantId(Cell.text(row.tenant_id)),
  address: Cell.text(row.address),
  currency: Cell.text(row.currency),
  units: Cell.units(row.units),
  state: Cell.oneOf(["waiting", "disputed"], row.state),
  said: Cell.list(row.said, isStatement),
  since: Cell.at(row.since),
  acceptance:
    row.accepted_by === null ? null : { by: Cell.text(row.accepted_by), reason: Cell.text(row.acceptance_reason) },
  end:
    row.outcome === null
      ? null
      : {
          outcome: Cell.oneOf(heldOutcomes, row.outcome),
          by: Cell.text(row.ended_by),
          reason: Cell.textOrNull(row.end_reason),
          at: Cell.at(row.ended_at)
        }
})

const isThis = (sql: PgClient.PgClient, { blockHash, network, transferIndex, txHash }: ArrivalInBlock) =>
  sql`network = ${network} and tx_hash = ${txHash} and transfer_index = ${BigInt(transferIndex)} and block_hash = ${blockHash}`

/** Those behind a place. The first comparison is what the index goes by. */
const behind = (
  sql: PgClient.PgClient,
  { blockHash, network, since, transferIndex, txHash }: HeldPlace
) => sql`since <= ${new Date(since)} and (since < ${new Date(since)}
  or (network, tx_hash, transfer_index, block_hash) > (${network}, ${txHash}, ${BigInt(transferIndex)}, ${blockHash}))`

/** Whether what is held again pays the same one as much: what people decide is about that alone. */
const isSame = (sql: PgClient.PgClient) =>
  sql`(held_arrival.tenant_id, held_arrival.address, held_arrival.currency, held_arrival.units)
    = (excluded.tenant_id, excluded.address, excluded.currency, excluded.units)`

/** Whether the acceptance of one that is held again still counts. */
const stillAccepted = (sql: PgClient.PgClient) => sql`held_arrival.outcome is null and ${isSame(sql)}`

/** Takes an operator's word on an open one, which nobody else changes meanwhile. */
const decide = (sql: PgClient.PgClient, which: ArrivalInBlock, decision: HeldDecision) => {
  const { at, by, reason, verdict } = decision
  const end = (outcome: "accepted" | "refused") =>
    Effect.as(
      sql`update held_arrival set outcome = ${outcome}, ended_by = ${by}, end_reason = ${reason}, ended_at = ${new Date(at)}
        where ${isThis(sql, which)}`,
      outcome
    )
  return sql.withTransaction(
    Effect.gen(function* (): Effect.fn.Return<DecisionResult, Effect.Error<ReturnType<typeof end>>> {
      const [row] =
        yield* sql<Row>`select * from held_arrival where ${isThis(sql, which)} and outcome is null for update`
      if (row === undefined) return "not_open"
      if (!isAbout(decision, entryOf(row))) return "changed"
      if (verdict === "refuse") return yield* end("refused")
      if (row.accepted_by === by) return "same_person"
      if (row.accepted_by !== null) return yield* end("accepted")
      yield* sql`update held_arrival set accepted_by = ${by}, acceptance_reason = ${reason} where ${isThis(sql, which)}`
      return "first"
    })
  )
}

/** Arrivals on which nodes do not agree. */
export const layer = Layer.effect(
  HeldArrivals,
  Effect.map(Connection, ({ sql }) =>
    HeldArrivals.of({
      hold: (fence, one) =>
        underFence(
          sql,
          fence,
          Effect.asVoid(
            sql`insert into held_arrival (network, tx_hash, transfer_index, block_hash, block_number, tenant_id, address, currency,
                units, state, said, since)
              values (${one.network}, ${one.txHash}, ${BigInt(one.transferIndex)}, ${one.blockHash}, ${BigInt(one.blockNumber)},
                ${one.tenantId}, ${one.address}, ${one.currency}, ${one.units.toString()}::numeric, ${one.state},
                ${JSON.stringify(one.said)}::json, ${new Date(one.since)})
              on conflict (network, tx_hash, transfer_index, block_hash) do update set state = excluded.state,
                said = excluded.said, since = excluded.since, block_number = excluded.block_number,
                tenant_id = excluded.tenant_id, address = excluded.address, currency = excluded.currency, units = excluded.units,
                accepted_by = case when ${stillAccepted(sql)} then held_arrival.accepted_by end,
                acceptance_reason = case when ${stillAccepted(sql)} then held_arrival.acceptance_reason end,
                outcome = null, ended_by = null, end_reason = null, ended_at = null
              where held_arrival.outcome is null or held_arrival.outcome in ('agreed', 'gone') or not ${isSame(sql)}`
          )
        ).pipe(attemptChange("hold an arrival on which nodes do not agree")),
      end: (fence, which, outcome, at) =>
        underFence(
          sql,
          fence,
          Effect.asVoid(
            sql`update held_arrival set outcome = ${outcome}, ended_by = 'watcher', ended_at = ${new Date(at)}
              where ${isThis(sql, which)} and outcome is null`
          )
        ).pipe(attemptChange("end what was held")),
      among: (network, txHashes) =>
        txHashes.length === 0
          ? Effect.succeed([])
          : sql<Row>`select * from held_arrival where network = ${network} and ${sql.in("tx_hash", txHashes)}`.pipe(
              Effect.map((rows) => rows.map(entryOf)),
              attempt("read what is held")
            ),
      list: ({ after, limit, network, open }) =>
        sql<Row>`select * from held_arrival where ${sql.and([
          sql`true`,
          ...(network === null ? [] : [sql`network = ${network}`]),
          ...(open ? [sql`outcome is null`] : []),
          ...given(after, (place) => behind(sql, place))
        ])} order by since desc, network, tx_hash, transfer_index, block_hash limit ${limit}`.pipe(
          Effect.map((rows) => rows.map(entryOf)),
          attempt("list what is held")
        ),
      decide: (which, decision) => decide(sql, which, decision).pipe(attemptChange("decide about what is held"))
    })
  )
)
