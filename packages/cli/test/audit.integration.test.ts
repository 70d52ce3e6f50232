import { readAnchors } from "@bursar/core/audit/anchorLines"
import { type AuditRecord, firstHash } from "@bursar/core/audit/AuditRecord"
import { digestOf } from "@bursar/core/audit/AuditSeal"
import { chained, hashOf } from "@bursar/core/audit/chained"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { layer as layerPostgres } from "@bursar/postgres"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { bursar } from "./support/bursar.ts"
import { tempDir } from "./support/tempDir.ts"
import { until } from "./support/until.ts"
import { environmentOf, migratedDatabase, secrets, sqlOn, work } from "./support/world.ts"

const actionBy = (operator: string) => ({
  actionId: crypto.randomUUID(),
  at: Date.UTC(2027, 0, 1),
  operator,
  role: "admin",
  method: "POST",
  route: "/operator/v1/tenants",
  params: {},
  status: 201,
  requestId: "r",
  address: "127.0.0.1",
  content: { digest: "a".repeat(64), values: '{"request":{}}' }
})

const sealsIn = (file: string) => (existsSync(file) ? readAnchors(readFileSync(file, "utf8")).seals : [])

const insert = (sql: Effect.Success<ReturnType<typeof sqlOn>>, record: AuditRecord) =>
  sql`insert into operator_audit ${sql.insert({
    id: BigInt(record.id),
    action_id: record.actionId,
    at: new Date(record.at),
    operator: record.operator,
    role: record.role,
    method: record.method,
    route: record.route,
    params: JSON.stringify(record.params),
    status: record.status,
    request_id: record.requestId,
    address: record.address,
    digest: record.content?.digest ?? null,
    values: record.content?.values ?? null,
    previous_hash: record.previousHash,
    hash: record.hash
  })}`

/** A service that seals and anchors its log, with 30 records under three seals. */
const sealedWorld = Effect.gen(function* () {
  const [{ url }, folder] = [yield* migratedDatabase, yield* tempDir]
  const anchor = join(folder, "anchor.jsonl")
  const pace = { AUDIT_SEAL_SECONDS: "1", AUDIT_ANCHOR_SECONDS: "1", AUDIT_ANCHOR_FILE: anchor }
  const env = { ...environmentOf(url), ...pace }
  const sql = yield* sqlOn(url)
  const ports = yield* Layer.build(layerPostgres({ url: Redacted.make(url), maxConnections: 2 }))
  const audit = Context.get(ports, OperatorAudit)
  const worker = yield* work(env)
  const appendSealed = Effect.fnUntraced(function* (upTo: number) {
    let last = (yield* audit.after(0, 100)).at(-1)
    const links: Array<AuditRecord> = []
    for (let count = 0; count < 10; count += 1) {
      last = yield* chained(last, actionBy(count % 2 === 0 ? "alice" : "bob"))
      links.push(last)
    }
    // all at once, so that they stand under one seal
    yield* sql.withTransaction(Effect.forEach(links, (link) => insert(sql, link), { discard: true }))
    yield* until(
      `the anchor of record ${upTo}`,
      Effect.sync(() => sealsIn(anchor)),
      (all) => all.at(-1)?.toId === upTo
    )
  })
  yield* appendSealed(10)
  yield* appendSealed(20)
  // what a person with a backup of that day has
  yield* sql`create schema dump`
  for (const table of ["operator_audit", "operator_audit_seal"])
    yield* sql.unsafe(`create table dump.${table} as table public.${table}`)
  yield* appendSealed(30)
  const check = (more: ReadonlyArray<string>, variables: Readonly<Record<string, string>> = {}) =>
    bursar(["check", "--json", ...more], { env: { DATABASE_URL: url, ...variables }, cwd: folder })
  return {
    sql,
    audit,
    worker,
    byAnchor: check(["--anchor", anchor]),
    byHead: (head: string) => check(["--anchor", head]),
    bySigner: check([], { SIGNER: env.SIGNER })
  }
})

type World = Effect.Success<typeof sealedWorld>

/** What the owner of the schema does first. */
const unguard = ({ sql }: World) =>
  Effect.forEach(
    ["operator_audit", "operator_audit_seal"],
    (table) => sql.unsafe(`alter table ${table} disable trigger all`),
    { discard: true }
  )

/** Writes the log anew as these actions, with every hash right. */
const rewrite = Effect.fnUntraced(function* (world: World, records: ReadonlyArray<AuditRecord>) {
  yield* world.sql`delete from operator_audit`
  let previousHash = firstHash
  for (const [index, record] of records.entries()) {
    const link = { ...record, id: index + 1, previousHash }
    previousHash = yield* hashOf(link)
    yield* insert(world.sql, { ...link, hash: previousHash })
  }
})

const recordsOf = ({ audit }: World) => audit.after(0, 100)

/** Seals as the owner of the schema would make them: all right but for the key. */
const forgeSeals = Effect.fnUntraced(function* (world: World) {
  const records = yield* recordsOf(world)
  yield* world.sql`delete from operator_audit_seal`
  let previous = firstHash
  for (const [index, toId] of [10, 20, 30].entries()) {
    const hash = records[toId - 1]?.hash ?? firstHash
    const seal = {
      number: index + 1,
      fromId: toId - 9,
      toId,
      hash,
      at: 0,
      keyId: "test",
      previous,
      mac: "0".repeat(64)
    }
    previous = yield* digestOf(seal)
    yield* world.sql`insert into operator_audit_seal (number, from_id, to_id, hash, sealed_at, key_id, previous, mac)
      values (${BigInt(seal.number)}, ${BigInt(seal.fromId)}, ${BigInt(toId)}, ${hash}, ${new Date(seal.at)}, ${seal.keyId},
        ${seal.previous}, ${seal.mac})`
  }
})

