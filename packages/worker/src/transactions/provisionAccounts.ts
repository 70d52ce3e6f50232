import { backoffMs } from "@bursar/core/engine/Job"
import { AccountProvisioning } from "@bursar/core/provisioning/AccountProvisioning"
import { recordProvisioning } from "@bursar/core/provisioning/recordProvisioning"
import { provisioningQueue } from "@bursar/core/transaction/queues"
import type { Writer } from "@bursar/core/engine/Writer"
import { JobQueue } from "@bursar/core/port/JobQueue"
import type { Fenced } from "@bursar/core/port/Leadership"
import type { Provisioner } from "@bursar/core/port/TransactionPlanner"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect } from "effect"
import { apart, unlessStorageFails } from "../queue/apart.ts"
import { type Account, type Found, provisionAccount, type Round, stuck } from "./provisionAccount.ts"
import type { Send } from "./Send.ts"
import { defaultProvisioningLimits, type ProvisioningLimits } from "./ProvisioningLimits.ts"
import { submitSend } from "./submitSend.ts"
import { firstWallet, PayoutWallet } from "@bursar/core/transaction/PayoutWallet"

const ofTenant = Effect.fnUntraced(function* (
  send: Send,
  provisioner: Provisioner,
  tenantId: TenantId,
  limits: ProvisioningLimits
) {
  const { family, name: network } = send.traits
  const queries = yield* Queries
  const wallets = yield* queries.records(tenantId, PayoutWallet, network)
  const issuing = yield* queries.issuingAccount(tenantId, family)
  const provisionings = yield* queries.records(tenantId, AccountProvisioning, network)
  const wallet = firstWallet(wallets)
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
    const round: Round = { send, limits, tenantId, provisioner, wallets, wallet, assets, lenders: [], left: 0n }
    for (const account of accounts) {
      const waits = found[0]?.soon === false && !found[0].ready && found[0].gives !== true
      const provisioning = provisionings.find(({ address }) => address === account.address)
      // without the wallet nothing goes on, and that is told with the wallet
      found.push(waits ? stuck(account, null) : yield* provisionAccount(round, account, provisioning))
    }
  }
  const now = yield* Clock.currentTimeMillis
  const changed = yield* submitSend(
    send,
    tenantId,
    recordProvisioning({
      network,
      family,
      checks: found,
      nextAt: now + waitMs(send, limits, { found, now, provisionings })
    })
  )
  const unfunded = found.find((one) => one.unfunded === true)?.address
  yield* Effect.forEach(changed ?? [], (one) => logTransition(tenantId, one, unfunded), {
    discard: true
  })
})

/** How long until the next look: a moment where a step is under way, the longer the longer something is in the way. */
const waitMs = (
  { limits: { checkFirstMs, retryFirstMs, retryLongestMs } }: Send,
  { readyMs }: ProvisioningLimits,
  {
    found,
    now,
    provisionings
  }: {
    readonly found: ReadonlyArray<Found>
    readonly provisionings: ReadonlyArray<AccountProvisioning>
    readonly now: number
  }
): number => {
  const waiting = found.filter((one) => !one.ready)
  if (waiting.length === 0) return readyMs
  if (waiting.some((one) => one.soon)) return checkFirstMs
  const since = waiting.map(
    ({ address }) => provisionings.find((one) => one.address === address && !one.ready)?.since ?? now
  )
  return backoffMs(now - Math.max(...since), retryFirstMs, retryLongestMs)
}

/** Tells once what is in an account's way, and once that it is ready; `unfunded` is the account that waits for its first funds. */
const logTransition = (
  tenantId: TenantId,
  { address, network, problem, ready: isReady, role }: AccountProvisioning,
  unfunded: string | undefined
) => {
  const waits =
    address === unfunded ? Effect.logInfo("provisioning.unfunded") : Effect.logWarning("provisioning.blocked")
  const log = isReady
    ? Effect.logInfo("provisioning.completed")
    : problem === null
      ? Effect.void
      : waits.pipe(Effect.annotateLogs({ problem }))
  return log.pipe(Effect.annotateLogs({ tenant: tenantId, network, account: address, role }))
}

/** Begins to look at the accounts of a tenant, unless that is under way. */
type Begin<A> = (
  tenantId: TenantId,
  work: Effect.Effect<unknown, Fenced, Queries | Writer>
) => Effect.Effect<A, never, Queries | Writer>

/**
 * Begins to provision the accounts of the tenants whose jobs are due, on networks where an account must be created and must trust an
 * asset.
 *
 * **Details**
 *
 * The payout wallet agrees to hold every asset of the currency table once it has coin. Accounts that lend their numbers are made from
 * it, and given more when little is left for fees. So is the account that addresses are issued from, which then agrees to the same
 * assets; the wallet pays for that too. Each step is an outbound transaction of its own, reserved here and driven as payouts are, one at a time for
 * each account. Accounts that are ready are looked at again every hour, or when an account is added.
 */
export const provisionAccounts = Effect.fn("send.setUp")(function* <A>(
  send: Send,
  begin: Begin<A>,
  limits: ProvisioningLimits = defaultProvisioningLimits
) {
  const { provisioner } = send.sender.planner
  if (provisioner === undefined) return []
  const jobQueue = yield* JobQueue
  const now = yield* Clock.currentTimeMillis
  const due = yield* jobQueue.due(provisioningQueue(send.sender.network), now, limits.tenantsPerPassMax)
  return yield* Effect.forEach(due, ({ tenantId }) =>
    begin(
      tenantId,
      apart(
        { tenant: tenantId },
        unlessStorageFails({ tenant: tenantId, part: "provision" }, ofTenant(send, provisioner, tenantId, limits))
      )
    )
  )
})
