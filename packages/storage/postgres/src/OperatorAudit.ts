import { chained } from "@bursar/core/audit/chained"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { Effect, Layer, Schema } from "effect"
import { Connection } from "./Connection.ts"
import { attempt, attemptChange } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import * as Cell from "./internal/cells.ts"
import { given } from "./internal/select.ts"
import type { AuditRecord } from "@bursar/core/audit/AuditRecord"

const contentOf = ({ digest, values }: Row): AuditRecord["content"] =>
  digest === null ? null : { digest: Cell.text(digest), values: Cell.text(values) }

const areParams = Schema.is(Schema.Record(Schema.String, Schema.String))

/** The parameters of a record. What somebody has put in their place is told as it is: it hides no other record, and its hash is another. */
const paramsOf = (cell: unknown): AuditRecord["params"] =>
  areParams(cell) ? cell : { unreadable: JSON.stringify(cell) }

const recordOf = (row: Row): AuditRecord => ({
  id: Cell.int(row.id),
  actionId: Cell.text(row.action_id),
  at: Cell.at(row.at),
  operator: Cell.text(row.operator),
  role: Cell.text(row.role),
  method: Cell.text(row.method),
  route: Cell.text(row.route),
  params: paramsOf(row.params),
  status: Cell.intOrNull(row.status),
  requestId: Cell.text(row.request_id),
  address: Cell.text(row.address),
  content: contentOf(row),
  previousHash: Cell.text(row.previous_hash),
  hash: Cell.text(row.hash)
})

/** What operators did. */
export const layer = Layer.effect(
  OperatorAudit,
  Effect.gen(function* () {
    const { sql } = yield* Connection
    // one lock for the chain: the last link is read only once nobody else can add to it
    const append = Effect.fnUntraced(function* (action: Parameters<OperatorAudit["Service"]["append"]>[0]) {
      yield* sql`select pg_advisory_xact_lock(hashtextextended('operator_audit', 0))`
      const [row] = yield* sql<Row>`select id, hash from operator_audit order by id desc limit 1`
      const record = yield* chained(
        row === undefined ? undefined : { id: Cell.int(row.id), hash: Cell.text(row.hash) },
        action
      )
      yield* sql`insert into operator_audit (id, action_id, at, operator, role, method, route, params, status, request_id,
          address, digest, "values", previous_hash, hash)
        values (${BigInt(record.id)}, ${record.actionId}, ${new Date(record.at)}, ${record.operator}, ${record.role},
          ${record.method}, ${record.route}, ${JSON.stringify(record.params)}::json, ${record.status}, ${record.requestId},
          ${record.address}, ${record.content?.digest ?? null}, ${record.content?.values ?? null}, ${record.previousHash}, ${record.hash})`
      return record
    })
    return OperatorAudit.of({
      append: (action) => sql.withTransaction(append(action)).pipe(attemptChange("write down what an operator does")),
      after: (id, limit) =>
        sql<Row>`select * from operator_audit where id > ${BigInt(id)} order by id limit ${limit}`.pipe(
          Effect.map((rows) => rows.map(recordOf)),
          attempt("read what operators did")
        ),
      before: (id, limit, operator) =>
        sql<Row>`select * from operator_audit where ${sql.and([
          sql`id > 0`,
          ...given(id, (place) => sql`id < ${BigInt(place)}`),
          ...given(operator, (name) => sql`operator = ${name}`)
        ])} order by id desc limit ${limit}`.pipe(
          Effect.map((rows) => rows.map(recordOf)),
          attempt("read what operators did")
        )
    })
  })
)
