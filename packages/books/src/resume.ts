import type { Format } from "./Format.ts"

/** Where a text that was cut off is to be cut back to, and after which posting it then goes on. */
export interface ResumePoint {
  /** How much of the text stays, in UTF-16 units. */
  readonly kept: number
  readonly after: number
}

/**
 * Looks for the last posting that begins in the end of a text. What follows on its beginning may not be whole, so it is written once
 * more. Undefined where no other begins before it there, and so its own beginning is not certain: then the text is written anew.
 */
export const resumePoint = ({ posting }: Pick<Format, "posting">, end: string): ResumePoint | undefined => {
  if (posting === null) return undefined
  const all = [...end.matchAll(posting)]
  const number = all.at(-1)?.[1]
  // a posting may have several rows: the first of them is where it begins
  const first = all.find((match) => match[1] === number)
  return first === undefined || first === all[0] ? undefined : { kept: first.index, after: Number(number) - 1 }
}

/** The last posting that a text shows; undefined where it shows none. */
export const lastPosting = ({ posting }: Pick<Format, "posting">, text: string): number | undefined => {
  const number = posting === null ? undefined : [...text.matchAll(posting)].at(-1)?.[1]
  return number === undefined ? undefined : Number(number)
}
