import { applyRoles, migrate } from "@bursar/postgres"
import {
  functionUsers,
  type Privilege,
  roleMatrix,
  roleProcesses,
  sequenceUsers
} from "@bursar/postgres/roles/roleMatrix"
import { roleName, roleScript } from "@bursar/postgres/roles/roleStatements"
import { assert, describe, it } from "@effect/vitest"
import type { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Redacted, Result } from "effect"
import { SqlError } from "effect/sql/SqlError"
import { readFileSync } from "node:fs"
import { client } from "./client.ts"
import { emptyDatabase, migratedDatabase } from "./database.ts"

const { url } = await migratedDatabase()
const { url: emptyUrl } = await emptyDatabase()

const matrix = Object.entries(roleMatrix)

/** Roles belong to the whole server, so each test has a prefix of its own. */
const newPrefix = () => `t${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`

/** The same database as another user. */
const asUser = (of: Redacted.Redacted, user: string): Redacted.Redacted => {
  const changed = new URL(Redacted.value(of))
  changed.username = user
  changed.password = "secret"
  return Redacted.make(changed.toString())
}

const dropRole = (sql: PgClient.PgClient, role: string) =>
  Effect.flatMap(sql`select 1 from pg_roles where rolname = ${role}`, (found) =>
    found.length === 0
      ? Effect.void
      : Effect.andThen(sql.unsafe(`drop owned by "${role}" cascade`), sql.unsafe(`drop role "${role}"`))
  )

/** A prefix whose roles go with the scope. */
const scopedPrefix = (sql: PgClient.PgClient) =>
  Effect.acquireRelease(Effect.sync(newPrefix), (prefix) =>
    Effect.orDie(
      Effect.forEach(["login", "owner", ...roleProcesses], (name) => dropRole(sql, `${prefix}_${name}`), {
        discard: true
      })
    )
  )

const tryTo = (sql: PgClient.PgClient, statement: string) =>
  Effect.map(Effect.exit(sql.unsafe(statement)), (exit) => {
    if (Exit.isSuccess(exit)) return "done"
    const reason = exit.cause.reasons.find((one) => one._tag === "Fail")
    const error = reason?._tag === "Fail" ? reason.error : undefined
    return error instanceof SqlError ? error.reason._tag : "Defect"
  })

/** Some column of a table. */
interface Column {
  readonly column: string
  readonly type: string
}

/** A statement that needs a privilege, and changes nothing where it has it. */
const needing = (privilege: Privilege, table: string, { column, type }: Column): string => {
  switch (privilege) {
    case "select":
      return `select * from ${table} limit 0`
    case "insert":
      return `insert into ${table} (${column}) select null::${type} where false`
    case "update":
      return `update ${table} set ${column} = null where false`
    case "delete":
      return `delete from ${table} where false`
  }
}

const privileges = ["select", "insert", "update", "delete"] as const

describe("the matrix of roles", () => {
  it.live("decides on every table, sequence and function of the schema, and on nothing else", () =>
    Effect.gen(function* () {
      const sql = yield* client(url)
      const tables = yield* sql<{ readonly name: string }>`select relname as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')`
      assert.sameMembers(
        tables.map(({ name }) => name),
        Object.keys(roleMatrix)
      )
      // those of identity columns need no privilege
      const sequences = yield* sql<{ readonly name: string }>`select relname as name from pg_class c
        where relnamespace = 'public'::regnamespace and relkind = 'S'
          and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'i')`
      assert.sameMembers(
        sequences.map(({ name }) => name),
        Object.keys(sequenceUsers)
      )
      const functions = yield* sql<{ readonly name: string; readonly definer: boolean }>`select
        proname || '(' || (select coalesce(string_agg(t::regtype::text, ', ' order by n), '')
          from unnest(proargtypes::oid[]) with ordinality as a(t, n)) || ')' as name, prosecdef as definer
        from pg_proc where pronamespace = 'public'::regnamespace`
      assert.sameMembers(
        functions.map(({ name }) => name),
        Object.keys(functionUsers)
      )
      // one that runs as its owner would lend the owner's rights
      assert.isFalse(functions.some(({ definer }) => definer))
    }).pipe(Effect.scoped)
  )

  it("lets the signer write nothing, and keeps what is only added to", () => {
    for (const [table, { serve, sign, work }] of matrix) {
      assert.includeMembers(["", "select"], [sign.join()], table)
      if (["grant_entry", "operator_audit"].includes(table)) assert.deepStrictEqual(serve, ["select", "insert"], table)
      if (["grant_entry", "grant_proposal", "operator_audit", "api_key", "signing_key"].includes(table))
        assert.includeMembers(["", "select"], [work.join()], table)
    }
  })

  it("stands in the documentation as it is", () => {
    const page = readFileSync(new URL("../../../../docs/operate/roles.md", import.meta.url), "utf8")
    const rows = [...page.matchAll(/^\| `(\w+)` +\| ([^|]*)\| ([^|]*)\| ([^|]*)\|$/gmu)]
    const cell = (rights: ReadonlyArray<Privilege>) => rights.join(", ")
    assert.deepStrictEqual(
      rows.map(([, ...cells]) => cells.map((one) => one.trim())),
      matrix
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, { serve, sign, work }]) => [name, cell(serve), cell(work), cell(sign)])
    )
  })
})

