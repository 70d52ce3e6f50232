import type { KeyName } from "../engine/Directory.ts"
import type { Read } from "../engine/Read.ts"
import type { View } from "../engine/View.ts"
import { DepositAddress } from "./DepositAddress.ts"

/** What finding out whose keys are reads. */
export const keyReads = (keys: ReadonlyArray<KeyName>): ReadonlyArray<Read> =>
  keys.map((key) => ({ _tag: "KeyOwner", key }))

/** What stands in the way of taking an address of a key. */
export type KeyAvailability =
  | { readonly _tag: "Free" }
  /** Another tenant's, or a key that the service pays from: nobody's to take. */
  | { readonly _tag: "Unavailable" }
  /** The service holds it for the view's tenant, since it took this address. */
  | { readonly _tag: "Held"; readonly record: DepositAddress | undefined }

/** How a key stands with the view's tenant. The command reads `KeyOwner` of each of its names. */
export const keyAvailability = (view: View, keys: ReadonlyArray<KeyName>): KeyAvailability => {
  const owners = keys.flatMap((key) => view.keyOwner(key) ?? [])
  if (owners.some(({ holder, owner }) => owner !== view.tenant.id || holder === "WALLET"))
    return { _tag: "Unavailable" }
  const held = owners.filter(({ holder }) => holder === "SERVICE")
  if (held.length === 0) return { _tag: "Free" }
  return { _tag: "Held", record: held.flatMap(({ by }) => view.get(DepositAddress, by) ?? [])[0] }
}
