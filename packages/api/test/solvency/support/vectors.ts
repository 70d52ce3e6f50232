import { createHash, createHmac, createPrivateKey, createPublicKey, sign } from "node:crypto"
import { type DocumentClaim, documentMessage } from "../../../src/solvency/documentSignature.ts"
import { leafSecrets } from "../../../src/solvency/leafSecrets.ts"
import { makeSnapshot } from "../../../src/solvency/makeSnapshot.ts"
import { solvencyFormat } from "../../../src/solvency/preimages.ts"
import type { Statement } from "../../../src/solvency/SolvencySnapshot.ts"
import { makeSumTree, type PlacedNode } from "../../../src/solvency/SumTree.ts"
import type { SolvencyProof } from "../../../src/solvency/SolvencyProof.ts"
import { Effect } from "effect"

const sha256 = (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest()
const hmac = (key: Uint8Array, bytes: Uint8Array): Uint8Array => createHmac("sha256", key).update(bytes).digest()
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/** What stands before the 32 bytes of a private key in PKCS #8 (RFC 8410). */
const pkcs8 = Buffer.from("302e020100300506032b657004220420", "hex")
const documentKey = createPrivateKey({
  key: Buffer.concat([pkcs8, Buffer.alloc(32, 9)]),
  format: "der",
  type: "pkcs8"
})

/** Signs documents with a key of 32 times the byte 9. */
export const signDocument = (claim: DocumentClaim) =>
  Effect.sync(() => ({
    key: hex(createPublicKey(documentKey).export({ format: "der", type: "spki" }).subarray(-32)),
    signature: hex(sign(null, Buffer.from(documentMessage(claim)), documentKey))
  }))

const snapshotId = "019845e1-682f-4b02-a706-3b2422d13aec"
const currency = "USDC_ETH"
const takenAt = "2026-11-23T12:00:00.000Z"
const secret = Buffer.alloc(32, 7)
const amounts = [5_000_000n, 0n, 12_345_678n, 1n, 99_999_999_999n]
const tenantOf = (at: number): string => `00000000-0000-4000-8000-00000000000${at}`

const statement: Statement = {
  place: "custodian",
  provider: "Custodian of Examples",
  currency,
  units: "5000000000",
  as_of: takenAt,
  file: "statement é.csv",
  sha256: hex(sha256(Buffer.from("statement")))
}

/** The answers of one snapshot to each of its tenants, with the secret that salts follow from. Nothing of it is by chance. */
export const makeVectors = Effect.gen(function* () {
  const nodes: Array<PlacedNode> = []
  const { orderKey, saltOf } = leafSecrets(secret, hmac)
  const tree = makeSumTree({ snapshotId, currency }, sha256, (node) => nodes.push(node))
  const leaves = amounts.map((units, at) => {
    const salt = saltOf({ snapshotId, currency, tenantId: tenantOf(at) })
    return { tenantId: tenantOf(at), salt, units, ...tree.add({ tenantId: tenantOf(at), salt, units }) }
  })
  const { depth, leaves: count, root, total } = tree.finish()
  const liability = { currency, leaves: count, depth, root: hex(root), total: String(total) }
  const document = yield* makeSnapshot(
    {
      format: solvencyFormat,
      snapshot_id: snapshotId,
      service: "Bursar",
      environment: "LIVE",
      taken_at: takenAt,
      currencies: [{ currency, decimals: 6 }],
      liabilities: [liability],
      unattributed: [{ currency, units: "250" }]
    },
    {
      statements: [statement],
      unread: [{ network: "tron", address: "TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf", reason: "The network has no node." }],
      sign: signDocument,
      reserves: () =>
        Effect.succeed([
          {
            network: "ethereum",
            chain_id: "1",
            address: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
            block_number: 21_000_000,
            block_hash: `0x${"b7".repeat(32)}`,
            holdings: [{ currency, contract: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", units: "95000000000" }],
            proof: null,
            unproven: "An example has no key."
          }
        ])
    }
  )
  const answers = leaves.map(({ index, salt, tenantId, units }): SolvencyProof => ({
    format: solvencyFormat,
    service: "Bursar",
    snapshot_id: snapshotId,
    tenant_id: tenantId,
    taken_at: takenAt,
    published_at: "2026-11-23T13:00:00.000Z",
    digest: document.digest,
    signature: document.signature,
    commitment: document.commitment,
    leaves: [
      {
        currency,
        decimals: 6,
        amount: String(Number(units) / 1e6),
        units: String(units),
        parts: {
          available: String(units),
          held: "0",
          customers: "0",
          converting: "-5",
          own_addresses: "0"
        },
        posting: 1,
        salt: hex(salt),
        index,
        path: Array.from({ length: depth }, (_, level) => {
          const at = Math.floor(index / 2 ** level) ^ 1
          const beside = nodes.find((node) => node.level === level && node.index === at)
          if (beside === undefined) throw new Error("every node of a path is handed out")
          return { hash: hex(beside.hash), units: String(beside.units) }
        }),
        tree: liability
      }
    ],
    document
  }))
  return {
    secret: hex(secret),
    document_key: hex(Buffer.alloc(32, 9)),
    order_key: hex(orderKey(snapshotId)),
    nodes: nodes.map(({ hash, index, level, units }) => ({ level, index, hash: hex(hash), units: String(units) })),
    answers
  }
})
