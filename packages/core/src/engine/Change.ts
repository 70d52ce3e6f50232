import type { Event } from "../event/Event.ts"
import type { Leg } from "../ledger/Leg.ts"
import type { Tenant } from "../tenant/Tenant.ts"
import type { Scheduled } from "./Job.ts"
import type { DirectoryChange } from "./Directory.ts"
import type { RecordPut } from "./Records.ts"

/** A fact that a decider adds. The union is closed: records of all kinds are put alike, and the others have rules of their own. */
export type Change =
  | RecordPut
  | {
      readonly _tag: "Posted"
      readonly operationId: string
      readonly legs: ReadonlyArray<Leg>
      /** Set only where value that was credited turned out not to be there: a deposit that was reorged away, an ON_RAMP that was returned. */
      readonly mayOverdraw?: true
      /** It has happened outside already: what a place does not have of it is booked against `suspense:<place>` (`coverShortfall`). */
      readonly happened?: true
    }
  | { readonly _tag: "EventEmitted"; readonly event: Event }
  | { readonly _tag: "TenantPut"; readonly tenant: Tenant }
  | DirectoryChange
  | Scheduled
