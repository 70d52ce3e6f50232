import type { Machine } from "../engine/Machine.ts"
import { type FiatAccountStatus, fiatAccountStatuses } from "./FiatAccount.ts"

/** What a provider can say of an account: that it stands so now. */
export type AccountTrigger = "activated" | "rejected" | "suspended" | "closed"

/** The life of a fiat account. A provider that says otherwise is not followed: what is closed or rejected stays so. */
export const accountMachine: Machine<FiatAccountStatus, AccountTrigger> = {
  name: "account",
  states: fiatAccountStatuses,
  triggers: ["activated", "rejected", "suspended", "closed"],
  moves: [
    { from: "PENDING", trigger: "activated", to: "ACTIVE", effects: [] },
    { from: "PENDING", trigger: "rejected", to: "REJECTED", effects: [] },
    { from: "PENDING", trigger: "suspended", to: "SUSPENDED", effects: [] },
    { from: "PENDING", trigger: "closed", to: "CLOSED", effects: [] },
    { from: "ACTIVE", trigger: "suspended", to: "SUSPENDED", effects: [] },
    { from: "ACTIVE", trigger: "closed", to: "CLOSED", effects: [] },
    { from: "SUSPENDED", trigger: "activated", to: "ACTIVE", effects: [] },
    { from: "SUSPENDED", trigger: "closed", to: "CLOSED", effects: [] }
  ]
}

/** The trigger that each status of a provider is; PENDING is where every account begins. */
export const accountTriggers: Readonly<Record<FiatAccountStatus, AccountTrigger | null>> = {
  PENDING: null,
  ACTIVE: "activated",
  REJECTED: "rejected",
  SUSPENDED: "suspended",
  CLOSED: "closed"
}
