import { apiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import type { Liability, SolvencySnapshot } from "@bursar/api/solvency/SolvencySnapshot"
import type { SolvencyLeaf as WireLeaf } from "@bursar/api/solvency/SolvencyProof"
import { toIso } from "@bursar/core/base/Timestamp"
import { format } from "@bursar/core/money/Amount"
import { type SolvencyLeaf, type SolvencyNode, SolvencyStore } from "@bursar/core/solvency/SolvencyStore"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { orUnavailable } from "../../refusals.ts"
import { readDocument } from "../../solvency/readDocument.ts"

/** The place beside a node's on each level of the way up from a leaf. */
const placesBeside = ({ currency, index }: SolvencyLeaf, { depth }: Liability) =>
  Array.from({ length: depth }, (_, level) => {
    const at = Math.floor(index / 2 ** level)
    return { currency, level, index: at % 2 === 0 ? at + 1 : at - 1 }
  })

const toWire = (
  leaf: SolvencyLeaf,
  {
    decimals,
    nodes,
    tree
  }: { readonly tree: Liability; readonly decimals: number; readonly nodes: ReadonlyArray<SolvencyNode> }
): WireLeaf => ({
  currency: leaf.currency,
  decimals,
  amount: format(leaf.units, decimals),
  units: String(leaf.units),
  parts: {
    available: String(leaf.available),
    held: String(leaf.held),
    customers: String(leaf.customers),
    converting: String(leaf.converting),
    own_addresses: String(leaf.ownAddresses)
  },
  posting: leaf.posting,
  salt: leaf.salt,
  index: leaf.index,
  path: nodes.map(({ hash, units }) => ({ hash, units: String(units) })),
  tree
})

/** Proofs that the service owes what it says, and has it. A tenant is shown its own leaves alone. */
export const layer = HttpApiBuilder.group(
  PartnerApi,
  "solvency",
  Effect.fnUntraced(function* (handlers) {
    const store = yield* SolvencyStore

    const leafWithPath = Effect.fnUntraced(function* (document: SolvencySnapshot, leaf: SolvencyLeaf) {
      const { currencies, liabilities, snapshot_id: id } = document
      const tree = liabilities.find(({ currency }) => currency === leaf.currency)
      const decimals = currencies.find(({ currency }) => currency === leaf.currency)?.decimals
      if (tree === undefined || decimals === undefined)
        return yield* Effect.die(new Error(`snapshot ${id} has a leaf of ${leaf.currency} and no tree`))
      const places = placesBeside(leaf, tree)
      const found = yield* orUnavailable(store.nodesAt(id, places))
      const nodes = places.map(({ index, level }) => found.find((one) => one.level === level && one.index === index))
      return toWire(leaf, { tree, decimals, nodes: nodes.filter((node) => node !== undefined) })
    })

    return handlers.handleAll({
      proof: ({ query }) =>
        Effect.gen(function* () {
          const { tenantId, tenantKind } = yield* Caller
          const stored = yield* orUnavailable(
            query.snapshot === undefined ? store.latestPublished(tenantKind) : store.byId(query.snapshot)
          )
          if (stored === undefined || stored.published === null || stored.environment !== tenantKind)
            return yield* apiError("not_found", { message: "No such snapshot is published." })
          const document = yield* readDocument(stored.document)
          const leaves = yield* orUnavailable(store.leavesOf(TenantId(tenantId), stored.id))
          return {
            format: document.format,
            service: document.service,
            snapshot_id: stored.id,
            tenant_id: tenantId,
            taken_at: document.taken_at,
            published_at: toIso(stored.published.at),
            digest: document.digest,
            signature: document.signature,
            commitment: document.commitment,
            leaves: yield* Effect.forEach(leaves, (leaf) => leafWithPath(document, leaf)),
            document: query.document === true ? document : null
          }
        })
    })
  })
)
