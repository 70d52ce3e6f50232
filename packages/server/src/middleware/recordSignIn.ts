import { RandomBytes, uuidV7 } from "@bursar/core/engine/Ids"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { RateLimits } from "@bursar/core/port/RateLimits"
import { logStorageError } from "@bursar/core/engine/StorageError"
import { Clock, Effect } from "effect"
import { addressGroup } from "../http/clientAddress.ts"
import { CurrentRequest } from "../http/CurrentRequest.ts"
import { valuesText } from "./actionValues.ts"
import { digestOfToken } from "../identity/Sessions.ts"

/** The method of records of sign-ins, which are no requests of their own. */
const method = "SIGN_IN"

const route = "/operator/v1/session"

/** Who stands in the record of a refused sign-in, which proved no name; no operator can be called so. */
const nobody = "(unknown)"

/** How many refused sign-ins a minute are written down, of one address and of all: nobody can fill the log with them. */
const refusedPerMinute = { address: 10, all: 60 }

/** What a sign-in is written down as. */
interface SignIn {
  readonly operator: string
  readonly role: string
  readonly status: number
  readonly params: Readonly<Record<string, string>>
}

const write = Effect.fnUntraced(function* ({ operator, params, role, status }: SignIn) {
  const { clientAddress, id } = yield* CurrentRequest
  const [audit, randomBytes, at] = [yield* OperatorAudit, yield* RandomBytes, yield* Clock.currentTimeMillis]
  yield* audit.append({
    actionId: uuidV7(at, randomBytes(10)),
    at,
    operator,
    role,
    method,
    route,
    params,
    status,
    requestId: id,
    address: clientAddress,
    content: { digest: digestOfToken(""), values: valuesText({ request: null }) }
  })
})

/** Writes down that somebody came with a token of the identity provider that this process has not seen. */
export const recordSignIn = Effect.fn("identity.recordSignIn")(function* (
  operator: { readonly name: string; readonly role: string },
  params: Readonly<Record<string, string>>
) {
  yield* write({ operator: operator.name, role: operator.role, status: 200, params })
  yield* Effect.annotateLogs(Effect.logInfo("operator.signed_in"), { operator: operator.name, role: operator.role })
})

/** Writes down that a token was refused, and why: the first of a minute, not each. The refusal stands even if the storage cannot be written. */
export const recordRefusal = Effect.fn("identity.recordRefusal")(function* (
  status: number,
  params: Readonly<Record<string, string>>
) {
  const rates = yield* RateLimits
  const { clientAddress } = yield* CurrentRequest
  const windows = [
    { subject: `operator-refused:${addressGroup(clientAddress)}`, limit: refusedPerMinute.address },
    { subject: "operator-refused", limit: refusedPerMinute.all }
  ]
  yield* Effect.gen(function* () {
    const { _tag } = yield* rates.take(windows, yield* Clock.currentTimeMillis)
    if (_tag !== "Allowed") return
    yield* Effect.annotateLogs(Effect.logWarning("operator.sign_in_refused"), { address: clientAddress, ...params })
    yield* write({ operator: nobody, role: "none", status, params })
  }).pipe(Effect.catchTag("StorageError", logStorageError))
})
