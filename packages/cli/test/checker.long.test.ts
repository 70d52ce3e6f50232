import { auditChain, checkAll, type CheckResult } from "@bursar/core/checker/checkAll"
import type { CheckPlace, CleanRange } from "@bursar/core/checker/checkSubjects"
import { keptTotals, readableRows } from "@bursar/core/checker/checkTenant"
import { invariants } from "@bursar/core/checker/invariants"
import { Tenants } from "@bursar/core/port/Tenants"
import { defaultPolicy, type Tenant, TenantId } from "@bursar/core/tenant/Tenant"
import { TestDatabase } from "@bursar/simulator-postgres"
import { postgresUrl } from "@bursar/simulator-postgres/testing/postgresUrl"
import { layer as layerPostgres, migrate } from "@bursar/postgres"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { auditedCorruptions } from "./support/auditedCorruptions.ts"
import type { LedgerCorruption } from "./support/LedgerCorruption.ts"
import { bursar } from "./support/bursar.ts"
import { quietCorruptions } from "./support/quietCorruptions.ts"
import { fiatCorruptions } from "./support/fiatCorruptions.ts"
import { writeHistory } from "./support/history.ts"
import { withTotals } from "./support/withTotals.ts"
import { sqlOn } from "./support/world.ts"

/** A copy of a database in which everything has happened that leaves a trace. */
const database = TestDatabase.make(postgresUrl(), {
  name: "cli_history_4",
  prepare: (url) => Effect.andThen(migrate({ url: Redacted.make(url) }), writeHistory(url))
})

/** Checks the books of a database, as often as a test asks, over the same connections. */
const checkerOf = (url: string) =>
  Effect.map(
    Layer.build(layerPostgres({ url: Redacted.make(url), maxConnections: 2 })),
    (ports) =>
      (settings: Parameters<typeof checkAll>[1] = {}) =>
        Effect.flatMap(Tenants, ({ list }) =>
          Effect.flatMap(list, ({ tenants, unreadable }) => checkAll(tenants, { ...settings, unreadable }))
        ).pipe(Effect.provide(ports))
  )

/** Places of a check that is broken off after each range has been checked, and of one that goes on after it. */
const brokenOff = () => {
  const kept = new Map<string, Array<CleanRange>>()
  const of = (tenant: Tenant): CheckPlace => ({
    seed: 7,
    clean: [...(kept.get(tenant.id) ?? [])],
    keep: (range) => Effect.sync(() => void kept.set(tenant.id, [...(kept.get(tenant.id) ?? []), range]))
  })
  const half = (tenant: Tenant): CheckPlace => ({
    ...of(tenant),
    clean: (kept.get(tenant.id) ?? []).filter((_, at) => at % 2 === 0)
  })
  return { of, half, kept }
}

const wrongIn = (results: ReadonlyArray<CheckResult>) => results.filter(({ firstWrong }) => firstWrong !== null)

/** What the command adds, which reads what the signer has sealed. */
const sealPasses = 1
const everyPass = [auditChain.name, readableRows.name, keptTotals.name, ...invariants.map(({ name }) => name)]

