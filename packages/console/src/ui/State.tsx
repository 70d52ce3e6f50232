import type { OperatorOperation } from "@bursar/api/operator/OperatorOperation"
import { Badge, type Tone } from "./Badge.tsx"

const tones: Readonly<Record<OperatorOperation["status"], Tone>> = {
  ACCEPTED: "plain",
  IN_REVIEW: "warn",
  AWAITING_FUNDS: "plain",
  PROCESSING: "plain",
  SENT: "plain",
  SETTLED: "good",
  FAILED: "bad",
  RETURNED: "warn"
}

/** Where an operation stands, and what about it needs a person. */
export const State = ({
  contradiction,
  status,
  unresolved
}: Pick<OperatorOperation, "contradiction" | "status" | "unresolved">) => (
  <>
    <Badge tone={tones[status]}>{status}</Badge> {unresolved ? <Badge tone="bad">unresolved</Badge> : null}
    {contradiction === null ? null : <Badge tone="bad">contradicted</Badge>}
  </>
)
