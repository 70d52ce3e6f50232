import { type Amount, of } from "@bursar/core/money/Amount"
import { Queries } from "@bursar/core/store/Queries"
import { layer as postgresLayer, migrate } from "@bursar/postgres"
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Redacted } from "effect"

/** Tenants that share the operations. */
const tenants = 20

/** How often each way to search is measured. */
const searchesEach = 100

/** How many hits are asked for, as the operator interface asks. */
const foundMax = 50

/** Texts of an operation. */
interface Sample {
  readonly operation_id: string
  readonly tx_hash: string
  readonly partner_reference: string
  readonly provider_reference: string
}

/** Tenants with so many operations, as rows: no two have the same texts, and a thousand share each amount. */
const fill = Effect.fnUntraced(function* (operations: number) {
  const sql = yield* PgClient.PgClient
  yield* sql`insert into tenant (tenant_id, slug, name, kind, status, policy, created_at)
    select gen_random_uuid(), 'bench-' || n, 'bench', 'LIVE', 'ACTIVE', '{}', now() from generate_series(1, ${tenants}::int) n`
  yield* sql`insert into operation (tenant_id, operation_id, kind, status, currency, units, fee_currency, fee_units, acts_for,
      network, provider, provider_reference, partner_reference, tx_hash, unresolved, details, created_at, settled_at)
    select x.tenant_id, gen_random_uuid(), (array['WITHDRAWAL', 'CHAIN_PAYOUT', 'DEPOSIT'])[1 + n % 3], 'SETTLED', 'ETH',
      1 + n / 1000, 'ETH', 0, 'TENANT', 'ethereum', 'custodian', 'order-' || n, 'partner-' || n,
      '0x' || encode(sha256(n::text::bytea), 'hex'), false, '{}', now() - n * interval '1 second', now() - n * interval '1 second'
    from generate_series(1, ${operations}::int) n
    join (select tenant_id, row_number() over (order by slug) - 1 as nth from tenant where name = 'bench') x on x.nth = n % ${tenants}`
  yield* sql`insert into idempotency_record (tenant_id, key, endpoint, fingerprint, outcome, resource_id, recorded_at)
    select tenant_id, 'key-' || partner_reference, 'POST /v1/withdrawals', 'f', '{}', operation_id, created_at from operation`
  for (const table of ["tenant", "operation", "idempotency_record"]) yield* sql`vacuum analyze ${sql(table)}`
  return yield* sql<Sample>`select operation_id, tx_hash, partner_reference, provider_reference from operation
    where partner_reference = any(array(select 'partner-' || (1 + n * ${Math.floor(operations / searchesEach)}::int)
      from generate_series(0, ${searchesEach - 1}::int) n))`
})

/** How long half of the searches took at most, and 95 of 100. */
export interface Searched {
  readonly by: string
  readonly medianMs: number
  readonly p95Ms: number
}

const at = (sorted: ReadonlyArray<number>, share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0

/** Searches for each kind of text and for amounts, one search after the other, among so many operations of all tenants. */
export const search = Effect.fnUntraced(function* (url: string, operations: number) {
  const connection = { url: Redacted.make(url) }
  yield* migrate(connection)
  const samples = yield* Effect.provide(
    fill(operations),
    PgClient.layer({ ...connection, startupParameters: { statement_timeout: "0" } })
  )
  const ways: Readonly<Record<string, (index: number) => readonly [ReadonlyArray<string>, ReadonlyArray<Amount>]>> = {
    id: (index) => [[samples[index]?.operation_id ?? ""], []],
    transaction: (index) => [[samples[index]?.tx_hash ?? ""], []],
    "provider's reference": (index) => [[samples[index]?.provider_reference ?? ""], []],
    "partner's reference": (index) => [[samples[index]?.partner_reference ?? ""], []],
    "idempotency key": (index) => [[`key-${samples[index]?.partner_reference}`], []],
    amount: (index) => [[`${index}`], [of(BigInt(1 + index), "ETH"), of(BigInt(1 + index), "BTC")]],
    nothing: (index) => [[`nothing-${index}`], []]
  }
  return yield* Effect.gen(function* () {
    const queries = yield* Queries
    return yield* Effect.forEach(
      Object.entries(ways),
      Effect.fnUntraced(function* ([by, wanted]) {
        const times = yield* Effect.forEach(
          Array.from({ length: searchesEach }, (_, index) => index),
          Effect.fnUntraced(function* (index) {
            const [texts, amounts] = wanted(index)
            const started = yield* Clock.currentTimeNanos
            yield* queries.search(texts, foundMax, amounts)
            return Number((yield* Clock.currentTimeNanos) - started) / 1e6
          })
        )
        const sorted = times.toSorted((one, other) => one - other)
        return { by, medianMs: at(sorted, 0.5), p95Ms: at(sorted, 0.95) } satisfies Searched
      })
    )
  }).pipe(Effect.provide(postgresLayer({ ...connection, maxConnections: 4, applicationName: "bench" })))
})