const corruptions: Array<LedgerCorruption> = [
  {
    invariant: keptTotals.name,
    what: "a total that counts an operation too many",
    statement: `update operation_total set operations = operations + 1 where kind = 'REVERSAL' and span = 'day'
      returning 'the total of REVERSAL in ' || currency || ' that are SETTLED, in the day from'`
  },
  {
    invariant: keptTotals.name,
    what: "a total of something that there is not",
    statement: `update operation_total set currency = 'BNB' where kind = 'REVERSAL' and span = 'ever'
      returning 'the total of REVERSAL in BNB that are SETTLED, ever, counts 1 operations; there are 0'`
  },
  {
    invariant: "postings-balance",
    also: ["postings"],
    what: "a leg that went to another posting",
    statement: `update ledger_leg set posting_seq = posting_seq + 1
      where posting_seq = (select max(posting_seq) from ledger_leg) and ordinal = 1
      returning 'posting ' || posting_seq - 1 || ' of operation ' || operation_id`
  },
  {
    invariant: "postings-balance",
    what: "a head that counts a posting too many",
    statement: `update tenant_head set posting_seq = posting_seq + 1 where change_seq > 0 returning 'the head counts ' || posting_seq || ' postings'`
  },
  {
    invariant: "leg-chains",
    what: "a running balance that is off by one unit",
    statement: `update ledger_leg set balance = balance + 1 where posting_seq = 2 and ordinal = 0
      returning 'leg 2/0 of operation ' || operation_id`
  },
  {
    invariant: "leg-chains",
    what: "a balance that is not what its legs make",
    statement: `update balance set units = units + 1 where account = 'float:available' and currency = 'USDT_ETH'
      returning 'balance float:available USDT_ETH is ' || units`
  },
  {
    invariant: "leg-chains",
    what: "a balance that is gone",
    statement: `delete from balance where account = 'network_fees' returning 'there are legs of network_fees ETH but no balance'`
  },
  {
    invariant: "holds",
    also: ["legs", "reservations"],
    what: "an open withdrawal of another amount than it holds",
    statement: `update operation set units = units + 1 where status = 'PROCESSING' and kind = 'WITHDRAWAL'
      returning 'float:held ETH is ' || (select units from balance where account = 'float:held' and currency = 'ETH')
        || ' where open operations hold ' || (select units + 1 from balance where account = 'float:held' and currency = 'ETH')`
  },
  {
    invariant: "legs",
    what: "an adjustment of another amount than it moved",
    statement: `update operation set units = units - 1 where kind = 'ADJUSTMENT' and units < 0
      returning 'ADJUSTMENT ' || operation_id || ', which is SETTLED: its legs on chain:ethereum:payouts in ETH'`
  },
  {
    invariant: "legs",
    also: ["credited-deposits", "fees"],
    what: "a reversal in another currency than it moved",
    statement: `update operation set currency = 'BNB' where kind = 'REVERSAL'
      returning 'REVERSAL ' || operation_id || ', which is SETTLED: its legs on chain:ethereum:tenant in BNB'`
  },
  {
    invariant: "operations",
    what: "a settled operation without the time of it",
    statement: `update operation set settled_at = null where kind = 'REVERSAL'
      returning 'operation ' || operation_id || ' is settled at no time'`
  },
  {
    invariant: "operations",
    what: "a leg whose operation is gone",
    statement: `delete from operation where kind = 'ADJUSTMENT' and units < 0
      returning 'names operation ' || operation_id || ', which does not exist'`
  },
  {
    invariant: "event-feed",
    what: "an event that is missing",
    statement: `update event set event_id = event_id + 1 where event_id = (select max(event_id) from event)
      returning 'event ' || event_id - 1 || ' is missing before event ' || event_id`
  },
  {
    invariant: "deposit-feed",
    what: "a deposit whose status nobody was told of",
    statement: `update deposit set change_seq = change_seq + 1000 where status = 'REORGED'
      returning 'deposit ' || deposit_id || ' is REORGED at change_seq ' || change_seq`
  },
  {
    invariant: "deposit-feed",
    what: "a deposit that is gone",
    statement: `delete from deposit where status = 'REORGED'
      returning 'events tell of deposit ' || deposit_id || ', which does not exist'`
  },
  {
    invariant: "deposit-feed",
    what: "a deposit of another amount than was told",
    statement: `update deposit set units = units + 1 where tx_hash = 'waiting'
      returning 'deposit ' || deposit_id || ' shows another amount_units'`
  },
  {
    invariant: "deposit-feed",
    what: "an event of another kind than it tells",
    statement: `update event set kind = 'deposit.confirmed' where event_id = 1 returning 'event 1 is a deposit.confirmed'`
  },
  {
    invariant: "outcomes",
    what: "a settled deposit whose event tells of nothing",
    statement: `update event set data = '{}' where event_id = (select min(event_id) from event where kind = 'deposit.settled')
      returning 'event ' || event_id || ' names operation ' || resource_id`
  },
  {
    invariant: "outcomes",
    what: "a settled deposit that was not told of",
    statement: `update event set kind = 'withdrawal.settled' where kind = 'deposit.settled' and event_id =
        (select min(event_id) from event where kind = 'deposit.settled')
      returning 'event ' || event_id || ', a withdrawal.settled, names operation ' || resource_id || ', which is a DEPOSIT'`
  },
  {
    invariant: "credited-deposits",
    what: "a credit that its deposit does not know",
    statement: `with before as (select * from deposit where tx_hash = 'credited')
      update deposit d set credited_by = null from before b where d.deposit_id = b.deposit_id
      returning 'operation ' || b.credited_by || ' credits deposit ' || d.deposit_id`
  },
  {
    invariant: "credited-deposits",
    also: ["deposit-feed"],
    what: "a deposit of another amount than was credited",
    statement: `update deposit set units = units + 1 where tx_hash = 'credited too'
      returning 'not ' || units || ' USDT_ETH of ' || deposit_id`
  },
  {
    invariant: "idempotency-records",
    what: "a withdrawal whose key is gone",
    statement: `delete from idempotency_record where key = 'withdrawn' returning 'no idempotency key names operation ' || resource_id`
  },
  {
    invariant: "idempotency-records",
    what: "a key of another endpoint than the operation's",
    statement: `update idempotency_record set endpoint = 'POST /v1/swaps' where key = 'withdrawn'
      returning 'key withdrawn of POST /v1/swaps names operation ' || resource_id || ', which is a WITHDRAWAL'`
  },
  {
    invariant: "idempotency-records",
    what: "a key that leads to nothing",
    statement: `update idempotency_record set resource_id = '00000000-0000-7000-8000-000000000000' where key = 'withdrawn'
      returning 'key withdrawn names operation ' || resource_id || ', which does not exist'`
  }
]