describe("the roles of a database", () => {
  it.live("each can do what the matrix says, and is refused everything else", () =>
    Effect.gen(function* () {
      const sql = yield* client(url)
      const prefix = yield* scopedPrefix(sql)
      yield* applyRoles({ url, prefix })
      const login = `${prefix}_login`
      yield* sql.unsafe(`create role "${login}" login password 'secret'`)
      const columns = yield* sql<Column & { readonly name: string }>`select distinct on (c.relname) c.relname as name,
          quote_ident(a.attname) as column, format_type(a.atttypid, null) as type
        from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attidentity = ''
        where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by c.relname, a.attnum`
      const columnOf = new Map(columns.map((one) => [one.name, one]))
      for (const process of roleProcesses) {
        yield* sql.unsafe(`grant "${roleName(prefix, process)}" to "${login}"`)
        yield* Effect.scoped(
          Effect.gen(function* () {
            const own = yield* client(asUser(url, login))
            for (const [table, rights] of matrix) {
              for (const privilege of privileges) {
                const statement = needing(privilege, table, columnOf.get(table) ?? assert.fail(table))
                const said = yield* tryTo(own, statement)
                const expected = rights[process].includes(privilege) ? "done" : "AuthorizationError"
                assert.strictEqual(said, expected, `${process}: ${statement}`)
              }
              for (const statement of [
                `truncate ${table} cascade`,
                `alter table ${table} add column stolen text`,
                `alter table ${table} disable trigger all`,
                `drop table ${table} cascade`
              ])
                assert.strictEqual(yield* tryTo(own, statement), "AuthorizationError", `${process}: ${statement}`)
            }
            for (const statement of [
              "create table public.mine (a int)",
              "create function public.mine() returns int language sql as 'select 1'",
              "drop function operator_audit_is_only_added_to() cascade",
              "alter function take_rates(integer[], text[], integer[], bigint) security definer",
              ...(process === "work" ? [] : ["select nextval('webhook_turn')"]),
              ...(process === "serve" ? [] : ["select take_rates('{}', '{}', '{}', 1)"]),
              "select setval('webhook_turn', 1)",
              `set role "${roleName(prefix, process === "serve" ? "work" : "serve")}"`,
              `grant "${roleName(prefix, process)}" to public`
            ])
              assert.notStrictEqual(yield* tryTo(own, statement), "done", `${process}: ${statement}`)
            if (process === "serve")
              assert.strictEqual(yield* tryTo(own, "select take_rates('{}', '{}', '{}', 1)"), "done")
            if (process === "work") assert.strictEqual(yield* tryTo(own, "select nextval('webhook_turn')"), "done")
          })
        )
        yield* sql.unsafe(`revoke "${roleName(prefix, process)}" from "${login}"`)
      }
      const own = yield* client(asUser(url, login))
      assert.strictEqual(yield* tryTo(own, "select 1 from tenant"), "AuthorizationError")
    }).pipe(Effect.scoped)
  )

  it.live("are made by an owner who is no superuser, and again with the same end", () =>
    Effect.gen(function* () {
      const sql = yield* client(emptyUrl)
      const prefix = yield* scopedPrefix(sql)
      const owner = `${prefix}_owner`
      yield* sql.unsafe(`create role "${owner}" login createrole password 'secret'`)
      yield* sql.unsafe(`grant create, usage on schema public to "${owner}"`)
      const ownerUrl = asUser(emptyUrl, owner)
      yield* migrate({ url: ownerUrl })
      const granted = sql<{
        readonly said: string
      }>`select relname || ' ' || coalesce(relacl::text, '') as said from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'S') order by relname`
      yield* applyRoles({ url: ownerUrl, prefix })
      const first = yield* granted
      // what somebody granted by hand is taken back, from PUBLIC too
      yield* sql.unsafe(`grant update on grant_entry to "${roleName(prefix, "work")}"`)
      yield* sql.unsafe(`grant insert (label) on api_key to "${roleName(prefix, "sign")}"`)
      yield* sql`grant select on sealed_key to public`
      yield* applyRoles({ url: ownerUrl, prefix })
      assert.deepStrictEqual(yield* granted, first)
      const [column] = yield* sql<{ readonly kept: boolean }>`select
        has_column_privilege(${roleName(prefix, "sign")}, 'api_key', 'label', 'insert') as kept`
      assert.isFalse(column?.kept)
    }).pipe(Effect.scoped)
  )

  it.live("take over no role that can already do more", () =>
    Effect.gen(function* () {
      const sql = yield* client(url)
      for (const attribute of ["login", "superuser", "createrole", "bypassrls", "in role pg_write_all_data"]) {
        const prefix = yield* scopedPrefix(sql)
        yield* sql.unsafe(`create role "${prefix}_work" ${attribute}`)
        assert.strictEqual((yield* Effect.flip(applyRoles({ url, prefix })))._tag, "StorageError", attribute)
        const made = yield* sql`select 1 from pg_roles where rolname = ${roleName(prefix, "serve")}`
        assert.deepStrictEqual(made, [])
      }
    }).pipe(Effect.scoped)
  )

  it.live("are refused a prefix that is no plain name, before the database is asked", () =>
    Effect.gen(function* () {
      for (const prefix of [
        "",
        "pg_bursar",
        "Bursar",
        `a"; drop table tenant; --`,
        "a'b",
        "1a",
        "a b",
        "a".repeat(41)
      ]) {
        assert.isTrue(Result.isFailure(roleScript(prefix)), prefix)
        const nowhere = Redacted.make("postgres://nobody@127.0.0.1:1/none")
        assert.strictEqual((yield* Effect.flip(applyRoles({ url: nowhere, prefix })))._tag, "RolePrefixInvalid", prefix)
      }
      assert.isTrue(Result.isSuccess(roleScript("a".repeat(40))))
    })
  )
})
