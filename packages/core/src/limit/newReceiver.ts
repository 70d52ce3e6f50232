import type { Timestamp } from "../base/Timestamp.ts"

/** For how long a receiver counts as new after the first payment to it has settled. */
export const newReceiverMs = 86_400_000

/** Whether a receiver, an address or an account, is new: never paid, or paid for the first time less than a day ago. */
export const isNewReceiver = (paid: { readonly firstPaidAt: Timestamp } | undefined, now: Timestamp): boolean =>
  paid === undefined || now - paid.firstPaidAt < newReceiverMs
