import { Schema } from "effect"
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { gunzipSync, gzipSync } from "node:zlib"

/**
 * What an earlier version of `bursar-dev` left behind: two databases as SQL, the files of its data directory, and what
 * partners saw. `scripts/saveService.ts` writes it.
 */
const directory = fileURLToPath(new URL("../upgrade/", import.meta.url))

/** The databases: one of a running service with local networks, and one with a trace of everything that can happen. */
export const databases = ["service", "history"] as const

/** A saved database. */
export type SavedDatabase = (typeof databases)[number]

const Answer = Schema.Record(Schema.String, Schema.Unknown)

/** What the earlier version said. */
export const Seen = Schema.Struct({
  /** Keys of tenants by database, and what each saw at `path`. */
  figures: Schema.Record(
    Schema.Literals(databases),
    Schema.Array(Schema.Struct({ key: Schema.String, answers: Answer }))
  ),
  /** Requests under idempotency keys, and what they were answered. */
  requests: Schema.Array(
    Schema.Struct({
      call: Schema.Literals(["payout", "swap", "transfer", "withdrawal"]),
      key: Schema.String,
      body: Schema.Unknown,
      answer: Schema.Unknown
    })
  ),
  /** Operations that were open and end by themselves. */
  ending: Schema.Array(Schema.String),
  /** Operations that somebody has to decide, or that the provider never tells of. */
  staying: Schema.Array(Schema.String),
  /** The bank transfer that the provider looks at. */
  transferInReview: Schema.String,
  /** Deposits that were not deep enough. */
  deposits: Schema.Array(Schema.String),
  /** The secret that webhooks are signed with. */
  webhookSecret: Schema.String
})

/** What the earlier version said. */
export type Seen = typeof Seen.Type

const json = Schema.fromJsonString(Seen)

/** Stands in the saved database where webhooks go to, and nobody listens there. */
export const savedWebhookUrl = "http://127.0.0.1:9/webhooks"

/** What ends a statement in the saved SQL, and stands nowhere within one. */
export const statementEnd = ";\n\n"

/** The statements that make a saved database of an empty one, all on one connection. */
export const readDatabase = async (database: SavedDatabase): Promise<ReadonlyArray<string>> =>
  gunzipSync(await readFile(join(directory, `${database}.sql.gz`)))
    .toString()
    .split(statementEnd)
    .filter((statement) => statement.trim() !== "")

/** What the earlier version said. */
export const readSeen = async (): Promise<Seen> =>
  Schema.decodeUnknownSync(json)(gunzipSync(await readFile(join(directory, "seen.json.gz"))).toString())

/** Writes the saved files of a data directory: secrets, chains, providers. */
export const writeDataDir = async (dataDir: string): Promise<void> => {
  const packed = gunzipSync(await readFile(join(directory, "data.json.gz"))).toString()
  const files = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.String)))(packed)
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(dataDir, name)), { recursive: true })
    await writeFile(join(dataDir, name), text, { mode: 0o600 })
  }
}

/** Saves it all; the data directory's own database is left out. */
export const save = async (
  dataDir: string,
  sql: Readonly<Record<SavedDatabase, string>>,
  seen: Seen
): Promise<void> => {
  await mkdir(directory, { recursive: true })
  for (const database of databases) await writeFile(join(directory, `${database}.sql.gz`), pack(sql[database]))
  await writeFile(join(directory, "seen.json.gz"), pack(JSON.stringify(seen)))
  const found = await readdir(dataDir, { recursive: true })
  const names = found.filter((name) => name.endsWith(".json") && !name.startsWith("postgres")).toSorted()
  const files: Record<string, string> = {}
  for (const name of names) files[name] = await readFile(join(dataDir, name), "utf8")
  await writeFile(join(directory, "data.json.gz"), pack(JSON.stringify(files)))
}

const pack = (text: string) => gzipSync(text, { level: 9 })
