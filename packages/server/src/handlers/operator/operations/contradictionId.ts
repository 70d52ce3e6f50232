import { contradictionsText } from "@bursar/core/operation/contradictions"
import type { Operation } from "@bursar/core/operation/Operation"
import { createHash } from "node:crypto"

const length = 32

/** What all that contradicts an operation goes by: another one as soon as more is said of it, or less, or it has another status, or is resolved again. */
export const contradictionId = (operation: Operation): string =>
  createHash("sha256").update(contradictionsText(operation)).digest("hex").slice(0, length)
