import type { Caller } from "@bursar/api/middleware/Caller"
import type { VerifiedSignature } from "@bursar/api/middleware/VerifiedSignature"
import type { Context } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import type { ApiError } from "@bursar/api/errors/ApiError"
import type { Step, Underway } from "./Step.ts"

/** A request that has arrived at its endpoint. Checks fill in by whom it is made and signed. */
export interface Arrived extends Underway {
  /** What the router and the server have told of it. */
  readonly context: Context.Context<never>
  /** Null until the key has been accepted. */
  caller: Caller["Service"] | null
  /** Null where no signature was looked at; what is here has been verified. */
  verified: VerifiedSignature["Service"] | null
}

/** A check of an endpoint: it lets a request pass or refuses it. */
export type Check = Step<Arrived, never, ApiError>

/** Makes the check of an endpoint from what the contract says of it. */
export type MakeCheck = (endpoint: HttpApiEndpoint.Top) => Check

/** The caller of a request. Asked for by checks that stand behind that of the key. */
export const callerOf = ({ caller }: Arrived): Caller["Service"] => {
  if (caller === null) throw new Error("a check that needs the caller stands before the one of the key")
  return caller
}
