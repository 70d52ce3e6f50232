import type { CustodianState } from "./CustodianState.ts"
import type { OrderKind, Outcome } from "./Outcome.ts"

/** What becomes of the next order, and the script without it. What nobody scripted is done. */
export const nextOutcome = (
  { script }: CustodianState,
  kind: OrderKind
): { readonly outcome: Outcome; readonly rest: CustodianState["script"] } => {
  const [outcome = "settle", ...others] = script[kind]
  return { outcome, rest: { ...script, [kind]: others } }
}
