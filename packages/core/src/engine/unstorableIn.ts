import { isStorable } from "../base/storable.ts"
import { unstorableText } from "../base/unstorableText.ts"
import type { Change } from "./Change.ts"

/** Whether all texts of a value can be stored. For each command of each batch, so it says only that. */
const allStorable = (value: unknown): boolean => {
  if (typeof value === "string") return isStorable(value)
  // bytes, such as those of a signed transaction, hold no text: looking at each took longer than all else that a command decides
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return true
  if (Array.isArray(value)) return value.every(allStorable)
  for (const key in value)
    if (!isStorable(key) || !allStorable((value as { readonly [key: string]: unknown })[key])) return false
  return true
}

/** What a change writes, without the definition of its kind. */
const written = (change: Change): unknown => (change._tag === "RecordPut" ? change.record : change)

const nameOf = (change: Change): string => (change._tag === "RecordPut" ? change.of.name : change._tag)

/**
 * Which text of some changes cannot be stored, and why; undefined where all can. It is the same in every store: PostgreSQL has no NUL in a
 * text and cannot look into JSON that has one, and half of a surrogate pair would be stored as another text, which may be another's key.
 */
export const unstorableIn = (changes: ReadonlyArray<Change>): string | undefined => {
  const change = changes.find((one) => !allStorable(written(one)))
  const found = change && unstorableText(written(change), nameOf(change))
  return found && `${found.path}: ${found.message}`
}
