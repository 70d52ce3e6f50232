import { keyOfProvider, backoffMs, schedule, unschedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { FiatAccount } from "./FiatAccount.ts"

/** The queue in which accounts wait to be opened and read. */
export const accountQueue = "account"

const leastMs = 2_000
const mostMs = 15 * 60_000

/** The key of an account in its queue: it begins with the provider's id, once there is one. */
export const accountKey = ({ id, providerAccountId }: Pick<FiatAccount, "id" | "providerAccountId">): string =>
  keyOfProvider(providerAccountId, id)

/** For how long an account is read after it was closed: what came right before may not have been read then, and payments come late. */
export const closedReadMs = 90 * 86_400_000

/** An account that is rejected, or was closed long ago, is not read any more; one that waits for its customer's registration not before it. */
const rests = ({ changedAt, providerAccountId, providerCustomerId, status }: FiatAccount, now: Timestamp): boolean =>
  status === "REJECTED" ||
  (status === "CLOSED" && now - changedAt >= closedReadMs) ||
  (providerAccountId === null && providerCustomerId === null)

/** How long an account rests between two looks: the longer, the longer nothing happened on it. */
export const restMs = ({ changedAt }: FiatAccount, now: Timestamp): number =>
  backoffMs(now - changedAt, leastMs, mostMs)

/** When an account is looked at again. Hints of the provider hasten it. */
export const lookAgain = (account: FiatAccount, now: Timestamp): Change =>
  rests(account, now)
    ? unschedule(accountQueue, accountKey(account))
    : schedule(accountQueue, accountKey(account), now + restMs(account, now))