const transactionCorruptions: ReadonlyArray<LedgerCorruption> = [
  {
    invariant: "payouts",
    also: ["jobs"],
    what: "a payout that is in two transactions which are not over",
    statement: `insert into outbound_transaction (tenant_id, transaction_id, network, purpose, wallet_id, paid_from, payments, drain, salt, phase,
        hashes, fee_max, cancelled, reserved_at)
      select tenant_id, '00000000-0000-7000-8000-00000000000a', network, purpose, null, paid_from, payments, drain, salt, 'RESERVED',
        '[]', 0, '[]', reserved_at from outbound_transaction where phase = 'SIGNED'
      returning 'payout ' || (payments->0->>'operationId') || ' is in the transactions'`
  },
  {
    invariant: "payouts",
    also: ["jobs"],
    what: "a payout that does not name the transaction which pays it",
    statement: `with named as (select tenant_id, transaction_id from outbound_transaction where phase = 'SIGNED')
      update payout p set transaction_id = null from named n where p.tenant_id = n.tenant_id and p.transaction_id = n.transaction_id
      returning 'payout ' || p.operation_id || ' is in transaction ' || n.transaction_id || ' and names null'`
  },
  {
    invariant: "payouts",
    what: "a payout of another amount than its operation",
    statement: `update payout set units = units + 1 where transaction_id is null returning 'payout ' || operation_id || ' is of ' || units`
  },
  {
    invariant: "payouts",
    also: ["outcomes"],
    what: "a payout that was settled by a transaction which is not its own",
    statement: `update operation set tx_hash = '0xother' where kind = 'CHAIN_PAYOUT' and status = 'SETTLED'
      returning 'chain payout ' || operation_id || ' is settled by 0xother'`
  },
  {
    invariant: "transactions",
    what: "a UTXO that two transactions use",
    statement: `with taken as (update outbound_transaction set guard_account = null, guard_sequence = null,
        guard_utxos = '[{"txHash":"c0","vout":1,"units":"5","address":"a"}]' where outcome is not null returning transaction_id)
      select 'utxo ethereum|c0:1 is used by the transactions ' || min(transaction_id::text) from taken`
  },
  {
    invariant: "transactions",
    what: "a UTXO that no transaction has spent",
    statement: `insert into wallet_utxo (tenant_id, utxo_key, network, tx_hash, vout, units, address, wallet_id, state, transaction_id)
      select tenant_id, 'bitcoin|c1:0', 'bitcoin', 'c1', 0, 9, 'a', wallet_id, 'SPENT', wallet_id from payout_wallet
      returning 'utxo bitcoin|c1:0 is SPENT and names transaction ' || transaction_id || ', the transactions say null'`
  },
  {
    invariant: "transactions",
    what: "a signed transaction that is gone",
    statement: `delete from transaction_attempt where hash = '0xpaid' returning 'names attempt 0xpaid, which does not exist'`
  },
  {
    invariant: "transactions",
    what: "an attempt that its transaction does not know",
    statement: `update outbound_transaction set hashes = '[]' where phase = 'SIGNED' returning 'attempt 0xunderway replaces null'`
  },
  {
    invariant: "wallets",
    what: "a wallet that counts a transaction too many",
    statement: `update payout_wallet set open_transactions = open_transactions + 1
      returning 'wallet ' || wallet_id || ' counts ' || open_transactions || ' open transactions'`
  },
  {
    invariant: "wallets",
    what: "a wallet that would give a number again",
    statement: `update payout_wallet set next_sequence = next_sequence - 1
      returning 'the next sequence of wallet ' || wallet_id || ' is ' || next_sequence`
  },
  {
    invariant: "usage",
    what: "a counter of a limit that misses a payout",
    statement: `update limit_usage set buckets = '[]' where scope = 'PAYOUT' returning 'usage PAYOUT misses'`
  },
  {
    invariant: "usage",
    what: "a counter of a limit that counts too much",
    statement: `update limit_usage set buckets = json_build_array(json_build_object('from', buckets->0->'from', 'cents', '99999'))
      where scope = 'PAYOUT' returning 'usage PAYOUT counts 99999 cents'`
  },
  {
    invariant: "operations",
    also: ["legs"],
    what: "legs of a transaction that is not over",
    statement: `with moved as (update ledger_leg set operation_id = (select transaction_id from outbound_transaction where phase = 'SIGNED')
        where operation_id = (select transaction_id from outbound_transaction where outcome = 'reverted') returning operation_id)
      select 'names operation ' || operation_id || ', which does not exist' from moved limit 1`
  }
]

