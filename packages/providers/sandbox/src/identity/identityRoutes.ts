import { type VerificationStatus, verificationStatuses } from "@bursar/core/port/IdentityProvider"
import { Clock, Effect, Schema } from "effect"
import { ControlError, type ControlRoute, get, post } from "../control/ControlRoute.ts"
import type { StoredState } from "../store/openState.ts"
import type { Tell } from "../webhook/SandboxWebhook.ts"
import { type Applicant, at, decided, find, type IdentityState, withApplicant } from "./IdentityState.ts"

const Result = Schema.Struct({
  status: Schema.Literals([...verificationStatuses, "GREEN", "RED"]),
  /** With RED: RETRY where the person may try again. Default FINAL. */
  reject_type: Schema.optionalKey(Schema.Literals(["RETRY", "FINAL"]))
})

const statusOf = ({ reject_type: rejectType, status }: typeof Result.Type): VerificationStatus => {
  if (status === "GREEN") return "APPROVED"
  if (status !== "RED") return status
  return rejectType === "RETRY" ? "ACTION_REQUIRED" : "REJECTED"
}

const shown = ({ customerId, decidedAt, id, isBusiness, status }: Applicant) => ({
  applicant: id,
  customer_id: customerId,
  is_business: isBusiness,
  status,
  decided_at: new Date(decidedAt).toISOString()
})

/** The controls of the identity provider: who was opened, and what comes of it. `{applicant}` is its id or our customer's. */
export const identityRoutes = (
  state: StoredState<IdentityState>,
  approveAfterMs: number | null,
  tell: Tell
): ReadonlyArray<ControlRoute> => {
  const now = Effect.all([state.get, Clock.currentTimeMillis])
  const one = (id: string | undefined) =>
    Effect.flatMap(now, ([known, time]) => {
      const applicant = find(known, id ?? "")
      return applicant === undefined
        ? Effect.fail(
            new ControlError({
              code: "not_found",
              message: `there is no applicant ${id}`,
              hint: "GET /identity shows whom there is; a check is opened by POST /v1/customers/{customer_id}/verification."
            })
          )
        : Effect.succeed(at(applicant, time, approveAfterMs))
    })
  return [
    get("/identity", () =>
      Effect.map(now, ([{ applicants }, time]) =>
        applicants.map((applicant) => shown(at(applicant, time, approveAfterMs)))
      )
    ),
    get("/identity/{applicant}", ({ applicant }) => Effect.map(one(applicant), shown)),
    post("/identity/{applicant}/result", Result, (result, path) =>
      Effect.gen(function* () {
        const applicant = decided(yield* one(path["applicant"]), statusOf(result), yield* Clock.currentTimeMillis)
        yield* Effect.mapError(
          state.update((before) => withApplicant(before, applicant)),
          (error) => new ControlError({ code: "failed", message: error.message, hint: "Nothing has changed." })
        )
        yield* tell({ what: "applicant", about: applicant.id })
        return shown(applicant)
      })
    )
  ]
}
