import { migrate } from "@bursar/postgres"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { migrations } from "../src/migrations/all.ts"
import { client } from "./client.ts"
import { emptyDatabase } from "./database.ts"

const step = 34

interface Named {
  readonly table: string
  readonly name: string
}

/** What the step has taken out of use, as the beginning of a name. */
const formerTables =
  /^(?:spend|sent_transaction|wallet_coin|wallet_arrival|account_setup|intake|agenda|claim)(?:$|_(?!cost))/u

describe("the step that names things as the field does", () => {
  const older = emptyDatabase()
  it.live(
    "moves jobs to the queues that are worked now, keeps when they are due, and renames purposes and states",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { url } = yield* Effect.promise(() => older)
          const sql = yield* client(url)
          yield* sql`create table bursar_migration (migration_id integer primary key, created_at timestamptz not null default now(), name text not null)`
          for (const { id, name, statements } of migrations.filter((one) => one.id < step)) {
            yield* Effect.forEach(statements(sql), (statement) => statement, { discard: true })
            yield* sql`insert into bursar_migration ${sql.insert({ migration_id: id, name })}`
          }
          const tenant = crypto.randomUUID()
          const queues = [
            ["send:tron", "payout:tron"],
            ["spend:tron", "transaction:tron"],
            ["setup:stellar", "provisioning:stellar"],
            ["sweep:tron", "sweep:tron"],
            ["open-sweep:tron", "open-sweep:tron"],
            ["custodian", "custodian"],
            ["transfer", "transfer"],
            ["account", "account"],
            ["verification", "verification"]
          ] as const
          for (const [at, [topic]] of queues.entries())
            yield* sql`insert into agenda (tenant_id, topic, key, due_at) values (${tenant}, ${topic}, 'send:k', to_timestamp(${at}))`
          const [setup, payout] = [crypto.randomUUID(), crypto.randomUUID()]
          for (const [id, purpose, token] of [
            [setup, "SETUP", 7],
            [payout, "PAYOUT", 8]
          ] as const)
            yield* sql`insert into spend (tenant_id, spend_id, network, purpose, paid_from, token_account, token_number, payments,
              drain, salt, phase, hashes, fee_max, cancelled, reserved_at)
            values (${tenant}, ${id}, 'stellar', ${purpose}, 'f', 'a', ${token}, '[]', false, 0, 'SIGNED', '[]', 0, '[]', now())`
          const [over, open] = [crypto.randomUUID(), crypto.randomUUID()]
          for (const [id, state, endedAt] of [
            [over, "GIVEN_UP", new Date(0)],
            [open, "TOPUP_SIGNED", null]
          ] as const)
            yield* sql`insert into sweep (tenant_id, sweep_id, network, address_id, address, account, address_key, currency, units,
              state, top_up_spend_id, deposits, created_at, ended_at)
            values (${tenant}, ${id}, 'tron', ${crypto.randomUUID()}, 'a', 'a', '{}', 'TRX', 1, ${state}, ${payout}, '[]', now(), ${endedAt})`

          assert.deepStrictEqual(
            yield* migrate({ url }),
            migrations.filter(({ id }) => id >= step).map(({ name }) => name)
          )

          assert.deepStrictEqual(
            yield* sql`select queue, key, extract(epoch from due_at)::int as at from job order by due_at`,
            queues.map(([, queue], at) => ({ queue, key: "send:k", at }))
          )
          assert.deepStrictEqual(
            yield* sql`select transaction_id as id, purpose, guard_account as account, guard_sequence::int as sequence
            from outbound_transaction order by guard_sequence`,
            [
              { id: setup, purpose: "PROVISIONING", account: "a", sequence: 7 },
              { id: payout, purpose: "PAYOUT", account: "a", sequence: 8 }
            ]
          )
          assert.deepStrictEqual(
            yield* sql`select sweep_id as id, state, top_up_transaction_id as transaction from sweep order by state`,
            [
              { id: over, state: "ABANDONED", transaction: payout },
              { id: open, state: "TOPUP_SIGNED", transaction: payout }
            ]
          )
          // a sequence number is still one transaction's alone
          const again = yield* Effect.flip(
            sql`insert into outbound_transaction (tenant_id, transaction_id, network, purpose, paid_from, guard_account, guard_sequence,
              payments, drain, salt, phase, hashes, fee_max, cancelled, reserved_at)
            values (${tenant}, ${crypto.randomUUID()}, 'stellar', 'PAYOUT', 'f', 'a', 7, '[]', false, 0, 'SIGNED', '[]', 0, '[]', now())`
          )
          assert.strictEqual(again.reason._tag, "UniqueViolation")

          const named = yield* sql<Named>`
          select relname as table, relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')
          union all
          select conrelid::regclass::text, conname from pg_constraint where connamespace = 'public'::regnamespace`
          assert.deepStrictEqual(
            named.filter(({ name }) => formerTables.test(name)),
            []
          )
        })
      )
  )
})