const sweepCorruptions: ReadonlyArray<LedgerCorruption> = [
  {
    invariant: "sweeps",
    what: "a swept deposit that would be swept again",
    statement: `update sweepable_deposit set sweep_id = null, record_group = address_id::text where sweep_id is not null
      returning 'names deposits that are not its own'`
  },
  {
    invariant: "sweeps",
    what: "a deposit that a sweep does not know of",
    statement: `update sweepable_deposit set sweep_id = (select sweep_id from sweep) where sweep_id is null
      returning 'deposit ' || deposit_id || ' says that sweep ' || sweep_id || ' has it'`
  },
  {
    invariant: "sweeps",
    what: "a sweep that was given up and has moved something",
    statement: `update sweep set state = 'ABANDONED' returning 'sweep ' || sweep_id || ' is ABANDONED, its transaction has come to done'`
  },
  {
    invariant: "legs",
    what: "a sweep that has cost more than the books say",
    statement: `update outbound_transaction set fee = fee + 1 where purpose = 'SWEEP' returning 'transaction ' || transaction_id || ', a SWEEP: its legs on network_fees in ETH as network_fee are off by -1'`
  },
  {
    invariant: "legs",
    what: "a top-up of another amount than the books say",
    statement: `update outbound_transaction set payments = json_build_array(json_build_object('operationId', null, 'to', 'a', 'contract', null, 'units', '7', 'memo', null))
      where purpose = 'TOP_UP' returning 'transaction ' || transaction_id || ', a TOP_UP: its legs on chain:ethereum:deposits in ETH as top_up are off by 99999999999993'`
  },
  {
    invariant: "sweepable",
    what: "more to be swept than was credited",
    statement: `update sweepable_deposit set units = units + 1 where sweep_id is null
      returning 'chain:ethereum:deposits|USDT_ETH was credited 43000000, the deposits that can be swept come to 43000001'`
  },
  {
    invariant: "imported-coins",
    what: "coins that a tenant may move itself, and may spend before that",
    statement: `update sweepable_deposit set address_key = '{"_tag":"Imported"}' where sweep_id is null
      returning 'deposit ' || deposit_id || ' backs all but 0 of ' || units || ' USDT_ETH'`
  }
]

