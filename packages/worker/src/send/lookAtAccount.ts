import type { AccountSetup, SetupRole } from "@bursar/core/outbound/AccountSetup"
import type { SetupLook } from "@bursar/core/outbound/noteSetup"
import { committedUnits, type PayoutWallet } from "@bursar/core/outbound/PayoutWallet"
import { reserveSetup, type SetupStep } from "@bursar/core/outbound/reserveSetup"
import { underWayMax } from "@bursar/core/outbound/tokenKind"
import type { AccountStanding, ChainSender } from "@bursar/core/port/ChainSender"
import { Queries } from "@bursar/core/port/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect, Result } from "effect"
import { failpoint } from "./Failpoint.ts"
import { retryAt, type Send } from "./Send.ts"
import { type SetupLimits, setupNeed } from "./setupNeed.ts"
import { submitSend } from "./submitSend.ts"

/** An account of a tenant that has to be set up. */
export interface Account {
  readonly address: string
  readonly role: SetupRole
}

/** The accounts of one tenant, with what they are worked on with. `left` and `used` go along as steps are reserved. */
export interface Round {
  readonly send: Send
  readonly limits: SetupLimits
  readonly tenantId: TenantId
  readonly standing: NonNullable<ChainSender["standing"]>
  readonly wallets: ReadonlyArray<PayoutWallet>
  readonly wallet: PayoutWallet
  readonly assets: ReadonlyArray<string>
  /** Accounts that are there and whose numbers are free. */
  readonly lenders: Array<PayoutWallet>
  /** What the wallet can still give. */
  left: bigint
}

/** What came of looking at an account: it is ready, it goes on by itself (`soon`), or waits for what is in its way. */
export interface Found extends SetupLook {
  readonly soon: boolean
  /** It is the wallet, and nobody has sent it coin yet: so every wallet begins. */
  readonly unfunded?: boolean
}

const soon = (account: Account): Found => ({ ...account, ready: false, problem: null, asked: true, soon: true })

/** `problem` is null where it is told with another account. */
export const stuck = (account: Account, problem: string | null): Found => ({
  ...account,
  ready: false,
  problem,
  asked: true,
  soon: false
})

const ready = (account: Account, asked: boolean): Found => ({
  ...account,
  ready: true,
  problem: null,
  asked,
  soon: false
})

/** Reserves a step, with the number of an account that has one free. Null where somebody else was faster: look again. */
const reserve = Effect.fnUntraced(function* (
  { lenders, send, tenantId, wallet }: Round,
  { address, role }: Account,
  step: SetupStep,
  before: { readonly spendId: string | null; readonly succeeded: boolean }
) {
  const [lender] = lenders
  if (lender === undefined) return null
  const first = yield* send.sender.firstSequence(lender.address)
  yield* failpoint("setup.sequence.read")
  lenders.shift()
  const { spendId: after, succeeded } = before
  const spend = yield* submitSend(
    send,
    tenantId,
    reserveSetup({ address, role, step, after, succeeded, wallet, lender, first })
  )
  yield* failpoint("setup.reserved")
  if (spend === null) return null
  yield* Effect.logInfo(
    step._tag === "Give" ? "an account of ours is given coin" : "an account of ours agrees to hold assets"
  ).pipe(
    Effect.annotateLogs({
      tenant: tenantId,
      account: address,
      role,
      spend: spend.id,
      ...(step._tag === "Give" ? { units: step.units.toString() } : { assets: step.contracts.join(" ") })
    })
  )
  return spend
})

/** Makes a step that an account lacks, if the wallet can pay it and a number is free. */
const advance = Effect.fnUntraced(function* (
  round: Round,
  account: Account,
  step: SetupStep,
  before: { readonly spendId: string | null; readonly succeeded: boolean }
) {
  const { limits, wallet } = round
  if (step._tag === "Give" && round.left < step.units + limits.forFeesLeast) {
    const what =
      account.role === "ISSUING" ? "the account that addresses are issued from" : "an account that lends its numbers"
    const units = step.units + limits.forFeesLeast
    return stuck(
      account,
      `${what} (${account.address}) needs coin: send the wallet ${wallet.address} enough to have ${units} units free`
    )
  }
  const reserved = yield* Effect.result(reserve(round, account, step, before))
  if (Result.isSuccess(reserved)) {
    if (reserved.success !== null && step._tag === "Give") round.left -= step.units
    return soon(account)
  }
  const { failure } = reserved
  return failure._tag === "ChainError" ? stuck(account, failure.message) : yield* failure
})

/** Looks at one account and makes the step that it lacks. */
export const lookAtAccount = Effect.fn("send.lookAtAccount")(function* (
  round: Round,
  account: Account,
  setup: AccountSetup | undefined
) {
  const { assets, limits, send, standing, tenantId, wallet } = round
  const queries = yield* Queries
  const spendId = setup?.spendId ?? null
  const spend = spendId === null ? undefined : yield* queries.record(tenantId, "Spend", spendId)
  if (spend !== undefined && spend.phase !== "FINAL") return soon(account)
  const isWallet = account.address === wallet.address
  const own = round.wallets.find(({ address }) => address === account.address)
  const free = own !== undefined && own.openSpends < underWayMax(send.sender.network)
  const fresh = setup?.ready === true && (yield* Clock.currentTimeMillis) - setup.lookedAt < limits.readyMs
  if (fresh && !isWallet) {
    if (free) round.lenders.push(own)
    return ready(account, false)
  }
  const asked = yield* Effect.result(standing(account.address, account.role === "CHANNEL" ? [] : assets))
  yield* failpoint("setup.read")
  if (Result.isFailure(asked)) return stuck(account, asked.failure.message)
  const now: AccountStanding = asked.success
  const promised = isWallet ? committedUnits(wallet, null) : 0n
  if (isWallet) round.left = now.spendable - promised
  if (free && now.spendable >= limits.forFeesLeast) round.lenders.push(own)
  const need = setupNeed(account.role, now, promised, limits)
  if (need._tag === "Nothing") return ready(account, true)
  if (need._tag === "Coin") {
    const what = now.exists ? "agree to hold its assets" : "exist"
    const problem = `the wallet ${account.address} needs ${need.units} units of coin more to ${what}: send them there`
    return { ...stuck(account, problem), unfunded: !now.exists } satisfies Found
  }
  const succeeded = spend === undefined || spend.outcome === "done"
  const failures = succeeded ? 0 : (setup?.failures ?? 0) + 1
  const rested =
    spend === undefined || succeeded || (yield* Clock.currentTimeMillis) >= retryAt(send, spend.endedAt ?? 0, failures)
  if (!rested) return stuck(account, `the last transaction that was to set it up was ${spend.outcome}`)
  return yield* advance(round, account, need.step, { spendId, succeeded })
})
