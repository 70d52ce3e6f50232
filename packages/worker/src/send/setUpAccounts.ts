import { familyOf } from "@bursar/core/address/KeyFamily"
import { restMs } from "@bursar/core/engine/Agenda"
import type { AccountSetup, SetupRole } from "@bursar/core/outbound/AccountSetup"
import { noteSetup, type SetupLook } from "@bursar/core/outbound/noteSetup"
import { committedUnits, type PayoutWallet } from "@bursar/core/outbound/PayoutWallet"
import { reserveSetup, type SetupStep } from "@bursar/core/outbound/reserveSetup"
import { setupTopic } from "@bursar/core/outbound/sendTopic"
import { underWayMax } from "@bursar/core/outbound/tokenKind"
import { Agendas } from "@bursar/core/port/Agendas"
import type { AccountStanding, ChainSender } from "@bursar/core/port/ChainSender"
import { Queries } from "@bursar/core/port/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect, Result } from "effect"
import { failpoint } from "./Failpoint.ts"
import { retryAt, type Send } from "./Send.ts"
import { type SetupLimits, setupNeed, stellarSetup } from "./setupNeed.ts"
import { submitSend } from "./submitSend.ts"

/** An account of a tenant that has to be set up. */
interface Account {
  readonly address: string
  readonly role: SetupRole
}

/** The accounts of one tenant, with what they are worked on with. `left` and `used` go along as steps are reserved. */
interface Round {
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
interface Found extends SetupLook {
  readonly soon: boolean
}

const soon = (account: Account): Found => ({ ...account, ready: false, problem: null, asked: true, soon: true })

/** `problem` is null where it is told with another account. */
const stuck = (account: Account, problem: string | null): Found => ({
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
const look = Effect.fnUntraced(function* (round: Round, account: Account, setup: AccountSetup | undefined) {
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
    return stuck(
      account,
      `the wallet ${account.address} needs ${need.units} units of coin more to ${what}: send them there`
    )
  }
  const succeeded = spend === undefined || spend.outcome === "done"
  const failures = succeeded ? 0 : (setup?.failures ?? 0) + 1
  const rested =
    spend === undefined || succeeded || (yield* Clock.currentTimeMillis) >= retryAt(send, spend.endedAt ?? 0, failures)
  if (!rested) return stuck(account, `the last transaction that was to set it up was ${spend.outcome}`)
  return yield* advance(round, account, need.step, { spendId, succeeded })
})

const ofTenant = Effect.fnUntraced(function* (
  send: Send,
  standing: NonNullable<ChainSender["standing"]>,
  tenantId: TenantId,
  limits: SetupLimits
) {
  const { network } = send.sender
  const queries = yield* Queries
  const wallets = yield* queries.records(tenantId, "PayoutWallet", network)
  const issuing = yield* queries.issuingAccount(tenantId, familyOf(network))
  const setups = yield* queries.records(tenantId, "AccountSetup", network)
  const wallet = wallets.find(({ role }) => role === "PAYOUT")
  const accounts: ReadonlyArray<Account> = [
    // the wallet first: what it has left is for the others
    ...(wallet === undefined ? [] : [wallet]),
    ...wallets.filter((one) => one !== wallet).toSorted((one, other) => one.index - other.index),
    ...(issuing === undefined ? [] : [{ address: issuing.accountKey, role: "ISSUING" as const }])
  ].map(({ address, role }) => ({ address, role }))
  const found: Array<Found> = []
  if (wallet === undefined) {
    found.push(
      ...accounts.map((account) => stuck(account, `the tenant has no payout wallet on ${network} to make it from`))
    )
  } else {
    const assets = send.currencies.contracts(network)
    const round: Round = { send, limits, tenantId, standing, wallets, wallet, assets, lenders: [], left: 0n }
    for (const account of accounts) {
      const waits = found[0]?.soon === false && !found[0].ready
      const setup = setups.find(({ address }) => address === account.address)
      // without the wallet nothing goes on, and that is told with the wallet
      found.push(waits ? stuck(account, null) : yield* look(round, account, setup))
    }
  }
  const now = yield* Clock.currentTimeMillis
  const changed = yield* submitSend(
    send,
    tenantId,
    noteSetup({
      network,
      looks: found,
      nextAt: now + waitMs(send, limits, found, setups, now)
    })
  )
  yield* failpoint("setup.noted")
  yield* Effect.forEach(changed ?? [], (one) => tell(tenantId, one), { discard: true })
})

/** How long until the next look: a moment where a step is under way, the longer the longer something is in the way. */
const waitMs = (
  { limits: { followFirstMs, retryFirstMs, retryLongestMs } }: Send,
  { readyMs }: SetupLimits,
  found: ReadonlyArray<Found>,
  setups: ReadonlyArray<AccountSetup>,
  now: number
): number => {
  const waiting = found.filter((one) => !one.ready)
  if (waiting.length === 0) return readyMs
  if (waiting.some((one) => one.soon)) return followFirstMs
  const since = waiting.map(({ address }) => setups.find((one) => one.address === address && !one.ready)?.since ?? now)
  return restMs(now - Math.max(...since), retryFirstMs, retryLongestMs)
}

/** Tells once what is in an account's way, and once that it is ready. */
const tell = (tenantId: TenantId, { address, network, problem, ready: isReady, role }: AccountSetup) => {
  const log = isReady
    ? Effect.logInfo("an account of ours is set up")
    : problem === null
      ? Effect.void
      : Effect.logWarning("an account of ours cannot be set up").pipe(Effect.annotateLogs({ problem }))
  return log.pipe(Effect.annotateLogs({ tenant: tenantId, network, account: address, role }))
}

/**
 * Brings the accounts of tenants further that are on the agenda, on networks where accounts have to be made and to agree to hold an
 * asset (stellar).
 *
 * **Details**
 *
 * The payout wallet agrees to hold every asset of the currency table once it has coin. Accounts that lend their numbers are made from
 * it, and given more when little is left for fees. So is the account that addresses are issued from, which then agrees to the same
 * assets; the wallet pays for that too. Each step is a spend of its own, reserved here and driven as payouts are, one at a time for
 * each account. Accounts that are ready are looked at again every hour, or when an account is added.
 */
export const setUpAccounts = Effect.fn("send.setUp")(function* (send: Send, limits: SetupLimits = stellarSetup) {
  const { standing } = send.sender
  if (standing === undefined) return
  const agendas = yield* Agendas
  const now = yield* Clock.currentTimeMillis
  const due = yield* agendas.due(setupTopic(send.sender.network), now, limits.tenantsPerPassMax)
  yield* Effect.forEach(due, ({ tenantId }) => ofTenant(send, standing, tenantId, limits), {
    concurrency: limits.tenantsAtOnce,
    discard: true
  })
})
