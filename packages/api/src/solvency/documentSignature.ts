import { Effect } from "effect"
import { verifyEd25519 } from "../signature/Ed25519.ts"
import { fromHex } from "./hex.ts"
import { oneLine } from "./reserveMessage.ts"
import type { DocumentSignature } from "./SolvencySnapshot.ts"

/** What the service signs to stand by a document. */
export interface DocumentClaim {
  readonly service: string
  readonly snapshotId: string
  /** Of the whole document, in lower-case hexadecimal. */
  readonly digest: string
  /** RFC 3339. */
  readonly takenAt: string
}

const hash = /^[0-9a-f]{64}$/u
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u

/** Why nothing should be signed for a document; undefined where it says what it has to. */
export const documentObjection = ({ digest, service, snapshotId, takenAt }: DocumentClaim): string | undefined => {
  if (!uuid.test(snapshotId)) return "The snapshot has no id."
  if (!hash.test(digest)) return "The digest is no SHA-256."
  return [service, takenAt].every((line) => oneLine.test(line)) ? undefined : "What it names takes more than one line."
}

/** The text that the service signs with a key of its own, which signs nothing else. */
export const documentMessage = ({ digest, service, snapshotId, takenAt }: DocumentClaim): string =>
  [
    "Proof of solvency. This text moves nothing and gives nobody a right.",
    `Service: ${service}`,
    `Snapshot: ${snapshotId}`,
    `Document: ${digest}`,
    `Taken: ${takenAt}`
  ].join("\n")

/** Whether a key has signed for a document (Ed25519, RFC 8032). */
export const isDocumentSigned = (claim: DocumentClaim, { key, signature }: DocumentSignature): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    // what is no point of the curve is refused here, or verifies nothing
    const imported = yield* Effect.tryPromise(() =>
      crypto.subtle.importKey("raw", new Uint8Array(fromHex(key)), "Ed25519", true, ["verify"])
    )
    return yield* verifyEd25519(imported, fromHex(signature), new TextEncoder().encode(documentMessage(claim)))
  }).pipe(Effect.orElseSucceed(() => false))

/** What is wrong with the signature of the service over a document, where its key may be known from elsewhere. */
export const signatureFinding = (
  claim: DocumentClaim,
  signature: DocumentSignature,
  signedBy: string | undefined
): Effect.Effect<string | undefined> =>
  signedBy !== undefined && signedBy !== signature.key
    ? Effect.succeed("Another key than that of the service has signed the document.")
    : Effect.map(isDocumentSigned(claim, signature), (isSigned) =>
        documentObjection(claim) === undefined && isSigned ? undefined : "The service has not signed the document."
      )
