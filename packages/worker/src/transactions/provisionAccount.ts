import type { AccountProvisioning } from "@bursar/core/provisioning/AccountProvisioning"
import type { ProvisioningCheck } from "@bursar/core/provisioning/recordProvisioning"
import { committedUnits, type PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { reserveProvisioning } from "@bursar/core/provisioning/reserveProvisioning"
import type { ProvisionedAccount, Provisioner, ProvisioningStep } from "@bursar/core/port/TransactionPlanner"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect, Result } from "effect"
import { guardRequest } from "./Accounts.ts"
import type { ProvisioningLimits } from "./ProvisioningLimits.ts"
import { retryAt, type Send } from "./Send.ts"
import { submitPlan } from "./submitSend.ts"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"

/** An account of a tenant that has to be set up. */
export type Account = ProvisionedAccount

/** The accounts of one tenant, with what they are worked on with. `left` and `used` go along as steps are reserved. */
export interface Round {
  readonly send: Send
  readonly limits: ProvisioningLimits
  readonly tenantId: TenantId
  readonly provisioner: Provisioner
  readonly wallets: ReadonlyArray<PayoutWallet>
  readonly wallet: PayoutWallet
  readonly assets: ReadonlyArray<string>
  /** Accounts that can lend a sequence: they are there, and nothing of this round uses theirs. */
  readonly lenders: Array<PayoutWallet>
  /** What the wallet can still give. */
  left: bigint
}

/** What came of looking at an account: it is ready, it goes on by itself (`soon`), or waits for what is in its way. */
export interface Found extends ProvisioningCheck {
  readonly soon: boolean
  /** It is the wallet, and nobody has sent it coin yet: so every wallet begins. */
  readonly unfunded?: boolean
  /** It is there, and gives and lends to others though it is not ready. */
  readonly gives?: boolean
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

/** Reserves a step, with the sequence of an account that has one free. Null where there is none, or somebody else was faster. */
const reserve = Effect.fnUntraced(function* (
  { lenders, provisioner, send, tenantId, wallet }: Round,
  { address, role }: Account,
  step: ProvisioningStep,
  before: { readonly transactionId: string | null; readonly succeeded: boolean }
) {
  const plan = yield* provisioner.lend(lenders)
  if (plan === null) return null
  const guard = guardRequest(lenders, plan)
  if (Result.isFailure(guard)) return { _tag: "PlanRefused", detail: guard.failure } as const
  const { success: request } = guard
  if (request._tag === "Next") lenders.splice(lenders.indexOf(request.account), 1)
  const { transactionId: after, succeeded } = before
  const submitted = yield* submitPlan(
    send,
    tenantId,
    reserveProvisioning({ address, role, step, after, succeeded, wallet, guard: request }, send.currencies.networks)
  )
  if (submitted._tag === "PlanRefused") return submitted
  if (submitted._tag === "Stale") return null
  yield* Effect.logInfo(
    step._tag === "Fund" ? "provisioning.funding_reserved" : "provisioning.trustlines_reserved"
  ).pipe(
    Effect.annotateLogs({
      tenant: tenantId,
      account: address,
      role,
      transaction: submitted.reply.id,
      ...(step._tag === "Fund" ? { units: step.units.toString() } : { assets: step.contracts.join(" ") })
    })
  )
  return submitted
})

/** Makes a step that an account lacks, if the wallet can pay it and a number is free. */
const advance = Effect.fnUntraced(function* (
  round: Round,
  account: Account,
  step: ProvisioningStep,
  before: { readonly transactionId: string | null; readonly succeeded: boolean }
) {
  const { provisioner, wallet } = round
  if (step._tag === "Fund" && round.left < step.units + provisioner.walletKeeps) {
    const what = account.role === "ISSUING" ? "the account that addresses are issued from" : "a channel account"
    const units = step.units + provisioner.walletKeeps
    return stuck(
      account,
      `${what} (${account.address}) needs the native asset: send the wallet ${wallet.address} enough to have ${units} units free`
    )
  }
  const reserved = yield* Effect.result(reserve(round, account, step, before))
  if (Result.isSuccess(reserved)) {
    if (reserved.success?._tag === "PlanRefused") return stuck(account, reserved.success.detail)
    if (reserved.success !== null && step._tag === "Fund") round.left -= step.units
    return soon(account)
  }
  const { failure } = reserved
  return failure._tag === "ChainError" ? stuck(account, failure.message) : yield* failure
})

/** Looks at one account and makes the step that it lacks. */
export const provisionAccount = Effect.fn("send.lookAtAccount")(function* (
  round: Round,
  account: Account,
  provisioning: AccountProvisioning | undefined
) {
  const { assets, limits, provisioner, tenantId, wallet } = round
  const queries = yield* Queries
  const transactionId = provisioning?.transactionId ?? null
  const transaction =
    transactionId === null ? undefined : yield* queries.record(tenantId, OutboundTransaction, transactionId)
  if (transaction !== undefined && transaction.phase !== "FINAL") return soon(account)
  const isWallet = account.address === wallet.address
  const own = round.wallets.find(({ address }) => address === account.address)
  const fresh =
    provisioning?.ready === true && (yield* Clock.currentTimeMillis) - provisioning.checkedAt < limits.readyMs
  if (fresh && !isWallet) {
    if (own !== undefined) round.lenders.push(own)
    return ready(account, false)
  }
  const promised = isWallet ? committedUnits(wallet, null) : 0n
  const asked = yield* Effect.result(provisioner.look(account, assets, promised))
  if (Result.isFailure(asked)) return stuck(account, asked.failure.message)
  const { canLend, exists, need, spendable, unissued = [] } = asked.success
  if (isWallet) round.left = spendable - promised
  if (own !== undefined && canLend) round.lenders.push(own)
  // what it lacks beside its coin is nothing that the others wait for
  const incomplete = (problem: string): Found => ({ ...stuck(account, problem), gives: true })
  if (need._tag === "Nothing" && unissued.length > 0) {
    return incomplete(`nobody can agree to hold ${unissued.join(" and ")}: the issuer does not exist on the network`)
  }
  if (need._tag === "Nothing") return ready(account, true)
  if (need._tag === "Native") {
    const what = exists ? "add its trustlines" : "exist"
    const problem = `the wallet ${account.address} needs ${need.units} more units of the native asset to ${what}: send them there`
    return { ...stuck(account, problem), unfunded: !exists } satisfies Found
  }
  const succeeded = transaction === undefined || transaction.outcome === "done"
  const failures = succeeded ? 0 : (provisioning?.failures ?? 0) + 1
  const rested =
    transaction === undefined ||
    succeeded ||
    (yield* Clock.currentTimeMillis) >= retryAt(round.send, transaction.endedAt ?? 0, failures)
  if (!rested) return incomplete(`the last transaction that was to set it up was ${transaction.outcome}`)
  return yield* advance(round, account, need.step, { transactionId, succeeded })
})
