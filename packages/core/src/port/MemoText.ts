import type { Memo } from "./Chain.ts"

const typed = /^(id|hash|return|text):(.*)$/su

/** The memo of a text that says of which type it is, such as `id:42` or `text:id:42`; undefined where it does not. Whether a network takes it is not looked at. */
export const typedMemo = (text: string): Memo | undefined => {
  const [, type, value = ""] = typed.exec(text) ?? []
  // the expression has no other types
  return type === undefined ? undefined : { type: type as Memo["type"], value }
}

/** A memo as its network reads it, in its shortest form: a text says that it is one only where it would be read as another memo. */
export const writeMemo = ({ type, value }: Memo): string =>
  type === "text" && typedMemo(value) === undefined ? value : `${type}:${value}`
