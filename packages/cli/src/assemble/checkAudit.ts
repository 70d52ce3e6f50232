import { readAnchors } from "@bursar/core/audit/anchorLines"
import { auditSeals, verifySeals } from "@bursar/core/checker/verifySeals"
import type { AnchorContent } from "@bursar/core/port/AuditAnchor"
import { AuditSealer } from "@bursar/core/port/AuditSealer"
import { layer as layerPostgres } from "@bursar/postgres"
import * as SignerClient from "@bursar/signer/rpc/SignerClient"
import { Effect, FileSystem, type Layer, type Redacted, Schema } from "effect"
import { readAnchorS3 } from "../config/anchorS3.ts"
import { CommandFailed } from "../config/CommandFailed.ts"
import { signerClientMistakes, signerClientOf, signerClientVariables } from "../config/SignerSettings.ts"
import type { Present } from "../config/variable.ts"
import { openS3Anchor } from "./anchorS3.ts"

/** What the log of operators' actions is compared with. */
export interface AuditEvidence {
  /** What stands in the anchors. */
  readonly anchors: ReadonlyArray<AnchorContent>
  /** Heads of the log that somebody noted. */
  readonly heads: ReadonlyArray<string>
  /** The signer; undefined where the settings name none. */
  readonly signer: Layer.Layer<AuditSealer> | undefined
}

const bySeals = {
  tenant: null,
  invariant: auditSeals.name,
  rule: auditSeals.rule
}

const bySigner = {
  tenant: null,
  invariant: "audit-signer",
  rule: "the seals are those that the signer has made, and the log is what it remembers"
}

const readFile = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<AnchorContent, CommandFailed, FileSystem.FileSystem> {
  const text = yield* (yield* FileSystem.FileSystem)
    .readFileString(path)
    .pipe(Effect.mapError(() => new CommandFailed({ message: `The anchor ${path} cannot be read.` })))
  const { seals, strange } = readAnchors(text)
  if (strange.length > 0)
    return yield* new CommandFailed({ message: `Line ${strange.join(", ")} of the anchor ${path} is no seal.` })
  return { seals, findings: [] }
})

const readStore = Effect.fnUntraced(function* (place: string, variables: Present) {
  const env = yield* Effect.mapError(readAnchorS3(variables), ({ message }) => new CommandFailed({ message }))
  const { AUDIT_ANCHOR_S3_ENDPOINT: endpoint = null, AUDIT_ANCHOR_S3_REGION: region } = env
  if (region === undefined) return yield* new CommandFailed({ message: "AUDIT_ANCHOR_S3_REGION is missing." })
  const anchor = yield* openS3Anchor({ place, region, endpoint, retainDays: null })
  return yield* Effect.mapError(anchor.read, ({ reason }) => new CommandFailed({ message: reason }))
}, Effect.scoped)

/** What stands in an anchor: in a file, or in an object store. */
const readAnchor = Effect.fnUntraced(function* (anchor: string, variables: Present) {
  const content = yield* anchor.startsWith("s3://") ? readStore(anchor, variables) : readFile(anchor)
  if (content.seals.length === 0 && content.findings.length === 0)
    return yield* new CommandFailed({ message: `The anchor ${anchor} has no seals.` })
  return content
})

const isHead = (anchor: string): boolean => /^[0-9a-f]{64}$/u.test(anchor)

const wrongOf = (findings: ReadonlyArray<string>): string | null => (findings.length === 0 ? null : findings.join(" "))

const decodeClient = Schema.decodeUnknownEffect(Schema.Struct(signerClientVariables))

/** The signer of the settings. */
const signerOf = Effect.fnUntraced(function* (variables: Present) {
  if ((variables["SIGNER"] ?? "") === "") return undefined
  const mistakes = signerClientMistakes(variables)
  const env = yield* Effect.mapError(
    decodeClient(variables),
    ({ message }) => new CommandFailed({ message: [...mistakes, message].join("\n") })
  )
  return SignerClient.layerAuditSealer(signerClientOf(env))
})

/**
 * Reads what the log is compared with: files and object stores (`s3://bucket/prefix`) that seals were put down in, and heads of the log. This comes before the
 * books, which may take hours: a mistake in it is told at once.
 */
export const readEvidence = Effect.fn("assemble.readEvidence")(function* (
  anchors: ReadonlyArray<string>,
  variables: Present
) {
  const evidence: AuditEvidence = {
    signer: yield* signerOf(variables),
    heads: anchors.filter(isHead),
    anchors: yield* Effect.forEach(
      anchors.filter((anchor) => !isHead(anchor)),
      (anchor) => readAnchor(anchor, variables)
    )
  }
  return evidence
})

/** What the signer says. In an incident it is stopped: that is told beside what else was found, and does not hide it. */
const askSigner = (signer: Layer.Layer<AuditSealer>) =>
  AuditSealer.pipe(
    Effect.flatMap(({ verify }) => verify),
    Effect.as<ReadonlyArray<string>>([]),
    Effect.catchTags({
      AuditBroken: ({ findings }) => Effect.succeed(findings),
      VaultError: ({ message }) =>
        Effect.succeed([`The log was not compared with what the signer remembers: ${message}.`])
    }),
    Effect.provide(signer)
  )

/** Checks the log of operators' actions against its seals, the anchors that are given and, where the settings name it, the signer. */
export const checkAudit = Effect.fn("assemble.checkAudit")(function* (
  url: Redacted.Redacted,
  { anchors, heads, signer }: AuditEvidence
) {
  const findings = yield* Effect.provide(
    verifySeals({ anchors: anchors.flatMap(({ seals }) => seals), heads }),
    layerPostgres({ url, maxConnections: 2, applicationName: "bursar check" })
  )
  const ofAnchors = anchors.flatMap((content) => content.findings)
  const results = [{ ...bySeals, firstWrong: wrongOf([...findings, ...ofAnchors]) }]
  return signer === undefined ? results : [...results, { ...bySigner, firstWrong: wrongOf(yield* askSigner(signer)) }]
})
