import { createClient } from "@bursar/client"
import { EmbeddedPostgres, TestDatabase } from "@bursar/simulator-postgres"
import { postgresUrl } from "@bursar/simulator-postgres/testing/postgresUrl"
import { migrate } from "@bursar/postgres"
import { assert, describe, it } from "@effect/vitest"
import { parseKey } from "@bursar/core/access/KeyFormat"
import { Effect, Redacted, Schema } from "effect"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Handshake } from "@bursar/cli/config/Handshake"
import { DevSecrets } from "../src/secrets.ts"
import { bursar } from "../../cli/test/support/bursar.ts"
import { start } from "./support/bursarDev.ts"
import { figuresOf } from "./support/figures.ts"
import { receiver } from "../../cli/test/support/receiver.ts"
import {
  databases,
  readDatabase,
  readSeen,
  type SavedDatabase,
  savedWebhookUrl,
  type Seen,
  writeDataDir
} from "./support/savedService.ts"
import { tempDir } from "../../cli/test/support/tempDir.ts"
import { until } from "../../cli/test/support/until.ts"
import { environmentOf, serve, sqlOn } from "../../cli/test/support/world.ts"

/** Makes the database of the earlier version of an empty one. Its webhooks go to `webhookUrl`. */
const load = Effect.fnUntraced(function* (database: SavedDatabase, url: string, webhookUrl: string = savedWebhookUrl) {
  const statements = yield* Effect.promise(() => readDatabase(database))
  const sql = yield* sqlOn(url)
  yield* sql.withTransaction(
    Effect.forEach(statements, (statement) => sql.unsafe(statement.replaceAll(savedWebhookUrl, webhookUrl)), {
      discard: true
    })
  )
}, Effect.scoped)

/** While the service was away, the provider has let the transfer go that it looked at. */
const letTransferGo = async (dataDir: string) => {
  const path = join(dataDir, "sandbox", "fiat.json")
  const before = await readFile(path, "utf8")
  assert.include(before, `"in_review"`)
  await writeFile(path, before.replaceAll(`"in_review"`, `"settle"`))
}

/**
 * What was signed and never came into a block has to expire before it is signed anew. Tron knows it once a block that nothing can take
 * back is past it, and the next transaction waits for such a block again: here blocks come as fast as they are asked for.
 */
const mineBlocks = (controlUrl: string) =>
  Effect.promise(() =>
    fetch(`${controlUrl}/mine`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ count: 20 })
    })
  )

const readSecrets = (dataDir: string) =>
  Effect.flatMap(
    Effect.promise(() => readFile(join(dataDir, "secrets.json"), "utf8")),
    Schema.decodeEffect(Schema.fromJsonString(DevSecrets))
  )

const untouched = (answers: Readonly<Record<string, unknown>>): unknown => JSON.parse(JSON.stringify(answers))

interface ShownAddresses {
  readonly addresses: ReadonlyArray<Readonly<Record<string, unknown>>>
}

/** What partners see where the networks are off: nobody watches an address there, and nobody sweeps it. */
const whereNetworksAreOff = (answers: Readonly<Record<string, unknown>>): unknown => {
  const path = "/v1/deposit-addresses"
  // The contract of that path.
  const { addresses, ...page } = answers[path] as ShownAddresses
  const shown = addresses.map((one) => ({
    ...one,
    watched_networks: [],
    sweeps_enabled: one["sweeps_enabled"] === null ? null : false
  }))
  return { ...answers, [path]: { ...page, addresses: shown } }
}

const Unsealed = Schema.fromJsonString(
  Schema.Array(
    Schema.Struct({
      id: Schema.String,
      scopes: Schema.Array(Schema.String),
      expires_at: Schema.NullOr(Schema.String)
    })
  )
)

/** A key of that version opens nothing until an operator has sealed it, as the list of those without a seal shows it. */
const sealKey = Effect.fnUntraced(function* (
  databaseUrl: string,
  key: string,
  operator: { readonly url: string; readonly token: string }
) {
  const id = parseKey(key)?.id ?? ""
  const sql = yield* sqlOn(databaseUrl)
  const [owner] = yield* sql<{
    readonly tenant_id: string
  }>`select tenant_id from api_key_directory where key_id = ${id}`
  const env = { BURSAR_OPERATOR_URL: operator.url, OPERATOR_TOKEN: operator.token }
  const command = ["key", "seal", String(owner?.tenant_id)]
  const { stdout } = yield* bursar([...command, "--json"], { env })
  const listed = (yield* Schema.decodeEffect(Unsealed)(stdout)).find((one) => one.id === id)
  if (listed === undefined) return assert.fail(`${id} is not among the keys without a seal`)
  const seen = ["--scopes", listed.scopes.join(","), "--expires", listed.expires_at ?? "never"]
  const { code, stderr } = yield* bursar([...command, id, ...seen], { env })
  assert.strictEqual(code, 0, stderr)
})

const checkIsClean = Effect.fnUntraced(function* (databaseUrl: string) {
  const { code, stderr, stdout } = yield* bursar(["check"], { env: { DATABASE_URL: databaseUrl } })
  assert.strictEqual(code, 0, `${stdout}${stderr}`)
})

