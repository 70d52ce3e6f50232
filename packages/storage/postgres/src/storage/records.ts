import {
  type RecordKind,
  recordKindNames,
  recordKinds,
  type RecordMaps,
  type Records
} from "@bursar/core/engine/Records"
import type { ReadSet } from "@bursar/core/engine/Read"
import type { WrittenRecords } from "@bursar/core/engine/WriteSet"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { arrayParameter, parameter, text, uuid } from "../internal/columnTypes.ts"
import { isId } from "../internal/ids.ts"
import { groupColumn, inserting, type RecordTable, selectList, type Statement } from "../internal/Table.ts"
import type { Transaction } from "../internal/Transaction.ts"
import { recordTables } from "../table/recordTables.ts"

const statementOf = <K extends RecordKind>(kind: K) => {
  const table: RecordTable<Records[K]> = recordTables[kind]
  const selecting = `select ${selectList(table, "t")} from ${table.name} t where t.tenant_id = $1 and`
  return {
    byKey: `${selecting} t.${table.key[0]} = any($2)`,
    byGroup: `${selecting} t.${groupColumn} = any($2)`,
    put: inserting(table, "replace")
  }
}

const statements = Object.fromEntries(recordKindNames.map((kind) => [kind, statementOf(kind)])) as {
  // each kind was given its own
  readonly [K in RecordKind]: ReturnType<typeof statementOf<K>>
}

/** Sends what loads the records of a read-set, and gives what waits for them. */
export const loadRecords = Effect.fnUntraced(function* ({ send }: Transaction, tenantId: TenantId, reads: ReadSet) {
  const tenant = parameter(uuid, tenantId)
  const loadKind = Effect.fnUntraced(function* <K extends RecordKind>(kind: K) {
    const table: RecordTable<Records[K]> = recordTables[kind]
    const keys = [...(reads.records.get(kind) ?? [])].filter((key) => table.keyType !== uuid || isId(key))
    const groups = [...(reads.recordGroups.get(kind) ?? [])]
    const answers = [
      ...(keys.length === 0
        ? []
        : [yield* send(statements[kind].byKey, [tenant, arrayParameter(table.keyType, keys)])]),
      ...(groups.length === 0 ? [] : [yield* send(statements[kind].byGroup, [tenant, arrayParameter(text, groups)])])
    ]
    return Effect.map(Effect.all(answers), (all) => {
      const records = all.flatMap(({ rows }) => rows.map(table.read))
      return [kind, new Map(records.map((record) => [recordKinds[kind].key(record), record]))] as const
    })
  })
  const kinds = recordKindNames.filter((kind) => reads.records.has(kind) || reads.recordGroups.has(kind))
  const loading = yield* Effect.forEach(kinds, (kind) => loadKind(kind))
  const all: Effect.Effect<RecordMaps, SqlError> = Effect.map(Effect.all(loading), (found) => Object.fromEntries(found))
  return all
})

/** The statements that put the records of a batch. */
export const putRecords = (tenantId: TenantId, written: WrittenRecords): ReadonlyArray<Statement> => {
  const putKind = <K extends RecordKind>(kind: K): ReadonlyArray<Statement> => {
    const records: ReadonlyArray<Records[K]> = written[kind] ?? []
    return records.length === 0 ? [] : [statements[kind].put(tenantId, records)]
  }
  return recordKindNames.flatMap((kind) => putKind(kind))
}
