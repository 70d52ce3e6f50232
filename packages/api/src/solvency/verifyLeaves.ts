import { Schema } from "effect"
import { Uuid } from "../wire/Uuid.ts"
import { fromHex, toHex } from "./hex.ts"
import { HashText, type SolvencySnapshot, UnitsText } from "./SolvencySnapshot.ts"
import { makeSumTree, type PlacedNode, type Sha256 } from "./SumTree.ts"

/** A leaf as it stands on a line of the private file that auditors are given. */
export const LeafLine = Schema.Struct({
  currency: Schema.String,
  index: Schema.Int,
  tenant_id: Uuid,
  units: UnitsText,
  salt: HashText,
  posting: Schema.Int
})
/** A leaf as it stands on a line of the private file. */
export type LeafLine = typeof LeafLine.Type

/** A leaf that a tree is grown from again. */
export interface LeafToCheck {
  readonly currency: string
  readonly index: number
  readonly tenantId: string
  /** 32 bytes as lower-case hexadecimal. */
  readonly salt: string
  readonly units: bigint
}

/**
 * Grows the trees of a snapshot again from all of its leaves, given in the order of their places, and says where they are not those of
 * the document, in words. The memory that it takes does not grow with the leaves. Each node of a tree is handed to `emit` once, the last
 * ones when the findings are asked for.
 */
export const makeLeavesCheck = (
  { liabilities, snapshot_id: snapshotId }: Pick<SolvencySnapshot, "liabilities" | "snapshot_id">,
  sha256: Sha256,
  emit: (currency: string, node: PlacedNode) => void = () => undefined
) => {
  const trees = new Map<string, ReturnType<typeof makeSumTree>>()
  const wrong = new Map<string, string>()

  const treeOf = (currency: string) => {
    const there = trees.get(currency) ?? makeSumTree({ snapshotId, currency }, sha256, (node) => emit(currency, node))
    trees.set(currency, there)
    return there
  }

  const add = ({ currency, index, salt, tenantId, units }: LeafToCheck): void => {
    if (wrong.has(currency)) return
    try {
      const placed = treeOf(currency).add({ tenantId, salt: fromHex(salt), units })
      if (placed.index !== index) wrong.set(currency, `The leaves of ${currency} are not one after the other.`)
    } catch (error) {
      // an amount below zero, or a sum that is too large
      wrong.set(currency, `Leaf ${index} of ${currency} cannot be: ${error instanceof Error ? error.message : "?"}.`)
    }
  }

  const findings = (): ReadonlyArray<string> => {
    const published = new Map(liabilities.map((liability) => [liability.currency, liability]))
    return [...new Set([...trees.keys(), ...published.keys()])].flatMap((currency) => {
      const mistake = wrong.get(currency)
      if (mistake !== undefined) return [mistake]
      const [grown, said] = [trees.get(currency)?.finish(), published.get(currency)]
      const same =
        grown !== undefined &&
        said !== undefined &&
        grown.leaves === said.leaves &&
        toHex(grown.root) === said.root &&
        String(grown.total) === said.total
      return same ? [] : [`The leaves of ${currency} do not grow the tree of the document.`]
    })
  }

  return { add, findings }
}
