import { isPut, putRecord, readFact, readGroup, readNewest, readRecord } from "@bursar/core/engine/Records"
import * as Writer from "@bursar/core/engine/Writer"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import { Queries } from "@bursar/core/store/Queries"
import type { Command } from "@bursar/core/engine/Command"
import { Usage } from "@bursar/core/limit/Usage"
import { Storage } from "@bursar/core/engine/Storage"
import type { StorageError } from "@bursar/core/engine/StorageError"
import type { Tenants } from "@bursar/core/port/Tenants"
import {
  Cell,
  column,
  ColumnType,
  Connection,
  layer as layerPostgres,
  layerConnection,
  mapRecord,
  type RecordTable
} from "@bursar/postgres"
import { adjust, contextAt, looking, writing } from "@bursar/testkit/fixtures/commands"
import { commitAt, newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Stream } from "effect"
import { layer as layerMemory } from "../../memory/src/index.ts"
import { migratedDatabase } from "./database.ts"
import {
  booksOpen,
  ClosedBook,
  NewestVoucher,
  OwnUsage,
  Unmapped,
  type Voucher as VoucherRecord,
  Voucher,
  VoucherUse
} from "./voucher/Voucher.ts"
import { voucherMigration, voucherRecords } from "./voucher/voucherTables.ts"

const { url } = await migratedDatabase()

await Effect.runPromise(
  Effect.gen(function* () {
    const { sql } = yield* Connection
    for (const statement of voucherMigration) yield* sql.unsafe(statement)
  }).pipe(Effect.provide(layerConnection({ url })))
)

const postgres = layerPostgres({ url, records: voucherRecords, anyMoment: true })

const adapters: ReadonlyArray<
  readonly [string, Layer.Layer<LedgerSnapshot | Queries | Storage | Tenants, StorageError>]
> = [
  ["memory", layerMemory],
  ["postgres", postgres]
]

const voucher = (code: string, more: Partial<VoucherRecord> = {}): VoucherRecord => ({
  code,
  book: "spring",
  cents: 12_345_678_901_234_567_890n,
  usedAt: null,
  ...more
})

const newCode = (): string => crypto.randomUUID()

