import type { AnchorContent, AnchorFailed } from "@bursar/core/port/AuditAnchor"
import { Effect, Option } from "effect"
import { type AnchorObject, decodeObject, numberOf } from "./AnchorObject.ts"
import type { Objects, StoredVersion } from "./objects.ts"

/** The versions of each seal's object, the oldest first. */
const byNumber = (
  versions: ReadonlyArray<StoredVersion>,
  prefix: string
): ReadonlyArray<readonly [number, ReadonlyArray<StoredVersion>]> => {
  const found = new Map<number, Array<StoredVersion>>()
  // the store lists the newest of an object first
  for (const version of versions.toReversed()) {
    const number = numberOf(prefix, version.key)
    if (number !== undefined) found.set(number, [...(found.get(number) ?? []), version])
  }
  return [...found]
    .map(([number, all]) => [number, all.toSorted((one, other) => one.at - other.at)] as const)
    .toSorted(([one], [other]) => one - other)
}

const mistakesOf = (number: number, versions: ReadonlyArray<StoredVersion>, place: string): ReadonlyArray<string> => [
  ...(versions.some(({ isRemoval }) => isRemoval) ? [`Seal ${number} was removed from the anchor ${place}.`] : []),
  ...(versions.filter(({ isRemoval }) => !isRemoval).length > 1
    ? [`Seal ${number} was overwritten in the anchor ${place}.`]
    : [])
]

/** Objects that name another one before than there is. */
const gapsOf = (objects: ReadonlyArray<AnchorObject>, place: string): ReadonlyArray<string> =>
  objects.flatMap(({ previous, seal }, index) => {
    const before = objects[index - 1]?.seal.number ?? null
    if (previous === before) return []
    return [
      previous === null
        ? `Seal ${before} was put in before the first of the anchor ${place}.`
        : `Seal ${previous} is missing in the anchor ${place}: seal ${seal.number} names it.`
    ]
  })

/** Everything that stands in the store under a prefix: of each object its oldest version, and what was removed, overwritten or left out. */
export const readContent = Effect.fn("S3Anchor.read")(function* (
  { read, versions }: Objects,
  { place, prefix }: { readonly place: string; readonly prefix: string }
): Effect.fn.Return<AnchorContent, AnchorFailed> {
  const findings: Array<string> = []
  const objects: Array<AnchorObject> = []
  for (const [number, all] of byNumber(yield* versions, prefix)) {
    findings.push(...mistakesOf(number, all, place))
    const first = all.find(({ isRemoval }) => !isRemoval)
    if (first === undefined) continue
    const object = Option.getOrUndefined(decodeObject(yield* read(first.key, first.versionId)))
    if (object?.seal.number === number) objects.push(object)
    else findings.push(`The object of seal ${number} in the anchor ${place} is no seal of that number.`)
  }
  return { seals: objects.map(({ seal }) => seal), findings: [...findings, ...gapsOf(objects, place)] }
})
