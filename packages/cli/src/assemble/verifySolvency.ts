import { LeafLine, makeLeavesCheck } from "@bursar/api/solvency/verifyLeaves"
import { SolvencyProof } from "@bursar/api/solvency/SolvencyProof"
import { SolvencySnapshot } from "@bursar/api/solvency/SolvencySnapshot"
import { snapshotFindings } from "@bursar/api/solvency/verifySnapshot"
import { tenantProofFindings } from "@bursar/api/solvency/verifyTenantProof"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { evmTraits, presetNetworks } from "@bursar/core/money/presetNetworks"
import { verifyByWays } from "@bursar/server/solvency/verifySignatures"
import { Effect, Result, Schema, Stream } from "effect"
import { hash } from "node:crypto"
import { signerNetworks } from "../config/SignerSettings.ts"
import { familyKeys, nodeOf } from "./adapters.ts"
import { placeFindings } from "./reservePlaces.ts"

/** What a text turned out to be, and what is wrong with it. */
export interface Verified {
  readonly proof: SolvencyProof | null
  readonly document: SolvencySnapshot | null
  /** In words; empty where nothing is wrong. */
  readonly findings: ReadonlyArray<string>
}

/** What whoever verifies knows by itself. */
export interface Knows {
  readonly tenantId: string | undefined
  /** The digest as it was published elsewhere. */
  readonly digest: string | undefined
  /** The key of the service for documents, as it was published elsewhere. */
  readonly signedBy: string | undefined
  /** The text of the document as it was published elsewhere; it takes the place of the one that an answer has or lacks. */
  readonly document?: string | undefined
}

/** Networks that an operator adds are EVM networks. */
const traitsOf = (network: string) =>
  presetNetworks.has(network) ? presetNetworks.of(network) : evmTraits(network, { code: "", decimals: 0 })

/** Verifies signatures without a node and without the configuration of the service. */
const verifyMessage = verifyByWays((network) => {
  const { family, messageFormat: format } = traitsOf(network)
  return { format, ways: familyKeys.get(family) ?? [] }
})

/** Reserves that are said to be on a main network, and are on another chain. */
const chainFindings = ({ environment, reserves }: SolvencySnapshot): ReadonlyArray<string> => {
  const main = new Map(
    signerNetworks([], [], {}).map((one) => [one.network, nodeOf(defaultCurrencies, one).adapter.chainId])
  )
  return reserves
    .filter(({ chain_id: chain, network }) => environment === "LIVE" && chain !== (main.get(network) ?? chain))
    .map(({ address, chain_id: chain, network }) => `${network} ${address} is on the chain ${chain}, which is another.`)
}

const documentFindings = Effect.fnUntraced(function* (document: SolvencySnapshot, { digest, signedBy }: Knows) {
  return [
    ...(digest === undefined || digest === document.digest
      ? []
      : ["The snapshot is not the one that was published: its digest is another."]),
    ...(yield* snapshotFindings(document, { verifyMessage, ...(signedBy === undefined ? {} : { signedBy }) })),
    ...chainFindings(document),
    ...placeFindings(document, traitsOf)
  ]
})

const proofFindings = Effect.fnUntraced(function* (proof: SolvencyProof, { digest, signedBy, tenantId }: Knows) {
  if (tenantId === undefined) return ["It is the proof of a tenant: name your own with --tenant."]
  const knows = {
    tenantId,
    ...(digest === undefined ? {} : { digest }),
    ...(signedBy === undefined ? {} : { signedBy })
  }
  return [
    ...(yield* tenantProofFindings(proof, knows, verifyMessage)),
    ...(proof.document === null ? [] : [...chainFindings(proof.document), ...placeFindings(proof.document, traitsOf)])
  ]
})

const formFinding = (form: string, { message }: { readonly message: string }): Verified => ({
  ...nothing,
  findings: [`It has not the form of ${form}: ${message.replaceAll(/\s+/gu, " ")}`]
})

const nothing: Verified = { proof: null, document: null, findings: [] }

const isProof = (value: unknown): value is object => typeof value === "object" && value !== null && "tenant_id" in value

/** Looks through a proof or a document of a snapshot, given as text, without the service that made it. */
export const verifySolvency = Effect.fn("verifySolvency")(function* (text: string, knows: Knows) {
  const parsed = Result.try((): unknown => JSON.parse(text))
  if (Result.isFailure(parsed)) return { ...nothing, findings: ["It is no JSON."] }
  const value = parsed.success
  if (isProof(value)) {
    const published = Result.try((): object =>
      knows.document === undefined ? {} : { document: JSON.parse(knows.document) }
    )
    if (Result.isFailure(published)) return { ...nothing, findings: ["The document is no JSON."] }
    const proof = Schema.decodeUnknownResult(SolvencyProof)({ ...value, ...published.success })
    if (Result.isFailure(proof)) return formFinding("a proof", proof.failure)
    const found: Verified = {
      proof: proof.success,
      document: proof.success.document,
      findings: yield* proofFindings(proof.success, knows)
    }
    return found
  }
  if (knows.document !== undefined)
    return { ...nothing, findings: ["--document goes with the proof of a tenant alone."] }
  const document = Schema.decodeUnknownResult(SolvencySnapshot)(value)
  if (Result.isFailure(document)) return formFinding("a document", document.failure)
  const found: Verified = {
    proof: null,
    document: document.success,
    findings: yield* documentFindings(document.success, knows)
  }
  return found
})

const decodeLine = Schema.decodeUnknownResult(Schema.fromJsonString(LeafLine))

/** Grows the trees of a document again from the private file of all leaves, and says where they are others, in bounded memory. */
export const verifyLeaves = Effect.fn("verifyLeaves")(function* <E, R>(
  document: SolvencySnapshot,
  lines: Stream.Stream<string, E, R>
) {
  const check = makeLeavesCheck(document, (bytes) => hash("sha256", bytes, "buffer"))
  let unreadable: { readonly message: string } | undefined
  yield* Stream.runForEach(lines, (line) =>
    Effect.sync(() => {
      const leaf = decodeLine(line)
      if (Result.isFailure(leaf)) {
        unreadable ??= leaf.failure
        return
      }
      const { salt, tenant_id: tenantId, units, ...place } = leaf.success
      check.add({ ...place, salt, tenantId, units: BigInt(units) })
    })
  )
  return unreadable === undefined ? check.findings() : formFinding("a file of leaves", unreadable).findings
})