interface Attack {
  readonly name: string
  readonly run: (world: World) => Effect.Effect<unknown, unknown>
  /** What both must say, and the alarm of the running service. */
  readonly found: RegExp
}

const attacks: ReadonlyArray<Attack> = [
  {
    name: "rewrites one record and leaves the hashes",
    run: ({ sql }) => sql`update operator_audit set operator = 'mallory' where id = 4`,
    found: /Record 4 was changed/u
  },
  {
    name: "rewrites one record and makes every hash after it anew",
    run: (world) =>
      Effect.flatMap(recordsOf(world), (all) =>
        rewrite(
          world,
          all.map((record) => (record.id === 14 ? { ...record, operator: "mallory" } : record))
        )
      ),
    found: /Records .*to (?:20|30) were rewritten/u
  },
  {
    name: "deletes the last 10 records",
    run: ({ sql }) => sql`delete from operator_audit where id > 20`,
    found: /Records 21 to 30 were cut off/u
  },
  {
    name: "empties the log",
    run: ({ sql }) => sql`truncate operator_audit`,
    found: /The log was emptied/u
  },
  {
    name: "empties the log and its seals",
    run: ({ sql }) => sql`truncate operator_audit, operator_audit_seal`,
    found: /The log was emptied|(?:Seal|Seals) .*taken out/u
  },
  {
    name: "inserts a record in the middle",
    run: (world) =>
      Effect.flatMap(recordsOf(world), (all) =>
        rewrite(
          world,
          all.flatMap((record) => (record.id === 15 ? [{ ...record, operator: "eve" }, record] : [record]))
        )
      ),
    // by the seal that covers it; where that ends depends on how fast the log was written
    found: /Records (?:\d+|up) to \d+ were rewritten, or others put among them/u
  },
  {
    name: "swaps two records",
    run: ({ sql }) =>
      sql`update operator_audit o set operator = p.operator from operator_audit p
        where (o.id, p.id) in ((7, 8), (8, 7))`,
    found: /Record 7 was changed/u
  },
  {
    name: "replaces the seals, and the log under them",
    run: (world) =>
      Effect.gen(function* () {
        const all = yield* recordsOf(world)
        yield* rewrite(
          world,
          all.map((record) => ({ ...record, operator: "nobody" }))
        )
        yield* forgeSeals(world)
      }),
    found: /was not made with the signer's key|was replaced|were rewritten/u
  },
  {
    name: "restores an older dump",
    run: ({ sql }) =>
      Effect.gen(function* () {
        yield* sql`truncate operator_audit, operator_audit_seal`
        for (const table of ["operator_audit", "operator_audit_seal"])
          yield* sql.unsafe(`insert into ${table} select * from dump.${table}`)
      }),
    found: /Records 21 to 30 were cut off/u
  }
]

const findings = ({ stdout }: { readonly stdout: string }): string =>
  (JSON.parse(stdout) as ReadonlyArray<{ readonly firstWrong: string | null }>)
    .map(({ firstWrong }) => firstWrong ?? "")
    .join(" ")

// each waits for the seals and alarms of its own service
describe.concurrent("the owner of the schema", () => {
  it.live(
    "who changes nothing is not accused",
    () =>
      Effect.gen(function* () {
        const { byAnchor, bySigner } = yield* sealedWorld
        for (const check of [byAnchor, bySigner]) {
          const ended = yield* check
          assert.deepStrictEqual([ended.code, findings(ended).trim()], [0, ""])
        }
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "who cuts off the log and its seals is found out by a head that somebody noted, without server, signer and anchor",
    () =>
      Effect.gen(function* () {
        const world = yield* sealedWorld
        const [cut, kept] = [(yield* recordsOf(world))[29]?.hash ?? "", (yield* recordsOf(world))[9]?.hash ?? ""]
        assert.deepStrictEqual([(yield* world.byHead(cut)).code, (yield* world.byHead(kept)).code], [0, 0])
        yield* unguard(world)
        yield* world.sql`delete from operator_audit where id > 20`
        yield* world.sql`delete from operator_audit_seal where to_id > 20`
        assert.strictEqual((yield* world.byHead(kept)).code, 0)
        const ended = yield* world.byHead(cut)
        assert.strictEqual(ended.code, 1)
        assert.include(findings(ended), `No record has the hash ${cut}, which was noted`)
      }).pipe(Effect.scoped),
    120_000
  )

  for (const { found, name, run } of attacks) {
    it.live(
      `who ${name} is found out`,
      () =>
        Effect.gen(function* () {
          const world = yield* sealedWorld
          yield* unguard(world)
          yield* world.sql.withTransaction(run(world))
          const { annotations, level } = yield* world.worker.says("audit.broken")
          assert.strictEqual(level, "ERROR")
          assert.match(annotations["reason"] ?? "", found)
          for (const check of [world.byAnchor, world.bySigner]) {
            const ended = yield* check
            assert.strictEqual(ended.code, 1)
            assert.match(findings(ended), found)
          }
          assert.notInclude(annotations["reason"] ?? "", secrets.VAULT_MASTER_KEY)
        }).pipe(Effect.scoped),
      120_000
    )
  }
})
