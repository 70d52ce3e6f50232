import { defineRecord, putRecord, readRecord } from "@bursar/core/engine/Records"
import { Storage } from "@bursar/core/engine/Storage"
import { isUnstorable } from "@bursar/core/engine/StorageError"
import {
  bigintColumn,
  Cell,
  column,
  ColumnType,
  Connection,
  layer as layerPostgres,
  layerConnection,
  mapRecord
} from "@bursar/postgres"
import { adjust, contextNow, looking, writing } from "@bursar/testkit/fixtures/commands"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { migratedDatabase } from "./database.ts"

const { url } = await migratedDatabase()

type Value = bigint | number | string

type Column<A> = ReturnType<typeof column<A>>

interface Key {
  readonly value: Value
}

interface Mark {
  readonly key: Key
}

/** A kind that is all in its key. */
const kindOf = (name: string, key: Column<Key>, read: (cell: unknown) => Value) => {
  const of = defineRecord<Mark, Key>({ name, key: (mark) => mark.key, text: ({ value }) => String(value) })
  const mapped = mapRecord(of, {
    name: `mark_${name}`,
    key: ["id"],
    keyColumns: [key],
    columns: [{ ...key, of: (mark) => key.of(mark.key) }],
    read: (row) => ({ key: { value: read(row["id"]) } })
  })
  return { mapped, name, of, type: key.type.sql }
}

const plain = (type: ColumnType.ColumnType) => column<Key>("id", type, ({ value }) => value)
const { int4, int8, numeric, text, timestamptz, uuid } = ColumnType

const whole = (cell: unknown): bigint => BigInt(Cell.int(cell))
const counts = kindOf(
  "counted",
  bigintColumn("id", int8, ({ value }) => Number(value)),
  Cell.int
)

/** Kinds with a key that their column holds, and others that it does not. */
const kinds: ReadonlyArray<readonly [ReturnType<typeof kindOf>, Value, ReadonlyArray<Value>]> = [
  [kindOf("int4", plain(int4), Cell.int), -(2 ** 31), [3_000_000_000, 1.5, Number.NaN, "7"]],
  [kindOf("int8", plain(int8), whole), 7n, [2n ** 63n, "abc", "007"]],
  [counts, 7, [1.5, Number.NaN, Number.POSITIVE_INFINITY]],
  [kindOf("timestamptz", plain(timestamptz), Cell.at), 0, [0.5, Number.NaN, Number.POSITIVE_INFINITY, -1e15, "now"]],
  [kindOf("numeric", plain(numeric), Cell.text), "-7.5", ["abc", 7, "7.50"]],
  [kindOf("uuid", plain(uuid), Cell.text), "0190a2f4-0000-7000-8000-00000000abcd", ["abc", 7]],
  [kindOf("text", plain(text), Cell.text), "007", ["a\u0000b", "half \ud83d", 7]]
]

await Effect.runPromise(
  Effect.gen(function* () {
    const { sql } = yield* Connection
    for (const [{ name, type }] of kinds)
      yield* sql.unsafe(
        `create table mark_${name} (tenant_id uuid not null, id ${type} not null, primary key (tenant_id, id))`
      )
  }).pipe(Effect.provide(layerConnection({ url })))
)

const storage = layerPostgres({ url, records: kinds.map(([{ mapped }]) => mapped) })

layer(storage, { excludeTestServices: true })("a key of a kind of one's own", (it) => {
  for (const [{ name, of }, possible, impossible] of kinds)
    it.effect(
      `that its column (${name}) cannot hold is not there for who reads it, and unstorable for who puts it`,
      () =>
        Effect.gen(function* () {
          const { commit } = yield* Storage
          const { id } = yield* newTenant()
          const look = (value: Value) =>
            looking([readRecord(of, { value })], (view) => view.get(of, { value })?.key.value)
          const put = (value: Value) => writing(() => [putRecord(of, { key: { value } })])
          yield* commit(id, [put(possible)], yield* contextNow)
          // one batch, which whatever fails in it would end
          const exits = yield* commit(id, [adjust(1n), ...[possible, ...impossible].map(look)], yield* contextNow)
          assert.deepStrictEqual(
            exits.slice(1),
            [possible, ...impossible.map(() => undefined)].map((value) => Exit.succeed(value))
          )
          for (const value of impossible) {
            const putting = commit(id, [adjust(1n), put(value)], yield* contextNow)
            const error = yield* Effect.flip(Effect.flatMap(putting, ([, exit]) => exit ?? Effect.void))
            assert.isTrue(isUnstorable(error), String(value))
          }
        })
    )
})
