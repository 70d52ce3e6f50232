import { checkOfKey } from "@bursar/core/customer/Customer"
import { recordCheck, rereadCheck } from "@bursar/core/customer/checkCommands"
import { type Job, ownIdOf } from "@bursar/core/engine/Job"
import type { Fence } from "@bursar/core/engine/fenced"
import { beginLook, endLook } from "@bursar/core/engine/look"
import type { IdentityProvider } from "@bursar/core/port/IdentityProvider"
import { Effect } from "effect"
import { submitFenced } from "../watch/submitFenced.ts"

/**
 * Reads an identity check and records what the provider says of it. One that cannot be read comes again soon; one of a
 * provider that is not configured is left alone.
 */
export const readCheck = Effect.fn("fiat.readCheck")(function* (
  fence: Fence,
  job: Job,
  identities: ReadonlyArray<IdentityProvider["Service"]>
) {
  const { key, tenantId } = job
  const { look, reply: customer } = yield* submitFenced(fence, tenantId, beginLook(job, rereadCheck(ownIdOf(key), key)))
  const check = customer && checkOfKey(customer, key)
  if (customer === undefined || check === undefined) return
  const identity = identities.find(({ name }) => name === check.provider)
  if (identity === undefined) {
    yield* Effect.annotateLogs(Effect.logWarning("verification.provider_not_configured"), {
      customer: customer.id,
      provider: check.provider
    })
    return
  }
  const { applicantId } = check
  yield* identity.state(applicantId).pipe(
    Effect.flatMap((state) =>
      submitFenced(fence, tenantId, endLook(look, recordCheck(customer.id, applicantId, state)))
    ),
    Effect.catchTag("ProviderError", (error) =>
      Effect.annotateLogs(Effect.logWarning("verification.unreadable"), {
        customer: customer.id,
        detail: error.message
      })
    )
  )
})
