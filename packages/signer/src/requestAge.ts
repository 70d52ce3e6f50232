import type { Asked, Register } from "./store/Register.ts"

/** For how long a signed request of a partner is good for a first transaction: longer than reviews and holds take, as a rule. */
export const requestAgeMaxDefaultMs = 7 * 86_400_000

/** How far the clock of a partner may be ahead; the service takes no request that is further. */
const aheadMax = 60_000

const hours = (ms: number): string => `${Math.floor(ms / 3_600_000)} hours`

/**
 * Why a request is too old, or of a time to come, for a first transaction; undefined where it is neither, or where a transaction was signed
 * for it that is still in time: whatever replaces that one excludes it.
 *
 * **Details**
 *
 * The service takes a request within minutes of `created`, which the partner has signed: so it is the time at which the request was taken, and no row
 * of the database can change it. A payout that failed or was cancelled stays away once its request is too old.
 */
export const ageObjection = (
  register: Pick<Register, "mayTakeEffect">,
  requests: ReadonlyArray<Asked>,
  { ageMaxMs, now }: { readonly now: number; readonly ageMaxMs: number }
): string | undefined => {
  for (const { created, key } of requests) {
    if (register.mayTakeEffect(key, now)) continue
    if (created > now + aheadMax) return "the request was signed at a time that has not come"
    if (now - created > ageMaxMs)
      return `the request was signed ${hours(now - created)} ago, and the signer takes it for ${hours(ageMaxMs)}: cancel the payout, and let the partner ask again`
  }
  return undefined
}
