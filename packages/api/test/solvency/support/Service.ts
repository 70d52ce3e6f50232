import { createHash } from "node:crypto"
import { makeSnapshot } from "../../../src/solvency/makeSnapshot.ts"
import { solvencyFormat } from "../../../src/solvency/preimages.ts"
import { reserveMessage } from "../../../src/solvency/reserveMessage.ts"
import type { SolvencyProof } from "../../../src/solvency/SolvencyProof.ts"
import type { Reserve, SolvencySnapshot } from "../../../src/solvency/SolvencySnapshot.ts"
import { makeSumTree, type PlacedNode } from "../../../src/solvency/SumTree.ts"
import { makeLeavesCheck } from "../../../src/solvency/verifyLeaves.ts"
import { snapshotFindings, type VerifyMessage } from "../../../src/solvency/verifySnapshot.ts"
import { tenantProofFindings } from "../../../src/solvency/verifyTenantProof.ts"
import { Effect } from "effect"
import { signDocument } from "./vectors.ts"

const snapshotId = "019845e1-682f-4b02-a706-3b2422d13aec"
const currency = "USDC_ETH"
const takenAt = "2026-11-23T12:00:00.000Z"

/** SHA-256 that answers at once. */
export const sha256 = (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest()

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/** What one tenant is owed. */
export interface Owed {
  readonly tenantId: string
  readonly salt: Uint8Array
  readonly units: bigint
}

/** Base units of a currency of six decimals, as people read them. */
const shownOf = (units: bigint): string => `${units / 1_000_000n}.${String(units % 1_000_000n).padStart(6, "0")}`

/** Tenants who are owed some amounts. */
export const owedTo = (amounts: ReadonlyArray<bigint>): ReadonlyArray<Owed> =>
  amounts.map((units, at) => ({
    tenantId: `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`,
    salt: sha256(Buffer.from(`salt ${at}`)),
    units
  }))

/** What the key of an address signs: it names it with the text. */
const signedBy = (address: string, message: string): string => hex(sha256(Buffer.from(`${address} signs ${message}`)))

/** Whether the key of an address has signed. Capitals of an address mean nothing. */
export const verifyMessage: VerifyMessage = ({ address }, { message, signature }) =>
  Effect.sync(() => [address, address.toUpperCase()].some((form) => signedBy(form, message) === signature))

/** An address with coins, whose key signs. */
export const reserveOf = (at: number, units: bigint): Omit<Reserve, "proof" | "unproven"> => ({
  network: "ethereum",
  chain_id: "1",
  address: `0XA${at}`,
  block_number: 7,
  block_hash: "0xb7",
  holdings: [{ currency, contract: "0xC", units: String(units) }]
})

/**
 * Publishes a snapshot: what is owed and what is there, whatever somebody makes of it, with every hash and signature that the service
 * can make itself.
 */
export const publish = async (
  leaves: ReadonlyArray<Owed>,
  reserves: ReadonlyArray<Omit<Reserve, "proof" | "unproven">>,
  change: (reserves: ReadonlyArray<Reserve>) => ReadonlyArray<Reserve> = (same) => same
) => {
  const nodes = new Map<string, PlacedNode>()
  const tree = makeSumTree({ snapshotId, currency }, sha256, (node) => nodes.set(`${node.level}:${node.index}`, node))
  for (const leaf of leaves) tree.add(leaf)
  const { depth, leaves: count, root, total } = tree.finish()
  const liability = { currency, leaves: count, depth, root: hex(root), total: String(total) }
  const document: SolvencySnapshot = await Effect.runPromise(
    makeSnapshot(
      {
        format: solvencyFormat,
        snapshot_id: snapshotId,
        service: "Bursar",
        environment: "LIVE",
        taken_at: takenAt,
        currencies: [{ currency, decimals: 6 }],
        liabilities: [liability],
        unattributed: []
      },
      {
        statements: [],
        unread: [],
        sign: signDocument,
        reserves: (claimOf) =>
          Effect.sync(() =>
            change(
              reserves.map((reserve) => {
                const message = reserveMessage(claimOf(reserve))
                const signature = signedBy(reserve.address, message)
                return { ...reserve, proof: { format: "EIP-191", message, signature }, unproven: null }
              })
            )
          )
      }
    )
  )
  const pathOf = (index: number) =>
    Array.from({ length: depth }, (_, level) => {
      const beside = nodes.get(`${level}:${Math.floor(index / 2 ** level) ^ 1}`)
      if (beside === undefined) throw new Error("every node of a path is handed out")
      return { hash: hex(beside.hash), units: String(beside.units) }
    })
  /** What a tenant is shown: the path from a place, with whatever is said of the leaf there. */
  const show = (index: number, { salt, tenantId, units }: Owed): SolvencyProof => ({
    format: solvencyFormat,
    service: "Bursar",
    snapshot_id: snapshotId,
    tenant_id: tenantId,
    taken_at: takenAt,
    published_at: takenAt,
    digest: document.digest,
    signature: document.signature,
    commitment: document.commitment,
    leaves: [
      {
        currency,
        decimals: 6,
        amount: shownOf(units),
        units: String(units),
        parts: { available: String(units), held: "0", customers: "0", converting: "0", own_addresses: "0" },
        posting: 1,
        salt: hex(salt),
        index,
        path: pathOf(index),
        tree: liability
      }
    ],
    document
  })
  return { document, show }
}

/** What a tenant finds wrong with what it is shown; it knows its id and its amount. */
export const tenantFinds = async (proof: SolvencyProof, { tenantId, units }: Owed): Promise<ReadonlyArray<string>> => {
  const shown = proof.leaves.map((leaf) => leaf.units)
  return [
    ...(shown.length === 1 && shown[0] === String(units) ? [] : ["The amount is not that of my books."]),
    ...(await Effect.runPromise(tenantProofFindings(proof, { tenantId }, verifyMessage)))
  ]
}

/** What anybody finds wrong with a document. */
export const anybodyFinds = (document: SolvencySnapshot): Promise<ReadonlyArray<string>> =>
  Effect.runPromise(snapshotFindings(document, { verifyMessage }))

/** What an auditor finds who has every tenant's leaf. */
export const auditorFinds = (document: SolvencySnapshot, leaves: ReadonlyArray<Owed>): ReadonlyArray<string> => {
  const check = makeLeavesCheck(document, sha256)
  for (const [index, { salt, tenantId, units }] of leaves.entries())
    check.add({ currency, index, tenantId, salt: hex(salt), units })
  return check.findings()
}
