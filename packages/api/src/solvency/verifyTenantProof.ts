import { Effect } from "effect"
import type { SolvencyLeaf, SolvencyParts, SolvencyProof } from "./SolvencyProof.ts"
import { fromHex } from "./hex.ts"
import { solvencyFormat } from "./preimages.ts"
import { canonicalJson } from "./canonicalJson.ts"
import { inclusionObjection } from "./verifyInclusion.ts"
import { signatureFinding } from "./documentSignature.ts"
import { snapshotFindings, type VerifyMessage } from "./verifySnapshot.ts"

const positive = (units: bigint): bigint => (units > 0n ? units : 0n)

/** What parts come to: what is below zero lessens no other part, and what is on the tenant's own addresses it has already. */
const sumOfParts = ({ available, converting, customers, held, own_addresses: own }: SolvencyParts): bigint => {
  const owed = [available, held, customers, converting].reduce((sum, part) => sum + positive(BigInt(part)), 0n)
  return positive(owed - positive(BigInt(own)))
}

/** The most decimals that an amount is written with. */
const decimalsMax = 38

/** Whether an amount, as people read it, is that of the leaf. */
const isShown = ({ amount, decimals, units }: Pick<SolvencyLeaf, "amount" | "decimals" | "units">): boolean => {
  const [, whole, fraction = ""] = /^(0|[1-9]\d*)(?:\.(\d+))?$/u.exec(amount) ?? []
  return (
    whole !== undefined &&
    decimals >= fraction.length &&
    decimals <= decimalsMax &&
    BigInt(whole + fraction.padEnd(decimals, "0")) === BigInt(units)
  )
}

const leafFinding = Effect.fnUntraced(function* (proof: SolvencyProof, leaf: SolvencyLeaf) {
  const { currency, index, parts, path, salt, tree, units } = leaf
  const says = (finding: string) => `${currency}: ${finding}`
  if (tree.currency !== currency) return says("The tree is that of another currency.")
  if (sumOfParts(parts) !== BigInt(units)) return says("The parts do not come to the amount of the leaf.")
  if (!isShown(leaf)) return says("The amount that is shown is not that of the leaf.")
  const objection = yield* inclusionObjection(
    {
      snapshotId: proof.snapshot_id,
      currency,
      leaves: tree.leaves,
      depth: tree.depth,
      root: fromHex(tree.root),
      total: BigInt(tree.total)
    },
    { tenantId: proof.tenant_id, salt: fromHex(salt), units: BigInt(units) },
    { index, path: path.map((node) => ({ hash: fromHex(node.hash), units: BigInt(node.units) })) }
  )
  return objection === undefined ? undefined : says(objection)
})

/** Without the document nothing does: the digest is one of all its content, and an answer has a part of that. */
const unbound = "The answer has no document, and nothing else ties its leaves to the digest: ask with document=true."

/** What is wrong with the document that comes with a proof, which ties the trees of the leaves to the digest. */
const documentFindings = Effect.fnUntraced(function* (proof: SolvencyProof, verifyMessage: VerifyMessage | undefined) {
  const { commitment, digest, document, leaves, service, signature, snapshot_id: id, taken_at: takenAt } = proof
  if (document === null) return [unbound]
  const decimalsOf = new Map(document.currencies.map((one) => [one.currency, one.decimals]))
  const known = new Map(document.liabilities.map((liability) => [liability.currency, canonicalJson(liability)]))
  return [
    ...(yield* snapshotFindings(document, verifyMessage === undefined ? {} : { verifyMessage })),
    ...(document.snapshot_id === id && document.taken_at === takenAt && document.service === service
      ? []
      : ["The document is that of another snapshot."]),
    ...(document.digest === digest &&
    document.commitment === commitment &&
    canonicalJson(document.signature) === canonicalJson(signature)
      ? []
      : ["The document is not the one that the proof names."]),
    ...leaves
      .filter(({ currency, tree }) => known.get(currency) !== canonicalJson(tree))
      .map(({ currency }) => `${currency}: The document has another tree.`),
    ...leaves
      .filter(({ currency, decimals }) => decimalsOf.get(currency) !== decimals)
      .map(({ currency }) => `${currency}: The document has other decimals.`)
  ]
})

/** What a tenant knows by itself, and does not take from the answer. */
export interface TenantKnows {
  readonly tenantId: string
  /** The digest of the public document, from where it was published; not compared where it is absent. */
  readonly digest?: string
  /** The key of the service for documents, from where it was published; not compared where it is absent. */
  readonly signedBy?: string
}

/**
 * Verifies a tenant's own part of a published snapshot, and says what is wrong, in words; nothing where it is right. It takes the document:
 * an answer without one is told so. Whether amounts are
 * those of the tenant's own books, and whether the same digest was shown to others, is for the tenant to compare. Signatures are not
 * looked at where nothing verifies them.
 */
export const tenantProofFindings = Effect.fnUntraced(function* (
  proof: SolvencyProof,
  knows: TenantKnows,
  verifyMessage?: VerifyMessage
) {
  const findings: Array<string> = []
  if (proof.format !== solvencyFormat) findings.push(`The format ${JSON.stringify(proof.format)} is not known here.`)
  if (proof.tenant_id !== knows.tenantId) findings.push("The proof is that of another tenant.")
  if (knows.digest !== undefined && knows.digest !== proof.digest)
    findings.push("The snapshot is not the one that was published: its digest is another.")
  const { digest, service, signature, snapshot_id: snapshotId, taken_at: takenAt } = proof
  const unsigned = yield* signatureFinding({ service, snapshotId, digest, takenAt }, signature, knows.signedBy)
  if (unsigned !== undefined) findings.push(unsigned)
  const currencies = proof.leaves.map(({ currency }) => currency)
  if (new Set(currencies).size !== currencies.length) findings.push("A currency has more than one leaf.")
  for (const leaf of proof.leaves) {
    const finding = yield* leafFinding(proof, leaf)
    if (finding !== undefined) findings.push(finding)
  }
  findings.push(...(yield* documentFindings(proof, verifyMessage)))
  return findings
})
