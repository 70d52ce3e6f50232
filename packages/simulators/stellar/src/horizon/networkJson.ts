import type { JsonObject } from "../json.ts"
import type { Ledger } from "../Ledger.ts"
import { baseFee, operationsPerLedgerMax, protocolVersion } from "../network.ts"
import { feeMaxOf, paidOperations } from "../Submission.ts"
import { headOf, ledgerAt, type View } from "../View.ts"
import { pagedLink, timeText } from "./links.ts"

const version = "devnet"

const assetParameters = (role: string) => `${role}_asset_type,${role}_asset_code,${role}_asset_issuer`

/** What Horizon has, though the local network does not answer all of it. */
const rootLinks = (base: string): JsonObject => {
  const to = (path: string) => ({ href: `${base}/${path}`, templated: path.includes("{") ? true : undefined })
  const trades = `${assetParameters("base")},${assetParameters("counter")}`
  const history = "{?cursor,limit,order,include_failed}"
  return {
    account: to("accounts/{account_id}"),
    accounts: to("accounts{?signer,sponsor,asset,liquidity_pool,cursor,limit,order}"),
    account_transactions: to("accounts/{account_id}/transactions{?cursor,limit,order}"),
    claimable_balances: to("claimable_balances{?asset,sponsor,claimant,cursor,limit,order}"),
    assets: to("assets{?asset_code,asset_issuer,cursor,limit,order}"),
    effects: pagedLink(`${base}/effects`),
    fee_stats: to("fee_stats"),
    friendbot: to("friendbot{?addr}"),
    ledger: to("ledgers/{sequence}"),
    ledgers: pagedLink(`${base}/ledgers`),
    liquidity_pools: to("liquidity_pools{?reserves,account,cursor,limit,order}"),
    offer: to("offers/{offer_id}"),
    offers: to("offers{?selling,buying,seller,sponsor,cursor,limit,order}"),
    operation: to("operations/{id}"),
    operations: to(`operations${history}`),
    order_book: to(`order_book{?${assetParameters("selling")},${assetParameters("buying")},limit}`),
    payments: to(`payments${history}`),
    self: to(""),
    strict_receive_paths: to(
      "paths/strict-receive{?source_assets,source_account,destination_account,destination_amount}"
    ),
    strict_send_paths: to("paths/strict-send{?destination_account,destination_assets,source_amount}"),
    trade_aggregations: to(`trade_aggregations{?${trades}}`),
    trades: to(`trades{?${trades}}`),
    transaction: to("transactions/{hash}"),
    transactions: pagedLink(`${base}/transactions`)
  }
}

/** The root document: which network this is, and how far it has come. */
export const rootJson = (base: string, view: View): JsonObject => {
  const head = headOf(view)
  return {
    _links: rootLinks(base),
    horizon_version: version,
    core_version: version,
    ingest_latest_ledger: head.sequence,
    history_latest_ledger: head.sequence,
    history_latest_ledger_closed_at: timeText(head.time),
    history_elder_ledger: 1,
    core_latest_ledger: head.sequence,
    network_passphrase: view.chain.passphrase,
    current_protocol_version: protocolVersion,
    supported_protocol_version: protocolVersion,
    core_supported_protocol_version: protocolVersion
  }
}

const recentLedgers = 5
const percentiles = [10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99]

/** What was paid, and what would have been, for each operation of the last ledgers, in ascending order. */
export interface RecentFees {
  readonly charged: ReadonlyArray<bigint>
  readonly offered: ReadonlyArray<bigint>
  readonly operations: number
  readonly ledgers: number
}

const ascending = (one: bigint, other: bigint) => (one < other ? -1 : one > other ? 1 : 0)

/** Looks at the last ledgers. */
export const recentFees = (view: View): RecentFees => {
  const head = headOf(view).sequence
  const some = Array.from({ length: recentLedgers }, (_, index) => ledgerAt(view, head - index)).filter(
    (ledger): ledger is Ledger => ledger !== undefined
  )
  const all = some.flatMap(({ executed }) => executed)
  return {
    charged: all.map(({ feeCharged, submission }) => feeCharged / paidOperations(submission)).toSorted(ascending),
    offered: all.map(({ submission }) => feeMaxOf(submission) / paidOperations(submission)).toSorted(ascending),
    operations: all.reduce((sum, { submission }) => sum + submission.inner.operations.length, 0),
    ledgers: some.length
  }
}

/** The spread of some fees: the least, the most, the commonest, and what so many in a hundred did not exceed. */
export const spread = (fees: ReadonlyArray<bigint>): Readonly<Record<string, string>> => {
  const counts = new Map<bigint, number>()
  for (const fee of fees) counts.set(fee, (counts.get(fee) ?? 0) + 1)
  const mode = [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? baseFee
  const at = (percent: number) => fees[Math.min(fees.length - 1, Math.floor((fees.length * percent) / 100))] ?? baseFee
  return {
    max: String(fees.at(-1) ?? baseFee),
    min: String(fees[0] ?? baseFee),
    mode: String(mode),
    ...Object.fromEntries(percentiles.map((percent) => [`p${percent}`, String(at(percent))]))
  }
}

/** What fees have been lately. */
export const feeStatsJson = (view: View): JsonObject => {
  const { charged, ledgers, offered, operations } = recentFees(view)
  return {
    last_ledger: String(headOf(view).sequence),
    last_ledger_base_fee: String(baseFee),
    ledger_capacity_usage: (operations / (operationsPerLedgerMax * ledgers)).toFixed(2),
    fee_charged: spread(charged),
    max_fee: spread(offered)
  }
}
