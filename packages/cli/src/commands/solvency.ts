import { Effect, Option, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { commandText } from "./commandText.ts"
import { cutBack, writeFile, writeOut } from "./exportFile.ts"
import { connect, connectionFlags, given } from "./operator.ts"
import { printRecord, printRows, printText } from "./print.ts"
import { coverageRows } from "./solvencyRows.ts"
import { solvencyVerify } from "./solvencyVerify.ts"

const snapshotArgument = Argument.String("snapshot").pipe(Argument.withDescription("The id of the snapshot"))

/** The mode of a file that nobody else may read. */
const ownerOnly = 0o600

const outFlag = {
  out: Flag.String("out").pipe(Flag.withDescription("The file to write; by default the standard output"), Flag.optional)
}

const snapshot = Command.make(
  "snapshot",
  {
    ...connectionFlags,
    environment: Flag.Literals("environment", ["LIVE", "SANDBOX"]).pipe(
      Flag.withDescription("Of which tenants; by default LIVE, or SANDBOX where there are no others"),
      Flag.optional
    ),
    statements: Flag.String("statements").pipe(
      Flag.withDescription("A JSON list of what custodians and banks state, with the path of each file"),
      Flag.optional
    )
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { readStatements } = yield* Effect.promise(() => import("./solvencyStatements.ts"))
    const statements = yield* Option.match(options.statements, {
      onNone: () => Effect.succeed([]),
      onSome: readStatements
    })
    const payload = { ...given("environment", options.environment), statements }
    const taken = yield* client.solvency.take({ payload })
    if (options.json) return yield* printRecord(true, taken)
    const { document, snapshot: made } = taken
    const { digest, environment, id, taken_at } = made
    yield* printRecord(false, {
      snapshot: id,
      environment,
      "taken at": taken_at,
      digest,
      "signed by": document.signature.key
    })
    yield* printText("")
    yield* printRows(false, coverageRows(document), "Nobody is owed anything, and nothing is there.")
    if (document.unread.length > 0) {
      yield* printText("\nThese addresses could not be read. They cover nothing.")
      yield* printRows(false, document.unread, "")
    }
    const unproven = document.reserves.filter(({ proof }) => proof === null)
    if (unproven.length > 0) {
      yield* printText("\nThe keys of these addresses have not signed. What they hold covers nothing.")
      const rows = unproven.map(({ address, network, unproven: reason }) => ({ network, address, reason }))
      yield* printRows(false, rows, "")
    }
    yield* printText(`\nPartners see nothing of it yet. To publish it: ${commandText(["solvency", "publish", id])}`)
  })
).pipe(
  Command.withDescription("Sum up what every tenant is owed and what is there, and have the keys sign"),
  Command.withExamples([
    {
      command: "bursar solvency snapshot --statements statements.json",
      description: "With statements of custodians and banks"
    }
  ])
)

const list = Command.make(
  "list",
  connectionFlags,
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { snapshots } = yield* client.solvency.list({ query: {} })
    const rows = snapshots.map(({ covered, environment, id, published_at, taken_at, taken_by }) => ({
      snapshot: id,
      environment,
      "taken at": taken_at,
      "taken by": taken_by,
      "published at": published_at,
      covered: covered ? "yes" : "NO"
    }))
    yield* printRows(options.json, options.json ? snapshots : rows, "No snapshot was taken yet.")
  })
).pipe(Command.withDescription("List snapshots, newest first"))

const publish = Command.make(
  "publish",
  { ...connectionFlags, snapshot: snapshotArgument },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const published = yield* client.solvency.publish({ params: { snapshot_id: options.snapshot } })
    if (options.json) return yield* printRecord(true, published)
    const { digest, id, published_at, published_by } = published
    yield* printRecord(false, { snapshot: id, "published at": published_at, "published by": published_by, digest })
    yield* printText("\nPublish the digest elsewhere too, where everybody sees the same.")
  })
).pipe(Command.withDescription("Show a snapshot to partners, for good"))

const document = Command.make(
  "document",
  { ...connectionFlags, ...outFlag, snapshot: snapshotArgument },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const found = yield* client.solvency.document({ params: { snapshot_id: options.snapshot } })
    const text = Stream.encodeText(Stream.succeed(`${JSON.stringify(found, null, 2)}\n`))
    if (Option.isNone(options.out)) return yield* writeOut(text)
    yield* cutBack(options.out.value, { posting: null })
    yield* writeFile(options.out.value, text)
  })
).pipe(Command.withDescription("Write the document of a snapshot, which is public once it is published"))

const leaves = Command.make(
  "leaves",
  { ...connectionFlags, ...outFlag, snapshot: snapshotArgument },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const bytes = yield* client.solvency.leaves({ params: { snapshot_id: options.snapshot } })
    if (Option.isNone(options.out)) return yield* writeOut(bytes)
    yield* cutBack(options.out.value, { posting: null })
    yield* writeFile(options.out.value, bytes, ownerOnly)
  })
).pipe(Command.withDescription("Write what every tenant is owed by a snapshot, for auditors: keep it private"))

/** `bursar solvency …` */
export const solvencyCommand = Command.make("solvency").pipe(
  Command.withDescription("Proofs of reserves and liabilities"),
  Command.withSubcommands([snapshot, list, publish, document, leaves, solvencyVerify])
)
