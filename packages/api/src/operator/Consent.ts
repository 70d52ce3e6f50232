import { Context } from "effect"

/**
 * Who has to agree before what an operator asks for has its effect: nobody else; another operator, before or after; or as many approvers as
 * its kind of grant takes.
 */
export type Agreeing = "alone" | "another" | "approvers"

/** Who has to agree to what an operator asks for. */
export interface Consent {
  readonly who: Agreeing
  /** The kind of grant that it takes instead where the service goes by grants, as far as it raises a risk; null where it takes none. */
  readonly grant: string | null
}

const alone: Consent = { who: "alone", grant: null }

/** Who has to agree to what an endpoint does; nobody else where it is not said. */
export const ConsentNeeded = Context.Reference<Consent>("@bursar/api/ConsentNeeded", { defaultValue: () => alone })

/** It takes a grant of a kind, where the service goes by grants. */
export const byGrant = (grant: string): Consent => ({ who: "alone", grant })

/** It takes another operator; where the service goes by grants and a kind is named, a grant instead. */
export const byAnother = (grant: string | null = null): Consent => ({ who: "another", grant })

/** It takes as many approvers as its kind of grant. */
export const byApprovers: Consent = { who: "approvers", grant: null }