corruptions.push(...transactionCorruptions, ...sweepCorruptions, ...auditedCorruptions, ...quietCorruptions)

describe("the checker", () => {
  it("has every pass proven here, or with the tenant that has customers", () => {
    assert.deepStrictEqual(
      [...new Set([...corruptions, ...fiatCorruptions].map(({ invariant }) => invariant))].toSorted(),
      everyPass.toSorted()
    )
  })

  it.live("finds nothing in books that are right", () =>
    Effect.gen(function* () {
      const { url } = yield* database
      const check = yield* checkerOf(url)
      const results = yield* check()
      assert.deepStrictEqual(
        results.map(({ firstWrong, invariant }) => [invariant, firstWrong]),
        everyPass.map((name) => [name, null])
      )
      const ended = yield* bursar(["check", "--json"], { env: { DATABASE_URL: url } })
      assert.deepInclude(ended, { code: 0, stderr: "" })
      assert.lengthOf(JSON.parse(ended.stdout), everyPass.length + sealPasses)
    })
  )

  for (const { also = [], first, invariant, statement, what } of corruptions) {
    it.live(`finds ${what}, by ${[invariant, ...also].join(" and ")}, and names it`, () =>
      Effect.gen(function* () {
        const { url } = yield* database
        const check = yield* checkerOf(url)
        const sql = yield* sqlOn(url)
        if (first !== undefined) yield* sql.unsafe(first)
        const place = brokenOff()
        yield* check({ place: place.of, readRows: 3 })
        assert.isAbove([...place.kept.values()].flat().length, first === undefined ? 2 : 0)
        const rows = yield* sql.unsafe<Readonly<Record<string, string>>>(statement)
        assert.lengthOf(rows, 1)
        if (invariant !== keptTotals.name) yield* withTotals(sql)
        const [named = "nothing"] = Object.values(rows[0] ?? {})
        const found = wrongIn(yield* check())
        assert.sameMembers(
          found.map((result) => result.invariant),
          [invariant, ...also],
          JSON.stringify(found.map((result) => `${result.invariant}: ${result.firstWrong}`))
        )
        assert.include(found.find((result) => result.invariant === invariant)?.firstWrong, named)
        const others = [
          ["one row of each kind at a time", yield* check({ readRows: 1 })],
          ["after everything was found clean", yield* check({ place: place.of })]
        ] as const
        for (const [how, results] of others)
          assert.sameMembers(
            wrongIn(results).map((result) => result.invariant),
            [invariant, ...also],
            how
          )
      })
    )
  }

  it.live(
    "names a row that cannot be read and one that makes no sense, and goes on with all other rules and tenants",
    () =>
      Effect.gen(function* () {
        const { url } = yield* database
        const sql = yield* sqlOn(url)
        const other = TenantId("019845e1-682f-7b02-a706-3b2422d13aff")
        yield* Effect.flatMap(Tenants, ({ create }) =>
          create({
            id: other,
            slug: "other",
            name: "Other",
            kind: "SANDBOX",
            status: "ACTIVE",
            policy: defaultPolicy,
            createdAt: Date.now()
          })
        ).pipe(Effect.provide(layerPostgres({ url: Redacted.make(url), maxConnections: 2 })), Effect.scoped)
        yield* sql`alter table ledger_leg drop constraint ledger_leg_units_positive, drop constraint ledger_leg_readable`
        const [leg] = yield* sql<{ readonly named: string }>`update ledger_leg set units = units + 0.5
        where posting_seq = 3 and ordinal = 0
        returning 'ledger_leg ' || account || ' ' || currency || ' ' || version as named`
        const { code, stdout } = yield* bursar(["check", "--json"], { env: { DATABASE_URL: url } })
        assert.strictEqual(code, 1)
        const results: ReadonlyArray<{ tenant: string | null; invariant: string; firstWrong: string | null }> =
          JSON.parse(stdout)
        assert.lengthOf(results, 2 * everyPass.length - 1 + sealPasses)
        const wrong = results.filter(({ firstWrong }) => firstWrong !== null)
        assert.deepStrictEqual(
          wrong.map(({ invariant, tenant }) => [tenant, invariant]),
          ["rows", "postings-balance", "postings", "leg-chains", "legs"].map((invariant) => ["history", invariant])
        )
        assert.include(wrong[0]?.firstWrong, `${leg?.named} cannot be read`)
      })
  )

  it.live("goes on where it was broken off, and reads only what it has not seen or what was changed since", () =>
    Effect.gen(function* () {
      const { url } = yield* database
      const check = yield* checkerOf(url)
      const sql = yield* sqlOn(url)
      const place = brokenOff()
      let rows = 0
      const counted = { readRows: 2, progress: (_: Tenant, more: number) => Effect.sync(() => void (rows += more)) }
      yield* check({ ...counted, place: place.of })
      const [all, ranges] = [rows, [...place.kept.values()].flat().length]
      assert.isAbove(ranges, 4)
      for (const from of [place.of, place.half]) {
        rows = 0
        assert.deepStrictEqual(wrongIn(yield* check({ ...counted, place: from })), [])
        assert.strictEqual(rows, all)
      }
      // what was found clean is not kept again
      const before = [...place.kept.values()].flat().length
      yield* check({ ...counted, place: place.of })
      assert.strictEqual([...place.kept.values()].flat().length, before)
      yield* sql`update operation set partner_reference = 'another' where kind = 'REVERSAL'`
      yield* check({ ...counted, place: place.of })
      assert.isAbove([...place.kept.values()].flat().length, before)
    })
  )

  it.live("finds what was lost between two ranges, whatever digests say", () =>
    Effect.gen(function* () {
      const { url } = yield* database
      const check = yield* checkerOf(url)
      const place = brokenOff()
      yield* check({ readRows: 2, place: place.of })
      // a file that somebody has changed: a range that says it goes further than it was looked at
      const wider = (tenant: Tenant): CheckPlace => {
        const { clean, ...rest } = place.of(tenant)
        return {
          ...rest,
          clean: clean.map((one, at) => ({
            ...one,
            seen: { ...one.seen, own: at === 0 ? one.seen.own + 1 : one.seen.own }
          }))
        }
      }
      const found = wrongIn(yield* check({ place: wider }))
      assert.deepStrictEqual(
        found.map(({ invariant }) => invariant),
        [readableRows.name]
      )
    })
  )

  it.live("finds nothing in totals that were written anew", () =>
    Effect.gen(function* () {
      const { url } = yield* database
      const check = yield* checkerOf(url)
      const sql = yield* sqlOn(url)
      yield* sql`update operation_total set units = units + 1, kind = 'SWAP' where kind = 'DEPOSIT'`
      assert.isTrue((yield* check()).some(({ firstWrong }) => firstWrong !== null))
      const { code, stdout } = yield* bursar(["migrate", "--totals"], { env: { DATABASE_URL: url } })
      assert.deepEqual([code, stdout.includes("are what their operations come to")], [0, true])
      assert.isTrue((yield* check()).every(({ firstWrong }) => firstWrong === null))
    })
  )

  it.live("makes the command fail, which shows the row", () =>
    Effect.gen(function* () {
      const { url } = yield* database
      const sql = yield* sqlOn(url)
      yield* sql`update tenant_head set event_id = event_id + 1`
      const env = { DATABASE_URL: url }
      const [told, asJson] = yield* Effect.all([bursar(["check"], { env }), bursar(["check", "--json"], { env })], {
        concurrency: 2
      })
      assert.strictEqual(told.code, 1)
      assert.match(told.stdout, /history +event-feed +the head counts \d+ events, the feed ends at \d+/u)
      assert.include(told.stderr, `1 of ${everyPass.length + sealPasses} checks found something wrong`)
      assert.strictEqual(asJson.code, 1)
      const wrong = JSON.parse(asJson.stdout).filter(
        (result: { firstWrong: string | null }) => result.firstWrong !== null
      )
      assert.lengthOf(wrong, 1)
      assert.deepInclude(wrong[0], { tenant: "history", invariant: "event-feed" })
    })
  )
})
