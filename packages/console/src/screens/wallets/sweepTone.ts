import type { OperatorSweep } from "@bursar/api/operator/OperatorSweep"
import type { Tone } from "../../ui/Badge.tsx"

/** What the state of a sweep means at a glance. */
export const sweepTone = (state: OperatorSweep["state"]): Tone => {
  if (state === "SWEPT") return "good"
  return state === "ABANDONED" ? "bad" : "warn"
}