for (const [name, storage] of adapters) {
  layer(Layer.provideMerge(Writer.layer, storage), { excludeTestServices: true })(
    `${name}: records of a feature that the core does not know`,
    (it) => {
      it.effect("are written, read by key and by group, and replaced, in one batch and in the next", () =>
        Effect.gen(function* () {
          const { submit } = yield* Writer.Writer
          const { id } = yield* newTenant({ createdAt: past })
          const [one, other] = [voucher(newCode()), voucher(newCode(), { cents: 1n })]
          const written = yield* submit(
            id,
            writing(() => [putRecord(Voucher, one), putRecord(Voucher, other)])
          )
          assert.isTrue(written.every((change) => isPut(Voucher, change)))
          const used = { ...other, usedAt: past }
          const open = looking([readGroup(Voucher, "spring")], (view) => view.group(Voucher, "spring"))
          const before = yield* submit(id, open)
          assert.deepStrictEqual(
            before,
            [one, other].toSorted((left, right) => (left.code < right.code ? -1 : 1))
          )
          const [, after] = yield* commitAt(
            id,
            past,
            writing(() => [putRecord(Voucher, used)]),
            open
          )
          assert.deepStrictEqual(after, [one])
          assert.deepStrictEqual(yield* submit(id, open), [one])
          const read = looking([readRecord(Voucher, other.code)], (view) => view.get(Voucher, other.code))
          assert.deepStrictEqual(yield* submit(id, read), used)
          const queries = yield* Queries
          assert.deepStrictEqual(yield* queries.record(id, Voucher, other.code), used)
          assert.deepStrictEqual(yield* queries.records(id, Voucher, "spring"), [one])
          const all = yield* (yield* LedgerSnapshot).snapshot(id, (ledger) =>
            Stream.runCollect(ledger.records(Voucher))
          )
          assert.lengthOf(all, 2)
          assert.isUndefined(yield* queries.record((yield* newTenant({ createdAt: past })).id, Voucher, one.code))
        })
      )

      it.effect("cannot be seen by a command that did not declare them", () =>
        Effect.gen(function* () {
          const { submit } = yield* Writer.Writer
          const { id } = yield* newTenant({ createdAt: past })
          const code = newCode()
          yield* submit(
            id,
            writing(() => [putRecord(Voucher, voucher(code))])
          )
          const byKey = yield* Effect.exit(
            submit(
              id,
              looking([], (view) => view.get(Voucher, code))
            )
          )
          const byGroup = yield* Effect.exit(
            submit(
              id,
              looking([readRecord(Voucher, code)], (view) => view.group(Voucher, "spring"))
            )
          )
          assert.deepStrictEqual([Exit.hasDies(byKey), Exit.hasDies(byGroup)], [true, true])
        })
      )

      it.effect("are put once where they are put once, by a key of several parts, until they may be forgotten", () =>
        Effect.gen(function* () {
          const { id } = yield* newTenant({ createdAt: past })
          const code = newCode()
          const use = { code, turn: 2 ** 40, forgetAt: past + 10 }
          const note = writing(() => [putRecord(VoucherUse, use), putRecord(Voucher, voucher(code))])
          const look = looking([readRecord(VoucherUse, use)], (view) => view.get(VoucherUse, { code, turn: use.turn }))
          assert.deepStrictEqual((yield* commitAt(id, past, note, look))[1], use)
          const again = yield* Effect.exit(
            commitAt(
              id,
              past + 1,
              writing(() => [putRecord(VoucherUse, use), putRecord(Voucher, voucher(code, { cents: 0n }))])
            )
          )
          assert.isTrue(Exit.isFailure(again))
          assert.deepStrictEqual(
            yield* (yield* Queries).record(id, Voucher, code),
            voucher(code),
            "nothing of the batch is written"
          )
          yield* commitAt(
            id,
            past + 11,
            writing(() => [putRecord(VoucherUse, { code, turn: 1, forgetAt: past + 20 })])
          )
          assert.isUndefined((yield* commitAt(id, past + 11, look))[0])
        })
      )

      it.effect("are not taken for Bursar's own of their name, and a command that takes them so fails alone", () =>
        Effect.gen(function* () {
          const { id } = yield* newTenant({ createdAt: past })
          const usage: Usage = { scope: "payouts", buckets: [{ from: past, cents: 100_000n }] }
          yield* commitAt(
            id,
            past,
            writing(() => [putRecord(Usage, usage)])
          )
          const storage = yield* Storage
          const commands: ReadonlyArray<Command<unknown>> = [
            adjust(1n),
            writing(() => [putRecord(OwnUsage, { scope: "payouts" })]),
            looking([readRecord(OwnUsage, "payouts")], (view) => view.get(OwnUsage, "payouts")),
            adjust(2n)
          ]
          const exits = yield* storage.commit(id, commands, contextAt(past))
          assert.deepStrictEqual(exits.map(Exit.hasDies), [false, true, true, false])
          const look = looking([readRecord(Usage, "payouts")], (view) => view.get(Usage, "payouts"))
          assert.deepStrictEqual(yield* commitAt(id, past, look), [usage])
        })
      )

      it.effect("may be all in their keys", () =>
        Effect.gen(function* () {
          const { id } = yield* newTenant({ createdAt: past })
          const close = writing(() => [putRecord(ClosedBook, { book: "spring" })])
          for (let times = 0; times < 2; times++) yield* commitAt(id, past, close)
          assert.deepStrictEqual(yield* (yield* Queries).records(id, ClosedBook), [{ book: "spring" }])
        })
      )

      it.effect("have no newest and no facts of their own, and a command that asks for one fails alone", () =>
        Effect.gen(function* () {
          const { id } = yield* newTenant({ createdAt: past })
          const commands: ReadonlyArray<Command<unknown>> = [
            adjust(1n),
            looking([readNewest(NewestVoucher, "spring")], (view) => view.newest(NewestVoucher, "spring")),
            looking([readFact(booksOpen, "spring")], (view) => view.fact(booksOpen, "spring")),
            looking([readRecord(Unmapped, "1")], (view) => view.get(Unmapped, "1")),
            adjust(2n)
          ]
          const exits = yield* (yield* Storage).commit(id, commands, contextAt(past))
          // a kind without a table is a matter of those that have tables
          assert.deepStrictEqual(exits.map(Exit.hasDies), [false, true, true, name === "postgres", false])
        })
      )

      it.effect("belong to one tenant among all where their keys are unique", () =>
        Effect.gen(function* () {
          const [one, other] = [yield* newTenant({ createdAt: past }), yield* newTenant()]
          const put = writing(() => [putRecord(Voucher, voucher(code))])
          const code = newCode()
          yield* commitAt(one.id, past, put)
          assert.isTrue(Exit.isFailure(yield* Effect.exit(commitAt(other.id, past, put))))
          assert.isUndefined(yield* (yield* Queries).record(other.id, Voucher, code))
          yield* commitAt(one.id, past, put)
        })
      )
    }
  )
}

const ownUsageTable: RecordTable<{ readonly scope: string }> = {
  name: "own_usage",
  key: ["scope"],
  keyType: ColumnType.text,
  columns: [column("scope", ColumnType.text, ({ scope }) => scope)],
  read: (row) => ({ scope: Cell.text(row["scope"]) })
}

layer(postgres, { excludeTestServices: true })("postgres: a kind of record", (it) => {
  it.effect("that has no table is a defect of the command that puts it, and nothing of it is written", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant({ createdAt: past })
      const code = newCode()
      const other = newCode()
      const exits = yield* (yield* Storage).commit(
        id,
        [
          writing(() => [putRecord(Voucher, voucher(code)), putRecord(Unmapped, { id: "1" })]),
          writing(() => [putRecord(Voucher, voucher(other))])
        ],
        contextAt(past)
      )
      assert.deepStrictEqual(exits.map(Exit.hasDies), [true, false])
      assert.deepStrictEqual(yield* (yield* Queries).record(id, Voucher, other), voucher(other))
      assert.isUndefined(yield* (yield* Queries).record(id, Voucher, code))
    })
  )

  for (const [what, records] of [
    ["one of Bursar's", [mapRecord(OwnUsage, ownUsageTable)]],
    ["another of one's own", [...voucherRecords, ...voucherRecords.slice(0, 1)]]
  ] as const)
    it.effect(`cannot have the name of ${what}: the store does not open`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(Layer.build(layerPostgres({ url, records })))
        assert.match(String(error.cause), /two kinds of records have the name/u)
      }).pipe(Effect.scoped)
    )

  it("cannot be mapped to a table that lacks what its traits need", () => {
    const bare = { name: "voucher", key: ["code"], keyType: { sql: "text", oid: 25, arrayOid: 1009 }, columns: [] }
    assert.throws(() => mapRecord(Voucher, { ...bare, read: () => voucher("") }), /traits of Voucher/u)
  })
})
