import type { Timestamp } from "../base/Timestamp.ts"
import type { SweepHold, SweepHoldKind } from "./DepositAddress.ts"

/** A hold that begins now. */
export const holdOf = (kind: SweepHoldKind, reason: string, heldAt: Timestamp): SweepHold => ({ kind, reason, heldAt })