describe("a database that the version before has left", () => {
  it.live.each(databases)("%s: migrates, is checked clean, and partners see what they saw", (name) =>
    Effect.gen(function* () {
      const seen = yield* Effect.promise(readSeen)
      const dataDir = yield* tempDir
      yield* Effect.promise(() => writeDataDir(dataDir))
      const secrets = yield* readSecrets(dataDir)
      const { url } = yield* TestDatabase.makeEmpty(postgresUrl())
      yield* load(name, url)
      const run = yield* bursar(["migrate"], { env: { DATABASE_URL: url } })
      assert.strictEqual(run.code, 0, run.stderr)
      assert.deepStrictEqual(yield* migrate({ url: Redacted.make(url) }), [])
      yield* checkIsClean(url)
      const { operatorUrl, partnerUrl } = yield* serve({
        ...environmentOf(url),
        // the local networks that it was made on are gone
        NETWORKS_OFF: "ethereum,bsc,base,bitcoin,tron,stellar",
        KEY_PEPPER: secrets.keyPepper,
        OPERATOR_TOKEN: secrets.operatorToken,
        VAULT_MASTER_KEY: secrets.masterKey,
        SECRETS_KEY: secrets.secretsKey ?? secrets.masterKey
      })
      for (const { answers, key } of seen.figures[name]) {
        yield* sealKey(url, key, { url: operatorUrl, token: secrets.operatorToken })
        assert.deepStrictEqual(untouched(yield* figuresOf(partnerUrl, key)), whereNetworksAreOff(answers))
      }
    }).pipe(Effect.scoped)
  )

  it.live(
    "is gone on with: old keys replay their answers, what was open ends, and its webhooks come",
    () =>
      Effect.gen(function* () {
        const seen = yield* Effect.promise(readSeen)
        const dataDir = join(yield* tempDir, ".bursar")
        yield* Effect.promise(() => writeDataDir(dataDir))
        yield* Effect.promise(() => letTransferGo(dataDir))
        const { received, url: inbox } = yield* receiver([seen.webhookSecret])
        yield* Effect.gen(function* () {
          const postgres = yield* EmbeddedPostgres.make({ dataDir: join(dataDir, "postgres"), persistent: true })
          yield* load("service", yield* postgres.createDatabase("bursar"), inbox)
        }).pipe(Effect.scoped)

        // what was saved gets older every day than a signer takes requests for
        const env = { SIGNER_REQUEST_AGE_HOURS: "8760" }
        const dev = yield* start(["--port", "0", "--operator-port", "0", "--data-dir", dataDir], { env })
        yield* dev.prints(/^Bursar is running/u)
        const text = yield* Effect.promise(() => readFile(join(dataDir, "dev.json"), "utf8"))
        const handshake = yield* Schema.decodeEffect(Schema.fromJsonString(Handshake))(text)
        const [tenant] = handshake.tenants
        assert.isDefined(tenant)
        const signingKey: JsonWebKey = tenant.signing.private_jwk
        const client = createClient({
          baseUrl: handshake.partner_url,
          apiKey: tenant.keys["all"] ?? "",
          signingKey
        })

        const replay = (request: Seen["requests"][number]) => repeat(client, request)
        for (const request of seen.requests) {
          const { answer, replayed } = yield* Effect.promise(() => replay(request))
          assert.isTrue(replayed, request.key)
          assert.deepStrictEqual(answer, request.answer, request.key)
        }

        const ending = [...seen.ending, seen.transferInReview]
        const sql = yield* sqlOn(handshake.database_url)
        // The older an operation, the later a provider is asked again, and the saved ones get older every day.
        const hurry = sql`update job set due_at = now() where due_at > now()`
        const statuses = Effect.andThen(
          Effect.andThen(mineBlocks(handshake.networks.tron.control_url), hurry),
          Effect.map(
            Effect.promise(() => client.register.list({ limit: 200 })),
            ({ entries }): Readonly<Record<string, string>> =>
              Object.fromEntries(entries.map(({ id, status }) => [id, status]))
          )
        )
        const ended = yield* until("the end of what was open", statuses, (all) =>
          ending.every((id) => all[id] === "SETTLED")
        )
        for (const id of seen.staying) assert.include(["ACCEPTED", "IN_REVIEW", "PROCESSING"], ended[id], id)
        yield* until(
          "the confirmation of deposits",
          Effect.map(
            Effect.promise(() => client.deposits.list({ limit: 500 })),
            ({ deposits }) => deposits.filter(({ id }) => seen.deposits.includes(id)).map(({ status }) => status)
          ),
          (all) => all.length === seen.deposits.length && all.every((status) => status === "CONFIRMED")
        )
        yield* until(
          "the webhooks of what has ended",
          Effect.sync(() => received.map((one) => ("type" in one ? one.type : one.problem))),
          (types) => types.filter((type) => type === "chain_payout.settled").length >= seen.ending.length
        )
        assert.isFalse(received.some((one) => "problem" in one))
        yield* checkIsClean(handshake.database_url)
        assert.strictEqual(yield* dev.kill("SIGTERM"), 0)
      }).pipe(Effect.scoped),
    600_000
  )
})

/** Asks again for what was asked for under a key. */
const repeat = async (client: ReturnType<typeof createClient>, { body, call, key }: Seen["requests"][number]) => {
  let replayed = false
  const options = {
    idempotencyKey: key,
    onAnswer: (facts: { readonly replayed: boolean }) => void (replayed = facts.replayed)
  }
  // Each body was sent by the same call before.
  const calls = {
    payout: () => client.chainPayouts.create(body as never, options),
    swap: () => client.conversions.swap(body as never, options),
    transfer: () => client.transfers.create(body as never, options),
    withdrawal: () => client.withdrawals.create(body as never, options)
  }
  return { answer: await calls[call](), replayed }
}
