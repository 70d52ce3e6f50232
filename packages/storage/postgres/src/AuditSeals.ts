import type { AuditSeal } from "@bursar/core/audit/AuditSeal"
import { AuditSeals } from "@bursar/core/port/AuditSeals"
import { Effect, Layer } from "effect"
import { Connection } from "./Connection.ts"
import { attempt, attemptChange } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import * as Cell from "./internal/cells.ts"

const sealOf = (row: Row): AuditSeal => ({
  number: Cell.int(row.number),
  fromId: Cell.int(row.from_id),
  toId: Cell.int(row.to_id),
  hash: Cell.text(row.hash),
  at: Cell.at(row.sealed_at),
  keyId: Cell.text(row.key_id),
  previous: Cell.text(row.previous),
  mac: Cell.text(row.mac)
})

/** The seals of what operators did. */
export const layer = Layer.effect(
  AuditSeals,
  Effect.map(Connection, ({ sql }) =>
    AuditSeals.of({
      add: (seal) =>
        sql`insert into operator_audit_seal (number, from_id, to_id, hash, sealed_at, key_id, previous, mac)
          values (${BigInt(seal.number)}, ${BigInt(seal.fromId)}, ${BigInt(seal.toId)}, ${seal.hash}, ${new Date(seal.at)},
            ${seal.keyId}, ${seal.previous}, ${seal.mac})
          on conflict do nothing`.pipe(Effect.asVoid, attemptChange("store a seal of what operators did")),
      after: (number, limit) =>
        sql<Row>`select * from operator_audit_seal where number > ${BigInt(number)} order by number limit ${limit}`.pipe(
          Effect.map((rows) => rows.map(sealOf)),
          attempt("read the seals of what operators did")
        ),
      last: sql<Row>`select * from operator_audit_seal order by number desc limit 1`.pipe(
        Effect.map(([row]) => (row === undefined ? undefined : sealOf(row))),
        attempt("read the seals of what operators did")
      )
    })
  )
)
