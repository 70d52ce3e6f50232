import type { Tone } from "../../ui/Badge.tsx"

/** What the state of an identity check means at a glance. */
export const checkTone = (status: string): Tone => {
  if (status === "APPROVED") return "good"
  if (status === "REJECTED" || status === "EXPIRED") return "bad"
  return status === "NOT_STARTED" ? "plain" : "warn"
}
