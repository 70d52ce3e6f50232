import { isUuid } from "@bursar/core/base/uuid"
import { Effect, FileSystem, Option, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Verified } from "../assemble/verifySolvency.ts"
import { CommandFailed } from "../config/CommandFailed.ts"
import { type ConnectionOptions, connect, connectionFlags } from "./operator.ts"
import { printRecord, printRows, printText } from "./print.ts"
import { coverageRows } from "./solvencyRows.ts"
import { readSource } from "./solvencySource.ts"

/** Fails with what is wrong, a line each: what somebody else wrote adds none, and can hide none where it is told (`explain`). */
const failWith = (findings: ReadonlyArray<string>) =>
  Effect.fail(
    new CommandFailed({ message: ["NOT verified.", ...findings.map((one) => one.replaceAll("\n", " "))].join("\n") })
  )

/** What the service itself finds in what it has stored. */
const verifyStored = Effect.fnUntraced(function* (id: string, options: ConnectionOptions) {
  const client = yield* connect(options)
  const report = yield* client.solvency.verify({ params: { snapshot_id: id } })
  yield* printRecord(options.json, report)
  const unaudited = report.audited ? [] : ["The audit log has not the digest under which it was taken."]
  if (!report.ok) return yield* failWith([...unaudited, ...report.findings])
})

/** What a person is shown of what was verified. */
const show = Effect.fnUntraced(function* ({ document, proof }: Verified) {
  const of = proof ?? document
  if (of === null) return
  yield* printRecord(false, {
    snapshot: of.snapshot_id,
    "taken at": of.taken_at,
    digest: of.digest,
    "signed by": of.signature.key,
    ...(proof === null ? {} : { tenant: proof.tenant_id })
  })
  if (proof !== null) {
    const leaves = proof.leaves.map(({ amount, currency, posting, tree }) => ({
      currency,
      counted: amount,
      "as of posting": posting,
      leaves: tree.leaves
    }))
    yield* printText("")
    yield* printRows(false, leaves, "You were owed nothing.")
  }
  // no proof verifies without one
  if (document === null) return
  yield* printText("")
  yield* printRows(false, coverageRows(document), "Nobody is owed anything, and nothing is there.")
  const { reserves, unread } = document
  const proven = reserves.filter((one) => one.proof !== null).length
  yield* printText(
    `\n${proven} of ${reserves.length} addresses have signed; ${unread.length} could not be read and cover nothing.`
  )
})

/** What is wrong with the leaves of a document; nothing where they were not given. */
const leavesFindings = Effect.fnUntraced(function* ({ document }: Verified, file: Option.Option<string>) {
  if (Option.isNone(file)) return []
  if (document === null) return ["There is no document that the leaves could be those of."]
  const files = yield* FileSystem.FileSystem
  const { verifyLeaves } = yield* Effect.promise(() => import("../assemble/verifySolvency.ts"))
  const lines = files.stream(file.value).pipe(Stream.decodeText, Stream.splitLines)
  return yield* Effect.mapError(
    verifyLeaves(document, lines),
    () => new CommandFailed({ message: `${file.value} cannot be read.` })
  )
})

/** `bursar solvency verify` */
export const solvencyVerify = Command.make(
  "verify",
  {
    ...connectionFlags,
    what: Argument.String("what").pipe(
      Argument.withDescription("A file or URL with a proof or a document, or the id of a snapshot of the service")
    ),
    tenant: Flag.String("tenant").pipe(
      Flag.withDescription("The id of the tenant whose proof it is: your own, as you know it"),
      Flag.optional
    ),
    digest: Flag.String("digest").pipe(
      Flag.withDescription("The digest of the snapshot as it was published elsewhere"),
      Flag.optional
    ),
    signedBy: Flag.String("signed-by").pipe(
      Flag.withDescription("The service's key for documents, as it was published elsewhere"),
      Flag.optional
    ),
    document: Flag.String("document").pipe(
      Flag.withDescription("A file or URL with the public document, for a proof that was asked for without it"),
      Flag.optional
    ),
    leaves: Flag.String("leaves").pipe(
      Flag.withDescription("For auditors: the file of all leaves, to grow the trees again"),
      Flag.optional
    ),
    withKey: Flag.Boolean("with-key").pipe(
      Flag.withDescription("Send the API key of BURSAR_API_KEY to the URL"),
      Flag.withDefault(false)
    )
  },
  Effect.fn(function* (options) {
    const { digest, document: published, json, leaves, signedBy, tenant, what, withKey } = options
    if (isUuid(what)) return yield* verifyStored(what, options)
    const text = yield* readSource(what, withKey)
    const { verifySolvency } = yield* Effect.promise(() => import("../assemble/verifySolvency.ts"))
    const verified = yield* verifySolvency(text, {
      tenantId: Option.getOrUndefined(tenant),
      digest: Option.getOrUndefined(digest),
      signedBy: Option.getOrUndefined(signedBy),
      // what is public takes no key
      document: Option.isNone(published) ? undefined : yield* readSource(published.value, false)
    })
    const findings = [...verified.findings, ...(yield* leavesFindings(verified, leaves))]
    const ok = findings.length === 0
    const { document, proof } = verified
    if (json) {
      const told = {
        snapshot_id: (proof ?? document)?.snapshot_id ?? null,
        digest: (proof ?? document)?.digest ?? null
      }
      yield* printRecord(true, { ok, ...told, findings, leaves: proof?.leaves ?? [], summary: document?.summary ?? [] })
    }
    if (!ok) return yield* failWith(findings)
    if (json) return
    yield* show(verified)
    yield* printText("\nVerified.")
    if (Option.isNone(digest) || Option.isNone(signedBy))
      yield* printText("Compare the digest and the key with those that were published elsewhere.")
  })
).pipe(
  Command.withDescription("Verify a proof of solvency or its public document, without asking the service"),
  Command.withExamples([
    { command: "bursar solvency verify document.json", description: "A published document" },
    {
      command: "bursar solvency verify answer.json --tenant <your id> --digest <digest>",
      description: "Your own proof, as GET /v1/solvency?document=true gave it"
    },
    {
      command: "bursar solvency verify answer.json --document document.json --tenant <your id> --digest <digest>",
      description: "Your own proof without the document, and the document as it was published"
    },
    {
      command:
        "bursar solvency verify 'https://api.example.com/v1/solvency?document=true' --with-key --tenant <your id>",
      description: "The same, read from the service"
    },
    { command: "bursar solvency verify document.json --leaves leaves.jsonl", description: "As an auditor" }
  ])
)
