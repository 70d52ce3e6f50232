import { CustodyRefused, CustodyUnavailable } from "@bursar/core/port/KeyCustody"
import { Effect } from "effect"
import { custodyName } from "../Pkcs11Options.ts"

/** After these the sessions are gone, or nobody is logged in: open them anew and ask again. */
const lost: ReadonlySet<string> = new Set([
  "CKR_CRYPTOKI_NOT_INITIALIZED",
  "CKR_DEVICE_ERROR",
  "CKR_DEVICE_REMOVED",
  "CKR_KEY_HANDLE_INVALID",
  "CKR_OBJECT_HANDLE_INVALID",
  "CKR_OPERATION_NOT_INITIALIZED",
  "CKR_SESSION_CLOSED",
  "CKR_SESSION_HANDLE_INVALID",
  "CKR_TOKEN_NOT_PRESENT",
  "CKR_USER_NOT_LOGGED_IN"
])

/** After these the same call may succeed later. */
const passing: ReadonlySet<string> = new Set([
  "CKR_DEVICE_MEMORY",
  "CKR_FUNCTION_CANCELED",
  "CKR_FUNCTION_FAILED",
  "CKR_GENERAL_ERROR",
  "CKR_HOST_MEMORY",
  "CKR_SESSION_COUNT"
])

/** The token takes this PIN not, and counts: asking again with it would lock the token. */
const pins: ReadonlySet<string> = new Set([
  "CKR_PIN_EXPIRED",
  "CKR_PIN_INCORRECT",
  "CKR_PIN_INVALID",
  "CKR_PIN_LEN_RANGE",
  "CKR_PIN_LOCKED"
])

/** What a call of the module ended with. Its own words are not told: they could repeat what it was given. */
export interface NativeFailure {
  readonly _tag: "NativeFailure"
  /** Such as `CKR_PIN_INCORRECT`; `unknown` where the module said nothing of the kind. */
  readonly code: string
}

/** Calls the module. What it does cannot be taken back: whoever is interrupted meanwhile ends when the module has answered. */
export const native = <A>(call: () => A | Promise<A>): Effect.Effect<A, NativeFailure> =>
  Effect.uninterruptible(Effect.tryPromise({ try: async () => call(), catch: nativeFailure }))

/** Reads the code out of what the module threw. */
export const nativeFailure = (thrown: unknown): NativeFailure => ({
  _tag: "NativeFailure",
  code: thrown instanceof Error && /^CKR_\w+$/u.test(thrown.message) ? thrown.message : "unknown"
})

/** Whether the sessions must be opened anew. */
export const isLoss = ({ code }: NativeFailure): boolean => lost.has(code)

/** Whether the PIN was not taken. */
export const isPin = ({ code }: NativeFailure): boolean => pins.has(code)

/** Whether a mechanism or its parameters are not offered by this token. */
export const isNotOffered = ({ code }: NativeFailure): boolean =>
  [
    "CKR_ARGUMENTS_BAD",
    "CKR_ATTRIBUTE_VALUE_INVALID",
    "CKR_CURVE_NOT_SUPPORTED",
    "CKR_DOMAIN_PARAMS_INVALID",
    "CKR_MECHANISM_INVALID",
    "CKR_MECHANISM_PARAM_INVALID"
  ].includes(code)

/** What a failure means to those who asked. */
export const custodyError = (doing: string, failure: NativeFailure): CustodyUnavailable | CustodyRefused => {
  const { code } = failure
  const told = { custody: custodyName, doing, reason: `the token answered ${code}` }
  if (isPin(failure)) {
    return new CustodyRefused({
      ...told,
      reason: `the token does not take the PIN (${code}); it is not tried again until the process is restarted, so that the token is not locked`
    })
  }
  return isLoss(failure) || passing.has(code) || code === "unknown"
    ? new CustodyUnavailable(told)
    : new CustodyRefused(told)
}
