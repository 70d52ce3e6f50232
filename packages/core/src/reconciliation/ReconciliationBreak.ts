import type { Timestamp } from "../base/Timestamp.ts"
import { defineRecord } from "../engine/Records.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import { positionKey } from "./Place.ts"

/** An operation, or something else that the service has recorded, that could explain a break. */
export interface Candidate {
  readonly kind: "operation" | "deposit" | "wallet_transfer" | "transaction" | "statement_line"
  readonly id: string
  readonly tenantId: string
  readonly at: Timestamp
  /** Why it is named, in words for operators. */
  readonly reason: string
}

/** An operator's word on a break: it is known why it is there. The break stays until the difference goes, and alarms nobody. */
export interface Explanation {
  readonly by: string
  readonly note: string
  readonly at: Timestamp
}

/** What of a provider's statement does not agree with the books. */
export type BreakSubject =
  | { readonly kind: "operation"; readonly id: string; readonly tenantId: TenantId }
  | { readonly kind: "statement_line"; readonly id: string }

/** What tells subjects of breaks apart. */
export const subjectKey = ({ id, kind }: BreakSubject): string => `${kind}|${id}`

/** A difference between the books and a place that nothing in flight explains. */
export interface ReconciliationBreak {
  readonly id: string
  readonly place: string
  readonly currency: string
  /** What the books say more than the place shows; below zero where it shows more. Never zero. */
  readonly units: bigint
  /** When it was seen first; where it is what is left of too much, when that was. */
  readonly since: Timestamp
  /** At which block, where the place is on a network. */
  readonly sinceBlock: number | null
  readonly candidates: ReadonlyArray<Candidate>
  /** What of a provider's statement does not agree: an operation or a line; null where what is held there does not. */
  readonly about: BreakSubject | null
  readonly explanation: Explanation | null
  /** When an alarm was raised over it; null until then. */
  readonly alarmedAt: Timestamp | null
  /** When the operators' URL was told of the alarm; null until then. */
  readonly toldAt: Timestamp | null
  /** When the difference was gone; null while it is there. */
  readonly closedAt: Timestamp | null
}

/** Breaks by their ids. Those of a currency at a place that are open are a group. */
export const ReconciliationBreak = defineRecord<ReconciliationBreak>({
  name: "ReconciliationBreak",
  key: ({ id }) => id,
  group: ({ closedAt, currency, place }) => (closedAt === null ? positionKey(place, currency) : null)
})
