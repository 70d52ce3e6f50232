import { Option, Schema } from "effect"
import { AuditSeal } from "./AuditSeal.ts"

const Line = Schema.fromJsonString(AuditSeal)
const decode = Schema.decodeUnknownOption(Line)

/** A seal as a line of an anchor file. */
export const writeAnchor = (seal: AuditSeal): string => `${JSON.stringify(seal)}\n`

/** What stands in an anchor file. */
export interface AnchorLines {
  readonly seals: ReadonlyArray<AuditSeal>
  /** The numbers of the lines that are no seals. A line that a crash left unfinished is none of them. */
  readonly strange: ReadonlyArray<number>
}

/** Reads the lines of an anchor file, or the last of them. */
export const readAnchors = (text: string): AnchorLines => {
  const seals: Array<AuditSeal> = []
  const strange: Array<number> = []
  for (const [index, line] of text.split("\n").entries()) {
    if (!line.trimEnd().endsWith("}")) continue
    const seal = decode(line)
    if (Option.isSome(seal)) seals.push(seal.value)
    else strange.push(index + 1)
  }
  return { seals, strange }
}
