import { familyOf } from "@bursar/core/address/KeyFamily"
import { restMs } from "@bursar/core/engine/Agenda"
import type { AccountSetup } from "@bursar/core/outbound/AccountSetup"
import { noteSetup } from "@bursar/core/outbound/noteSetup"
import { setupTopic } from "@bursar/core/outbound/sendTopic"
import { Agendas } from "@bursar/core/port/Agendas"
import type { ChainSender } from "@bursar/core/port/ChainSender"
import { Queries } from "@bursar/core/port/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect } from "effect"
import { failpoint } from "./Failpoint.ts"
import { type Account, type Found, lookAtAccount, type Round, stuck } from "./lookAtAccount.ts"
import type { Send } from "./Send.ts"
import { type SetupLimits, stellarSetup } from "./setupNeed.ts"
import { submitSend } from "./submitSend.ts"

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
      found.push(waits ? stuck(account, null) : yield* lookAtAccount(round, account, setup))
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
  const unfunded = found.find((one) => one.unfunded === true)?.address
  yield* Effect.forEach(changed ?? [], (one) => tell(tenantId, one, one.address === unfunded), { discard: true })
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
const tell = (
  tenantId: TenantId,
  { address, network, problem, ready: isReady, role }: AccountSetup,
  unfunded: boolean
) => {
  const waits = unfunded
    ? Effect.logInfo("a wallet waits for its first coin")
    : Effect.logWarning("an account of ours cannot be set up")
  const log = isReady
    ? Effect.logInfo("an account of ours is set up")
    : problem === null
      ? Effect.void
      : waits.pipe(Effect.annotateLogs({ problem }))
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
