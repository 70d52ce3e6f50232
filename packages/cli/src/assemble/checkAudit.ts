import { type AnchorLines, readAnchors } from "@bursar/core/audit/anchorLines"
import { verifySeals } from "@bursar/core/checker/verifySeals"
import { AuditSealer } from "@bursar/core/port/AuditSealer"
import { layer as layerPostgres } from "@bursar/postgres"
import * as SignerClient from "@bursar/signer/rpc/SignerClient"
import { Effect, FileSystem, type Redacted, Schema } from "effect"
import { CommandFailed } from "../config/CommandFailed.ts"
import { signerClientMistakes, signerClientOf, signerClientVariables } from "../config/SignerSettings.ts"
import type { Present } from "../config/variable.ts"

/** What the log of operators' actions is compared with. */
export interface AuditCheck {
  readonly url: Redacted.Redacted
  readonly variables: Present
  /** The files that seals were put down in. */
  readonly anchors: ReadonlyArray<string>
}

const bySeals = {
  tenant: null,
  invariant: "audit-seals",
  rule: "the log of operators' actions is what its seals, and the anchors that are given, say of it"
}

const bySigner = {
  tenant: null,
  invariant: "audit-signer",
  rule: "the seals are those that the signer has made, and the log is what it remembers"
}

const readAnchor = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<AnchorLines, CommandFailed, FileSystem.FileSystem> {
  const text = yield* (yield* FileSystem.FileSystem)
    .readFileString(path)
    .pipe(Effect.mapError(() => new CommandFailed({ message: `The anchor ${path} cannot be read.` })))
  const lines = readAnchors(text)
  if (lines.strange.length > 0)
    return yield* new CommandFailed({ message: `Line ${lines.strange.join(", ")} of the anchor ${path} is no seal.` })
  if (lines.seals.length === 0) return yield* new CommandFailed({ message: `The anchor ${path} has no seals.` })
  return lines
})

const wrongOf = (findings: ReadonlyArray<string>): string | null => (findings.length === 0 ? null : findings.join(" "))

const decodeClient = Schema.decodeUnknownEffect(Schema.Struct(signerClientVariables))

/** What the signer says; nothing where the settings name none. */
const askSigner = Effect.fnUntraced(function* (variables: Present) {
  if ((variables["SIGNER"] ?? "") === "") return []
  const mistakes = signerClientMistakes(variables)
  const env = yield* Effect.mapError(
    decodeClient(variables),
    ({ message }) => new CommandFailed({ message: [...mistakes, message].join("\n") })
  )
  const findings = yield* AuditSealer.pipe(
    Effect.flatMap(({ verify }) => verify),
    Effect.as<ReadonlyArray<string>>([]),
    Effect.catchTag("AuditBroken", (error) => Effect.succeed(error.findings)),
    Effect.provide(SignerClient.layerAuditSealer(signerClientOf(env)))
  )
  return [{ ...bySigner, firstWrong: wrongOf(findings) }]
})

/** Checks the log of operators' actions against its seals, the anchors that are given and, where the settings name it, the signer. */
export const checkAudit = Effect.fn("assemble.checkAudit")(function* ({ anchors, url, variables }: AuditCheck) {
  const read = yield* Effect.forEach(anchors, readAnchor)
  const findings = yield* Effect.provide(
    verifySeals({ anchors: read.flatMap(({ seals }) => seals) }),
    layerPostgres({ url, maxConnections: 2, applicationName: "bursar check" })
  )
  return [{ ...bySeals, firstWrong: wrongOf(findings) }, ...(yield* askSigner(variables))]
})
