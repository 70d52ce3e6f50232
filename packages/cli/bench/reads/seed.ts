import { TenantId } from "@bursar/core/tenant/Tenant"
import { totalsOf } from "@bursar/postgres/storage/totals"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"

/** The tenant whose rows are made up. */
export const seeded = TenantId("d0000000-0000-4000-8000-000000000001")

/** When the first operation was made; the others follow over `seededDays`. */
export const seededFrom = Date.UTC(2026, 0, 1)

/** Over how many days operations are spread. */
export const seededDays = 20

/**
 * How many of the first operations are what no other is: of a kind, a currency, a status, a customer of their own, and so on. Whoever asks
 * for the newest of these looks behind everything else.
 */
const oddOnes = 20

/** What a read asks for to find the odd ones. */
export const odd = {
  kind: "SWAP",
  currency: "BTC",
  status: "SENT",
  actsFor: "CUSTOMER",
  network: "bitcoin",
  provider: "okx",
  customerId: "first",
  reference: "first"
} as const

/** The id of the nth of what a letter of the alphabet stands for. */
export const seededId = (letter: "a" | "b" | "c", n: number): string =>
  `${n.toString(16).padStart(8, "0")}-000${letter}-4000-8000-000000000000`

const id = (letter: "a" | "b" | "c", n: string) =>
  `(lpad(to_hex(${n}), 8, '0') || '-000${letter}-4000-8000-000000000000')::uuid`

const operationsText = (
  count: number
) => `insert into operation (tenant_id, operation_id, kind, status, currency, units, fee_currency, fee_units,
    customer_id, acts_for, network, provider, provider_reference, partner_reference, tx_hash, unresolved, details, created_at, settled_at)
  select '${seeded}', ${id("a", "n")},
    case when odd then '${odd.kind}' when n % 10 < 7 then 'WITHDRAWAL' when n % 10 < 9 then 'CHAIN_PAYOUT' else 'ON_RAMP' end,
    case when odd then '${odd.status}' when n % 50 = 0 then 'FAILED' else 'SETTLED' end,
    case when odd then '${odd.currency}' when n % 2 = 0 then 'USDT_ETH' else 'USDC_ETH' end,
    1 + n % 1000, 'USDT_ETH', 1,
    case when odd then '${odd.customerId}' when n % 50 = 0 then 'c' || n end, case when odd then '${odd.actsFor}' else 'TENANT' end,
    case when odd then '${odd.network}' else 'ethereum' end, case when odd then '${odd.provider}' else 'sandbox' end,
    'provider-' || n, 'partner-' || n, '0x' || md5(n::text), odd, '{}', at, at + interval '1 second'
  from (select n, n <= ${oddOnes} as odd, to_timestamp(${seededFrom / 1_000}) + n * interval '${seededDays} days' / ${count} as at
    from generate_series(1, ${count}) n) made`

const legsText = (
  count: number
) => `insert into ledger_leg (tenant_id, account, currency, version, operation_id, posting_seq, ordinal, direction,
    units, what, balance, posted_at)
  select '${seeded}', case o when 0 then 'float:available' else 'custodian' end, 'USDT_ETH', n, ${id("a", "n")}, n, o,
    case o when 0 then 'CREDIT' else 'DEBIT' end, 1, 'principal', n, to_timestamp(${seededFrom / 1_000}) + n * interval '${seededDays} days' / ${count}
  from generate_series(1, ${count}) n, generate_series(0, 1) o`

const eventsText = (count: number) => `insert into event (tenant_id, event_id, kind, resource_id, occurred_at, data)
  select '${seeded}', n, 'withdrawal.settled', ${id("a", "(n + 1) / 2")},
    to_timestamp(${seededFrom / 1_000}) + n * interval '${seededDays} days' / ${2 * count}, '{"amount":"1.000000","currency":"USDT_ETH"}'
  from generate_series(1, ${2 * count}) n`

const recordsText = (
  count: number
) => `insert into idempotency_record (tenant_id, key, endpoint, fingerprint, outcome, resource_id, recorded_at)
  select '${seeded}', 'key-' || n, 'POST /v1/withdrawals', md5(n::text), '{}', ${id("a", "n")}::text, now() from generate_series(1, ${count}) n`

const addressesText = (
  count: number
) => `insert into address (tenant_id, address_id, network, address, reference, origin, watch_from, retired_at,
    created_at)
  select '${seeded}', ${id("b", "n")}, case when odd then 'ethereum' else '${odd.network}' end, 'address-' || n,
    case when odd then '${odd.reference}' else 'r' || n end, 'REGISTERED', now(), case when n between ${oddOnes} and ${count - oddOnes} then now() end,
    to_timestamp(${seededFrom / 1_000}) + n * interval '1 second'
  from (select n, n > ${count - oddOnes} as odd from generate_series(1, ${count}) n) made`

const depositsText = (
  count: number,
  addresses: number
) => `insert into deposit (tenant_id, deposit_id, address_id, address, reference, network,
    tx_hash, transfer_index, currency, units, confirmations, required_confirmations, status, historical, detected_at, change_seq)
  select '${seeded}', ${id("c", "n")}, ${id("b", `1 + n % ${addresses}`)}, 'address-' || (1 + n % ${addresses}), 'r' || (1 + n % ${addresses}),
    'ethereum', '0x' || md5(n::text), 0, 'USDT_ETH', 1, 1, 1, 'CONFIRMED', false, now(), n
  from generate_series(1, ${count}) n`

/**
 * Writes so many operations of one tenant with two legs and two events each, an idempotency key each, and a fifth as many addresses and
 * deposits, by SQL alone. The rows are such as reads find; the checker would find much in them.
 */
export const seed = Effect.fnUntraced(function* (sql: SqlClient, count: number) {
  const some = Math.ceil(count / 5)
  yield* sql`insert into tenant (tenant_id, slug, name, kind, status, policy, created_at)
    values (${seeded}, 'seeded', 'seeded', 'SANDBOX', 'ACTIVE', '{}', now())`
  yield* sql`insert into tenant_head (tenant_id, change_seq, event_id, posting_seq, last_at)
    values (${seeded}, ${some}, ${2 * count}, ${count}, now())`
  yield* sql.unsafe(`insert into balance (tenant_id, account, currency, units, version)
    select '${seeded}', account, 'USDT_ETH', ${count}, ${count} from unnest(array['float:available', 'custodian']) as account`)
  const texts = [
    operationsText(count),
    legsText(count),
    eventsText(count),
    recordsText(count),
    addressesText(some),
    depositsText(some, some),
    totalsOf("true", 1)
  ]
  for (const text of texts) yield* sql.unsafe(text)
  for (const table of [
    "operation",
    "ledger_leg",
    "event",
    "idempotency_record",
    "address",
    "deposit",
    "operation_total"
  ])
    yield* sql`vacuum analyze ${sql(table)}`
})
