import { type OperatorPass, OperatorSessions } from "@bursar/core/port/OperatorSessions"
import { Effect, Layer } from "effect"
import { Connection } from "./Connection.ts"
import { attempt, attemptChange } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import * as Cell from "./internal/cells.ts"

const passOf = (row: Row): OperatorPass => ({
  digest: Cell.text(row["digest"]),
  kind: Cell.oneOf(["LINK", "SESSION"], row["kind"]),
  operator: Cell.text(row["operator"]),
  credential: Cell.text(row["credential"]),
  seal: Cell.text(row["seal"]),
  role: Cell.text(row["role"]),
  createdAt: Cell.at(row["created_at"]),
  expiresAt: Cell.at(row["expires_at"]),
  credentialExpiresAt: Cell.atOrNull(row["credential_expires_at"])
})

/** The links and sessions of operators. */
export const layer = Layer.effect(
  OperatorSessions,
  Effect.gen(function* () {
    const { sql } = yield* Connection
    const one = (rows: ReadonlyArray<Row>) => rows.map(passOf).at(0)
    return OperatorSessions.of({
      add: (pass) =>
        Effect.gen(function* () {
          yield* sql`delete from operator_session where expires_at <= ${new Date(pass.createdAt)}`
          yield* sql`insert into operator_session ${sql.insert({
            digest: pass.digest,
            kind: pass.kind,
            operator: pass.operator,
            credential: pass.credential,
            seal: pass.seal,
            role: pass.role,
            created_at: new Date(pass.createdAt),
            expires_at: new Date(pass.expiresAt),
            credential_expires_at: pass.credentialExpiresAt === null ? null : new Date(pass.credentialExpiresAt)
          })}`
        }).pipe(attemptChange("keep a session of an operator")),
      find: (digest) =>
        sql<Row>`select * from operator_session where digest = ${digest}`.pipe(
          Effect.map(one),
          attempt("find a session of an operator")
        ),
      take: (digest, kind) =>
        sql<Row>`delete from operator_session where digest = ${digest} and kind = ${kind} returning *`.pipe(
          Effect.map(one),
          attemptChange("take a session of an operator")
        ),
      open: (now) =>
        sql<Row>`select * from operator_session where kind = 'SESSION' and expires_at > ${new Date(now)}
          order by created_at desc, digest collate "C"`.pipe(
          Effect.map((rows) => rows.map(passOf)),
          attempt("list the sessions of operators")
        ),
      endAll: (operator) =>
        sql`delete from operator_session where operator = ${operator}`.pipe(
          Effect.asVoid,
          attemptChange("end the sessions of an operator")
        )
    })
  })
)
