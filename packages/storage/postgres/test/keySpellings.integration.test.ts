import { defineRecord, putRecord, readRecord } from "@bursar/core/engine/Records"
import type { Command } from "@bursar/core/engine/Command"
import { isUnstorable } from "@bursar/core/engine/StorageError"
import * as Writer from "@bursar/core/engine/Writer"
import {
  Cell,
  column,
  ColumnType,
  Connection,
  layer as layerPostgres,
  layerConnection,
  mapRecord
} from "@bursar/postgres"
import { adjust, looking } from "@bursar/testkit/fixtures/commands"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Result } from "effect"
import { migratedDatabase } from "./database.ts"

const { url } = await migratedDatabase()

/** A coupon that is credited once: a kind for each column that its key may have. */
const kindOf = (name: string, type: ColumnType.ColumnType, sql = type.sql, insertOnly = false) => {
  const traits = insertOnly ? { insertOnly } : {}
  const of = defineRecord<{ readonly id: string }>({ name: `Coupon_${name}`, key: ({ id }) => id, traits })
  const mapped = mapRecord(of, {
    name: `coupon_${name}`,
    key: ["id"],
    keyType: type,
    columns: [column("id", type, ({ id }) => id), column("note", ColumnType.text, () => "used")],
    read: (row) => ({ id: Cell.text(row.id) })
  })
  return { of, mapped, sql }
}

const { numeric, text, uuid } = ColumnType
const kinds = {
  uuid: kindOf("uuid", uuid),
  numeric: kindOf("numeric", numeric),
  text: kindOf("text", text),
  scaled: kindOf("scaled", numeric, "numeric(10, 2)"),
  whole: kindOf("whole", numeric, "numeric(10, 0)"),
  wholeOnce: kindOf("wholeOnce", numeric, "numeric(10, 0)", true),
  padded: kindOf("padded", text, "char(3)"),
  lowered: kindOf("lowered", text)
}

await Effect.runPromise(
  Effect.gen(function* () {
    const { sql } = yield* Connection
    for (const [name, kind] of Object.entries(kinds))
      yield* sql.unsafe(
        `create table coupon_${name} (tenant_id uuid not null, id ${kind.sql} not null, note text, primary key (tenant_id, id))`
      )
    yield* sql.unsafe(
      "create function lowered() returns trigger language plpgsql as $$ begin new.id := lower(new.id); return new; end $$"
    )
    yield* sql.unsafe("create trigger lowered before insert on coupon_lowered for each row execute function lowered()")
  }).pipe(Effect.provide(layerConnection({ url })))
)

const storage = layerPostgres({ url, records: Object.values(kinds).map(({ mapped }) => mapped) })

/** Credits once for a coupon. */
const redeem = ({ of }: ReturnType<typeof kindOf>, id: string): Command<string> => {
  const credit = adjust(5n)
  return {
    name: "Redeem",
    reads: [...credit.reads, readRecord(of, id)],
    decide: (view) => {
      if (view.get(of, id) !== undefined) return Result.succeed({ changes: [], reply: "was redeemed" })
      return Result.map(credit.decide(view), ({ changes }) => ({
        changes: [...changes, putRecord(of, { id })],
        reply: "credited"
      }))
    }
  }
}

const float = looking(
  [{ _tag: "Balance", account: "float:available", currency: "ETH" }],
  (view) => view.balance("float:available", "ETH").units
)

const capitals = "0190A2F4-0000-7000-8000-00000000ABCD"

/** Keys with how the service spells them, and what PostgreSQL takes for the same. */
const spelt: ReadonlyArray<readonly [keyof typeof kinds, string, ReadonlyArray<string>]> = [
  ["uuid", capitals.toLowerCase(), [capitals, capitals.toLowerCase().replaceAll("-", ""), `{${capitals}}`]],
  ["numeric", "1.5", ["1.50", "01.5", "+1.5", "15e-1"]],
  ["numeric", "0", ["0.0", "-0", "00"]],
  ["scaled", "0.25", ["1.5", "7", "1.50"]],
  ["whole", "7", ["7.4", "6.9"]],
  ["wholeOnce", "7", ["7.4", "6.9"]],
  ["padded", "abc", ["ab", "a"]],
  ["lowered", "abc", ["ABC", "Abc"]]
]

layer(Layer.provideMerge(Writer.layer, storage), { excludeTestServices: true })(
  "a key of a kind of one's own",
  (it) => {
    for (const [type, key, others] of spelt)
      it.effect(`whose column is ${type} acts once as ${key}, and never in a spelling that does not come back`, () =>
        Effect.gen(function* () {
          const { id } = yield* newTenant()
          const { submit } = yield* Writer.Writer
          const kind = kinds[type]
          // together, so that they are one batch
          const [beside, ...exits] = yield* Effect.forEach(
            [adjust(100n), ...others.flatMap((one) => [redeem(kind, one), redeem(kind, one)])],
            (command: Command<unknown>) => Effect.exit(submit(id, command)),
            { concurrency: "unbounded" }
          )
          assert.isTrue(beside !== undefined && Exit.isSuccess(beside), "another command of the batch goes on")
          assert.lengthOf(exits, 2 * others.length)
          for (const exit of exits)
            assert.isTrue(
              Exit.isFailure(exit) &&
                exit.cause.reasons.some(
                  // a key that is there may be another's, who was quicker
                  (one) => one._tag === "Fail" && (kind.of.traits.insertOnly === true || isUnstorable(one.error))
                )
            )
          assert.strictEqual(yield* submit(id, redeem(kind, key)), "credited")
          for (const one of [key, key]) assert.strictEqual(yield* submit(id, redeem(kind, one)), "was redeemed")
          assert.strictEqual(yield* submit(id, float), 105n, "what was there, and the coupon once")
        })
      )

    it.effect("whose column is text acts once in each spelling", () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const { submit } = yield* Writer.Writer
        for (const one of [capitals, capitals.toLowerCase()]) {
          assert.strictEqual(yield* submit(id, redeem(kinds.text, one)), "credited")
          assert.strictEqual(yield* submit(id, redeem(kinds.text, one)), "was redeemed")
        }
      })
    )
  }
)
