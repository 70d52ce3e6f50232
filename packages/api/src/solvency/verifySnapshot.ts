import { Effect } from "effect"
import { signatureFinding } from "./documentSignature.ts"
import { claimObjection, reserveMessage } from "./reserveMessage.ts"
import { commitmentOf, documentDigest, type Reserve, type SolvencySnapshot } from "./SolvencySnapshot.ts"
import { depthOf } from "./SumTree.ts"
import { summarize } from "./summarize.ts"
import { canonicalJson } from "./canonicalJson.ts"

/** Whether the key of an address has signed a text, by the standard of its network. */
export type VerifyMessage = (
  reserve: Pick<Reserve, "address" | "chain_id" | "network">,
  signed: {
    readonly format: string
    readonly message: string
    readonly signature: string
  }
) => Effect.Effect<boolean>

const duplicates = (keys: ReadonlyArray<string>): ReadonlyArray<string> => {
  const seen = new Set<string>()
  return keys.filter((key) => seen.has(key) || !seen.add(key))
}

const isSorted = (keys: ReadonlyArray<string>): boolean =>
  keys.every((key, at) => at === 0 || (keys[at - 1] ?? "") < key)

/** What counts twice, or is left out of the summary. */
const countingFindings = ({
  currencies,
  liabilities,
  reserves,
  statements,
  unattributed,
  unread
}: SolvencySnapshot): ReadonlyArray<string> => {
  const places = reserves.map(({ address, chain_id: chain }) => `${chain} ${address}`.toLowerCase())
  const read = new Set(reserves.map(({ address, network }) => `${network} ${address}`.toLowerCase()))
  const chains = new Map(reserves.map(({ chain_id: chain, network }) => [network, chain]))
  const known = new Set(currencies.map(({ currency }) => currency))
  const used = [
    ...liabilities.map(({ currency }) => currency),
    ...unattributed.map(({ currency }) => currency),
    ...reserves.flatMap(({ holdings }) => holdings.map(({ currency }) => currency)),
    ...statements.map(({ currency }) => currency)
  ]
  const strange = [...new Set(used.filter((currency) => !known.has(currency)))]
  return [
    ...(isSorted(currencies.map(({ currency }) => currency)) ? [] : ["The currencies are not in order, each once."]),
    ...(isSorted(liabilities.map(({ currency }) => currency)) ? [] : ["The liabilities are not in order, each once."]),
    ...(isSorted(unattributed.map(({ currency }) => currency))
      ? []
      : ["What is attributed to nobody is not in order, each currency once."]),
    ...strange.map((currency) => `${currency} is not among the currencies, so that the summary leaves it out.`),
    // one chain under two names, or one address in two writings, would let the same coins count twice
    ...duplicates(places).map((twice) => `A reserve counts twice: ${twice}.`),
    ...reserves
      .filter(({ chain_id: chain, network }) => chains.get(network) !== chain)
      .map(({ address, network }) => `${network} ${address} is on another chain than others of its network.`),
    ...unread
      .filter(({ address, network }) => read.has(`${network} ${address}`.toLowerCase()))
      .map(({ address, network }) => `${network} ${address} is among what was read and what was not.`),
    ...reserves.flatMap(({ address, holdings, network }) =>
      duplicates(holdings.map(({ currency }) => currency)).map(
        (currency) => `${network} ${address} holds ${currency} twice.`
      )
    ),
    ...duplicates(
      statements.map(({ currency, place, provider, sha256 }) => canonicalJson([place, provider, currency, sha256]))
    ).map((twice) => `A statement counts twice: ${twice}.`),
    ...liabilities
      .filter(({ depth, leaves }) => leaves < 1 || depth !== depthOf(leaves))
      .map(({ currency }) => `The tree of ${currency} has not the levels that its leaves take.`)
  ]
}

/** What is wrong with the proof of one reserve; undefined where nothing is. */
const proofFinding = Effect.fnUntraced(function* (
  { commitment, service, snapshot_id: snapshotId, taken_at: takenAt }: SolvencySnapshot,
  reserve: Reserve,
  verifyMessage: VerifyMessage | undefined
) {
  const { address, network, proof, unproven } = reserve
  const where = `${network} ${address}`
  if ((proof === null) === (unproven === null)) return `${where} is neither proven nor said to be unproven.`
  if (proof === null) return undefined
  const claim = { service, snapshotId, commitment, network, address, takenAt }
  const objection = claimObjection(claim)
  if (objection !== undefined) return `${where}: ${objection}`
  if (proof.message !== reserveMessage(claim)) return `${where} has signed for something else.`
  if (verifyMessage === undefined) return undefined
  return (yield* verifyMessage(reserve, proof)) ? undefined : `The signature of ${where} is not that of its key.`
})

/** What is known beside a document. */
export interface SnapshotKnows {
  readonly verifyMessage?: VerifyMessage
  /** The key of the service for documents, from where it was published. */
  readonly signedBy?: string
}

/**
 * Looks through the public document of a snapshot, without a node and without the service: what is wrong with it, in words; nothing where
 * it is as it says. Signatures of reserves are not looked at where nothing verifies them. A shortfall is no mistake of the document: the summary tells it, and the summary is made anew here.
 */
export const snapshotFindings = Effect.fnUntraced(function* (
  snapshot: SolvencySnapshot,
  { signedBy, verifyMessage }: SnapshotKnows = {}
) {
  const findings: Array<string> = []
  const { digest, service, signature, snapshot_id: snapshotId, taken_at: takenAt } = snapshot
  const unsigned = yield* signatureFinding({ service, snapshotId, digest, takenAt }, signature, signedBy)
  if (unsigned !== undefined) findings.push(unsigned)
  if ((yield* documentDigest(snapshot)) !== snapshot.digest)
    findings.push("The document was altered: its digest is another.")
  if ((yield* commitmentOf(snapshot)) !== snapshot.commitment)
    findings.push("The liabilities were altered: their commitment is another.")
  findings.push(...countingFindings(snapshot))
  if (canonicalJson(summarize(snapshot)) !== canonicalJson(snapshot.summary))
    findings.push("The summary does not follow from the liabilities and reserves of the document.")
  for (const reserve of snapshot.reserves) {
    const finding = yield* proofFinding(snapshot, reserve, verifyMessage)
    if (finding !== undefined) findings.push(finding)
  }
  return findings
})
