import { isUuid } from "@bursar/core/base/uuid"
import { type NotedCall, type ProviderCall, ProviderCalls } from "@bursar/core/port/ProviderCalls"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Layer } from "effect"
import { Connection } from "./Connection.ts"
import { attempt, attemptChange } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import * as Cell from "./internal/cells.ts"

const outcomes = ["Done", "Refused", "Unknown"] as const

const noted = (row: Row): NotedCall => ({
  tenantId: TenantId(Cell.text(row.tenant_id)),
  operationId: Cell.text(row.operation_id),
  provider: Cell.text(row.provider),
  call: Cell.json<NotedCall["call"]>(row.call),
  outcome: Cell.oneOf(outcomes, row.outcome),
  asked: Cell.json<NotedCall["asked"]>(row.asked),
  answered: Cell.json<NotedCall["answered"]>(row.answered),
  at: Cell.at(row.at),
  lastAt: Cell.at(row.last_at),
  times: Cell.int(row.times),
  durationMs: Cell.int(row.duration_ms)
})

/** What providers were asked for operations and answered. */
export const layer = Layer.effect(
  ProviderCalls,
  Effect.gen(function* () {
    const { sql } = yield* Connection
    const note = ({
      answered,
      asked,
      at,
      call,
      durationMs,
      operationId,
      outcome,
      provider,
      tenantId
    }: ProviderCall) => {
      const [question, answer] = [JSON.stringify(asked), JSON.stringify(answered)]
      // an operation is driven by one process at a time: of two that note at once, after a change of leaders, one is enough
      return sql`with newest as (
          select * from provider_call where tenant_id = ${tenantId} and operation_id = ${operationId}
          order by number desc limit 1
        ), again as (
          update provider_call c set times = c.times + 1, last_at = ${new Date(at)}, duration_ms = ${durationMs}::int8
          from newest n
          where c.tenant_id = n.tenant_id and c.operation_id = n.operation_id and c.number = n.number
            and n.provider = ${provider} and n.call = ${call} and n.outcome = ${outcome}
            and n.asked::text = ${question} and n.answered::text = ${answer}
          returning 1
        )
        insert into provider_call (tenant_id, operation_id, number, provider, call, outcome, asked, answered, at, last_at, times, duration_ms)
        select ${tenantId}::uuid, ${operationId}::uuid, coalesce((select number from newest), 0) + 1, ${provider}, ${call}, ${outcome},
          ${question}::json, ${answer}::json, ${new Date(at)}, ${new Date(at)}, 1, ${durationMs}::int8
        where not exists (select from again)
        on conflict do nothing`
    }
    return ProviderCalls.of({
      note: (call) => note(call).pipe(Effect.asVoid, attemptChange("note a call of a provider")),
      callsOf: (tenantId, operationId, limit) =>
        !isUuid(tenantId) || !isUuid(operationId)
          ? Effect.succeed([])
          : sql<Row>`select * from provider_call where tenant_id = ${tenantId} and operation_id = ${operationId}
              order by number desc limit ${limit}`.pipe(
              Effect.map((rows) => rows.map(noted)),
              attempt("read the calls of an operation")
            ),
      forget: (before, callsMax) =>
        sql<Row>`with gone as (
            delete from provider_call where ctid = any(array(
              select ctid from provider_call where at < ${new Date(before)} limit ${callsMax} for update skip locked))
            returning 1
          ) select count(*) as count from gone`.pipe(
          Effect.map(([row]) => Cell.int(row?.count)),
          attemptChange("forget calls of providers")
        )
    })
  })
)
