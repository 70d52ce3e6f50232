import type { JsonObject } from "../json.ts"
import type { Ledger } from "../Ledger.ts"
import { baseFee, operationsPerLedgerMax, protocolVersion } from "../network.ts"
import { feeMaxOf, paidOperations } from "../Submission.ts"
import { headOf, ledgerAt, type View } from "../View.ts"
import { link, pagedLink, timeText } from "./links.ts"

const version = "devnet"

/** The root document: which network this is, and how far it has come. */
export const rootJson = (base: string, view: View): JsonObject => {
  const head = headOf(view)
  return {
    _links: {
      self: link(`${base}/`),
      account: { href: `${base}/accounts/{account_id}`, templated: true },
      ledger: { href: `${base}/ledgers/{sequence}`, templated: true },
      ledgers: pagedLink(`${base}/ledgers`),
      operations: pagedLink(`${base}/operations`),
      payments: pagedLink(`${base}/payments`),
      effects: pagedLink(`${base}/effects`),
      transactions: pagedLink(`${base}/transactions`),
      transaction: { href: `${base}/transactions/{hash}`, templated: true },
      fee_stats: link(`${base}/fee_stats`),
      friendbot: { href: `${base}/friendbot{?addr}`, templated: true }
    },
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
