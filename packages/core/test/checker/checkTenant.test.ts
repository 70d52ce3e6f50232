import { checkAll, type CheckResult } from "@bursar/core/checker/checkAll"
import type { AuditRecord } from "@bursar/core/audit/AuditRecord"
import type { CleanRange } from "@bursar/core/checker/checkSubjects"
import { type CheckSettings, checkTenant } from "@bursar/core/checker/checkTenant"
import { invariants } from "@bursar/core/checker/invariants"
import { LedgerSnapshot, type TenantLedger } from "@bursar/core/checker/LedgerSnapshot"
import { type Filed, subjectsOf, type SubjectKind, type SubjectRows } from "@bursar/core/checker/subjects"
import { destinationLogKey } from "@bursar/core/checker/destinationLog"
import { Destination } from "@bursar/core/destination/Destination"
import { StorageError } from "@bursar/core/engine/StorageError"
import { payoutScope } from "@bursar/core/limit/limitedUsage"
import { Usage } from "@bursar/core/limit/Usage"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { AssetReservation } from "@bursar/core/operation/AssetReservation"
import { newPayout, Payout } from "@bursar/core/payout/Payout"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { SweepableDeposit } from "@bursar/core/sweep/SweepableDeposit"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import type { WalletUtxo } from "@bursar/core/transaction/WalletUtxo"
import { tenantRecord } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Stream } from "effect"
import { operationOf } from "../transfer/operationOf.ts"

const coin = (txHash: string, transactionId: string | null = null): WalletUtxo =>
  ({ network: "bitcoin", txHash, vout: 0, state: "FREE", transactionId }) as WalletUtxo // all of it that is looked at

const filedAs = <K extends SubjectKind>(kind: K, row: SubjectRows[K], digest = 1n): ReadonlyArray<Filed> =>
  subjectsOf[kind](row).map((subject) => ({ kind, subject, row, beside: false, digest }) as Filed) // of one kind

const free = (...names: ReadonlyArray<string>) => names.flatMap((name) => filedAs("utxo", coin(name)))

const filedTransaction = {
  ...{ id: "t", network: "base", purpose: "CHANNEL", phase: "FINAL", outcome: "released", hashes: [], payments: [] },
  ...{
    guard: { _tag: "Sequence", account: "0xw", sequence: 1n },
    cancelled: [],
    freed: [],
    fee: null,
    givenUpAfter: null
  }
}

/** A transaction is filed under what it pays and uses as well. */
const transaction = filedAs("transaction", filedTransaction as unknown as SubjectRows["transaction"]) // all of it that is looked at

const tenant = tenantRecord(0)

const to = { to: "0xa", memo: null }

/** Books that hold what is filed, and nothing else, and what was read of them. */
const books = (filed: ReadonlyArray<Filed>, rows: number, more: Partial<TenantLedger> = {}) => {
  const read: Array<string> = []
  const asked: Array<string> = []
  const within = (from: string, to: string | null) =>
    filed.filter(({ subject }) => subject >= from && (to === null || subject < to))
  const ledger: TenantLedger = {
    head: { tenant, changeSeq: 0, eventId: 0, postingSeq: 0, lastAt: 0 },
    balances: [],
    ...{ legs: Stream.empty, operations: Stream.empty, deposits: Stream.empty, events: Stream.empty },
    ...{ idempotencyRecords: Stream.empty, jobs: Stream.empty },
    ...{ wrongTotal: Effect.undefined, unreadable: Effect.succeed([]) },
    filed: ({ from, to }, { readRows, seed }) => {
      assert.isAbove(readRows, 0)
      asked.push(from)
      const some = within(from, to).toSorted((one, other) => (one.subject < other.subject ? -1 : 1))
      read.push(...some.map(({ subject }) => subject))
      const digested = some.map((one) => ({ ...one, digest: seed === null ? null : one.digest }) as Filed) // of its kind
      return [Stream.rechunk(Stream.fromIterable(digested), readRows)]
    },
    // how many there are of each kind is asked in sum
    counts: Effect.succeed({ utxo: rows } as Readonly<Record<SubjectKind, number>>),
    digests: (between) =>
      Effect.succeed(
        between.map((from, at) => {
          const some = within(from, between[at + 1] ?? null)
          return { filed: some.length, digest: some.reduce((sum, { digest }) => sum + (digest ?? 0n), 0n) }
        })
      ),
    records: () => Stream.empty,
    ...more
  }
  return { ledger, read, asked }
}

/** What is wrong, by rule. */
const wrongIn = (ledger: TenantLedger, settings: CheckSettings = {}) =>
  Effect.map(checkTenant(ledger, settings), (results) =>
    Object.fromEntries(
      results.flatMap(({ firstWrong, invariant }) => (firstWrong === null ? [] : [[invariant, firstWrong]]))
    )
  )

describe("the books of a tenant", () => {
  it.effect("are held against every rule, by its name", () =>
    Effect.gen(function* () {
      const results = yield* checkTenant(books([...free("a", "b"), ...transaction], 3).ledger)
      const named = invariants.map(({ name }) => name)
      assert.deepStrictEqual(
        results.map(({ invariant }) => invariant),
        ["rows", "totals", ...named]
      )
      for (const { firstWrong, invariant, rule } of results) {
        assert.isNull(firstWrong, invariant)
        assert.isNotEmpty(rule)
      }
    })
  )

  it.effect("are wrong by the rule that finds it alone, which names the first", () =>
    Effect.gen(function* () {
      const taken = ["b", "c"].flatMap((name) => filedAs("utxo", coin(name, "x")))
      for (const readRows of [1, 100]) {
        const found = yield* wrongIn(books([...free("a"), ...taken], 3).ledger, { readRows })
        assert.deepStrictEqual(Object.keys(found), ["transactions"])
        assert.match(found["transactions"] ?? "", /\bb\b/u)
      }
    })
  )

  it.effect("are wrong by what a rule finds in the end, and of every kind of rows that it looks at", () =>
    Effect.gen(function* () {
      const contract = defaultCurrencies.byCode("USDC_BASE")?.asset?.contract ?? null
      const open = { ...filedTransaction, phase: "SIGNED", outcome: null, walletId: "w", counterId: null, feeMax: 0n }
      const payment = { operationId: "o", to: "0xa", contract, units: 5n, memo: null }
      const wallet = { id: "w", network: "base", nextSequence: null, openTransactions: 1 }
      const paid = { account: "chain:base:payouts", currency: "USDC_BASE" }
      const verified = {
        ...{ id: "d", currency: "USDC_BASE", network: "base", address: "0xd", memo: null, label: "Treasury" },
        ...{ proposedBy: "olga", verifiedBy: "otto", verifiedAt: 0, usableFrom: 0, createdAt: 0, rejectedAt: null }
      }
      const right = new Map<unknown, ReadonlyArray<unknown>>([
        [Destination, [verified]],
        [OutboundTransaction, [{ ...open, payments: [payment], trustlines: [] }]],
        [Payout, [newPayout("o", { network: "base", currency: "USDC_BASE", contract, units: 5n, ...to }, "maker")]],
        [PayoutWallet, [{ ...wallet, committed: [{ contract, units: 5n }] }]],
        [AssetReservation, [{ ...paid, units: 5n }]]
      ])
      const logged = [destinationLogKey(tenant.id, "d"), { rejected: false, verifiedBy: "otto" }] as const
      const found = (
        records: ReadonlyArray<readonly [unknown, ReadonlyArray<unknown>]> = [],
        more: Partial<TenantLedger> = {}
      ) => {
        const all = new Map([...right, ...records])
        const { ledger } = books([], 0, {
          // the rows of a kind are read as what they are
          records: <A>(of: unknown) => Stream.fromIterable((all.get(of) ?? []) as ReadonlyArray<A>),
          ...more
        })
        return Effect.map(wrongIn(ledger, { destinationLog: new Map([logged]) }), (wrong) => Object.keys(wrong))
      }
      assert.deepStrictEqual(yield* found(), [])
      for (const [kind, row, rule] of [
        [Destination, { ...verified, verifiedBy: "olga" }, "destination-log"],
        [PayoutWallet, { ...wallet, openTransactions: 2, committed: [{ contract, units: 5n }] }, "wallets"],
        [
          SweepableDeposit,
          {
            ...{
              gone: false,
              bookedBy: null,
              network: "base",
              currency: "ETH_BASE",
              units: 1n,
              sweepId: "s",
              unbacked: 0n
            },
            key: { _tag: "Issued", seedId: "seed", index: 0 }
          },
          "sweepable"
        ],
        [AssetReservation, { ...paid, units: 4n }, "reservations"],
        [Usage, { scope: payoutScope, buckets: [{ from: 0, cents: 1n }] }, "usage"]
      ] as const)
        assert.deepStrictEqual(yield* found([[kind, [row]]]), [rule])
      assert.deepStrictEqual(yield* found([[OutboundTransaction, []]]), ["reservations", "wallets"])
      assert.deepStrictEqual(yield* found([[Payout, []]]), ["reservations"])
      const fee = operationOf("BANK_TRANSFER", { customerFee: of(1n, "USD") })
      assert.include(yield* found([], { operations: Stream.make(fee) }), "fees")
      const early = { id: 1, kind: "xpub.registered", resourceId: "x", occurredAt: 1, data: {} } as const
      assert.deepStrictEqual(yield* found([], { events: Stream.make(early) }), ["event-feed"])
      const head = { tenant, changeSeq: 0, eventId: 0, postingSeq: 1, lastAt: 0 }
      assert.deepStrictEqual(yield* found([], { head }), ["postings-balance"])
    })
  )

  it.effect("are wrong where a row makes no sense, which stops no other rule", () =>
    Effect.gen(function* () {
      const leg = { operationId: "o", account: null } as unknown as SubjectRows["leg"] // as nobody may write it
      const { ledger } = books(filedAs("utxo", coin("b", "x")), 1, { legs: Stream.make(leg) })
      const found = yield* wrongIn(ledger)
      assert.include(Object.values(found).join(), "makes no sense")
      assert.property(found, "transactions")
    })
  )

  it.effect("are wrong where what is kept in sum is, or a row cannot be read", () =>
    Effect.gen(function* () {
      const { ledger } = books(free("a"), 1, { wrongTotal: Effect.succeed("the total of EUR is off") })
      assert.deepStrictEqual(yield* wrongIn(ledger), { totals: "the total of EUR is off" })
      const unreadable = Effect.succeed([
        { row: "operation o", problem: "no amount" },
        { row: "operation p", problem: "no kind" }
      ])
      const found = yield* wrongIn(books(free("a"), 3, { unreadable }).ledger)
      assert.deepStrictEqual(found, { rows: "operation o cannot be read: no amount" })
    })
  )

  it.effect("show every rule each row once, however often it was met, and also what has none of its own", () =>
    Effect.gen(function* () {
      const held = (id: string, account = "0xw") =>
        filedAs("transaction", {
          ...{ ...filedTransaction, id, outcome: "replaced" },
          guard: { _tag: "Sequence", account, sequence: 1n }
        } as unknown as SubjectRows["transaction"]) // all of it that is looked at
      const found = (filed: ReadonlyArray<Filed>, rows: number) => wrongIn(books(filed, rows).ledger)
      // what stands under the last subject is a segment of its own
      const last = free("z")
      assert.deepStrictEqual(yield* found([...held("t"), ...held("u", "0xv"), ...last], 3), {})
      const both = yield* found([...held("t"), ...held("u"), ...last], 3)
      assert.match(both["transactions"] ?? "", /is used by the transactions t and u/u)
      const first = [...filedAs("utxo", coin("b", "x")), ...free("c"), ...last]
      assert.match((yield* found(first, 3))["transactions"] ?? "", /\bb\b/u)
      const quoted = operationOf("BANK_TRANSFER", { id: "o", details: { quote_id: "q" } })
      const unquoted = yield* found(filedAs("operation", quoted), 1)
      assert.match(unquoted["quotes"] ?? "", /operation o uses quote q, which does not exist/u)
    })
  )

  it.effect("are wrong where nobody can say what a row is about, which makes no other row wrong", () =>
    Effect.gen(function* () {
      const senseless = (more: object) =>
        ({
          ...{ kind: "transaction", subject: "a", beside: false, digest: 1n },
          row: { ...filedTransaction, id: "a", guard: null, ...more }
        }) as unknown as Filed // as nobody may write it
      const held = filedAs("transaction", {
        ...{ ...filedTransaction, id: "t", outcome: "replaced" }
      } as unknown as SubjectRows["transaction"]) // all of it that is looked at
      const found = yield* wrongIn(books([senseless({}), ...held, ...free("z")], 3).ledger)
      assert.deepStrictEqual(Object.keys(found), ["rows"])
      assert.match(found["rows"] ?? "", /the row of a makes no sense/u)
      const judged = yield* wrongIn(books([senseless({ givenUpAfter: 1 })], 1).ledger)
      assert.deepStrictEqual(Object.keys(judged), ["rows", "transactions"], "the rules look at it all the same")
    })
  )

  it.effect("are read whole: each row is met under its own subject and every other that it names", () =>
    Effect.gen(function* () {
      const found = (filed: ReadonlyArray<Filed>, rows: number) =>
        Effect.map(wrongIn(books(filed, rows).ledger), ({ rows: wrong }) => wrong)
      assert.strictEqual(yield* found(free("a"), 2), "of 2 rows 1 were met under what they belong to")
      assert.strictEqual(yield* found(free("a", "b"), 1), "of 1 rows 2 were met under what they belong to")
      assert.strictEqual(
        yield* found(
          transaction.filter(({ subject }) => subject === "t"),
          1
        ),
        "rows name subjects 1 times under which they were not met"
      )
      assert.strictEqual(
        yield* found(
          transaction.filter(({ subject }) => subject !== "t"),
          0
        ),
        "rows name subjects -1 times under which they were not met"
      )
      const strange = free("a").map((one) => ({ ...one, subject: "elsewhere" }))
      assert.match(String(yield* found(strange, 1)), /kind utxo was found under elsewhere, where it does not belong/u)
      const beside = strange.map((one) => ({ ...one, beside: true }))
      assert.isUndefined(yield* found([...free("a"), ...beside], 1), "what names it may look at it")
    })
  )

  it.effect("tell how many rows were read", () =>
    Effect.gen(function* () {
      let told = 0
      const progress = (rows: number) => Effect.sync(() => void (told += rows))
      yield* checkTenant(books(free("a", "b", "c"), 3).ledger, { progress, readRows: 2 })
      assert.strictEqual(told, 3)
    })
  )
})

describe("a check that was broken off", () => {
  const kept = Effect.fnUntraced(function* (
    filed: ReadonlyArray<Filed>,
    rows: number,
    clean: ReadonlyArray<CleanRange>
  ) {
    const ranges: Array<CleanRange> = []
    const { asked, ledger, read } = books(
      filed,
      rows,
      clean.length === 0 ? { digests: () => Effect.die("nothing was kept") } : {}
    )
    let told = 0
    const wrong = yield* wrongIn(ledger, {
      readRows: 2,
      progress: (some) => Effect.sync(() => void (told += some)),
      place: { seed: 7, clean, keep: (range) => Effect.sync(() => void ranges.push(range)) }
    })
    return { asked, ranges, read, told, wrong }
  })

  it.effect("goes on where it was, and looks again at what was changed since", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 180 }, (_, at) => `c${at + 100}`)
      const all = free(...names)
      const first = yield* kept(all, 180, [])
      assert.deepStrictEqual(first.wrong, {})
      assert.strictEqual(first.ranges[0]?.from, "")
      assert.isNull(first.ranges.at(-1)?.to)
      for (const [at, { to: end }] of first.ranges.slice(0, -1).entries())
        assert.strictEqual(end, first.ranges[at + 1]?.from)
      const filed = first.ranges.map(({ seen }) => seen.filed)
      // each ends where twenty reads of two are full, and the first segment is of one row
      assert.deepStrictEqual(filed, [41, 40, 40, 40, 19])
      const again = yield* kept(all, 180, first.ranges.toReversed())
      assert.deepStrictEqual([again.wrong, again.asked, again.told], [{}, [], 180])
      for (const at of first.ranges.keys()) {
        const rest = yield* kept(all, 180, first.ranges.toSpliced(at, 1))
        assert.deepStrictEqual([rest.wrong, rest.read.length, rest.told], [{}, filed[at], 180])
        assert.deepStrictEqual(rest.asked, [first.ranges[at]?.from], "and nothing else")
      }
      const changed = [...all.slice(0, -1), ...filedAs("utxo", coin("c279", "x"), 2n)]
      const found = yield* kept(changed, 180, first.ranges)
      assert.property(found.wrong, "transactions")
      assert.lengthOf(found.read, 19, "the others are as they were")
      const gone = yield* kept(all.slice(0, -1), 179, first.ranges)
      assert.deepStrictEqual(gone.wrong, {})
      const more = yield* kept([...all, ...filedAs("utxo", coin("c280", "x"), 0n)], 181, first.ranges)
      assert.property(more.wrong, "transactions", "a row for which nothing stands is one all the same")
      const missing = yield* kept(all, 181, first.ranges)
      assert.strictEqual(missing.wrong["rows"], "of 181 rows 180 were met under what they belong to")
    })
  )

  it.effect("counts nothing twice of what was kept twice, or of ranges that lie in each other", () =>
    Effect.gen(function* () {
      const all = free("a", "b")
      const { ranges } = yield* kept(all, 2, [])
      const twice = yield* kept(all, 2, [...ranges, ...ranges])
      assert.deepStrictEqual([twice.wrong, twice.read, twice.told], [{}, [], 2])
      const [whole] = ranges
      const end = all[1]?.subject ?? assert.fail("there is none")
      const inner = { from: "", to: `${end}z`, seen: whole?.seen ?? assert.fail("there is none") }
      const both = yield* kept(all, 2, [...ranges, inner])
      assert.deepStrictEqual([both.wrong, both.told], [{}, 2])
      const beyond = yield* kept([...all, ...filedAs("utxo", coin("c", "x"))], 3, [...ranges, inner])
      assert.property(beyond.wrong, "transactions", "what came behind the shorter one is looked at")
    })
  )

  it.effect("keeps no range in which something is wrong", () =>
    Effect.gen(function* () {
      const all = [...free("a"), ...filedAs("utxo", coin("b", "x")), ...free("c")]
      const { ranges, wrong } = yield* kept(all, 3, [])
      assert.property(wrong, "transactions")
      const b = all[1]?.subject ?? assert.fail("there is none")
      const holdsOne = (some: ReadonlyArray<CleanRange>, subject: string) =>
        some.some(({ from, to }) => subject >= from && (to === null || subject < to))
      assert.isFalse(holdsOne(ranges, b))
      assert.isNotEmpty(ranges)
      const strange = free("a").map((one) => ({ ...one, subject: "elsewhere" }))
      assert.isFalse(holdsOne((yield* kept(strange, 1, [])).ranges, "elsewhere"))
    })
  )
})

describe("the books of all tenants", () => {
  const isAudit = ({ invariant }: CheckResult) => invariant === "audit-chain"
  const tenants = [tenantRecord(0), tenantRecord(1)]
  const run = (
    open: (slug: string) => Effect.Effect<TenantLedger, StorageError>,
    settings: Parameters<typeof checkAll>[1] = {},
    actions: ReadonlyArray<AuditRecord> = []
  ) =>
    checkAll(tenants, settings).pipe(
      Effect.tap((results) => Effect.sync(() => assert.lengthOf(results.filter(isAudit), 1))),
      Effect.map((results) => results.filter(({ firstWrong }) => firstWrong !== null)),
      Effect.provideService(
        OperatorAudit,
        OperatorAudit.of({
          append: () => Effect.die("nothing is written"),
          after: (id) => Effect.succeed(id === 0 ? actions : []),
          before: () => Effect.die("it is read from the beginning")
        })
      ),
      Effect.provideService(
        LedgerSnapshot,
        LedgerSnapshot.of({
          snapshot: (id, use) =>
            Effect.flatMap(open(tenants.find((one) => one.id === id)?.slug ?? assert.fail("there is none")), use)
        })
      )
    )

  it.effect("are checked one after the other, also where those of one cannot be opened", () =>
    Effect.gen(function* () {
      const { ledger } = books(filedAs("utxo", coin("b", "x")), 1)
      const [one, other] = [tenants[0]?.slug, tenants[1]?.slug]
      const told: Array<string> = []
      const progress: NonNullable<Parameters<typeof checkAll>[1]>["progress"] = ({ slug }, rows) =>
        Effect.sync(() => void (rows > 0 && told.push(`${slug} ${rows}`)))
      const both = yield* run(() => Effect.succeed(ledger), { progress })
      assert.deepStrictEqual(
        both.map(({ invariant, tenant }) => [tenant?.slug, invariant]),
        [one, other].map((slug) => [slug, "transactions"])
      )
      assert.deepStrictEqual(told, [`${one} 1`, `${other} 1`])
      for (const [thrown, why] of [
        [new Error("no policy"), "no policy"],
        ["torn", "torn"]
      ] as const) {
        const found = yield* run((slug) => (slug === one ? Effect.die(thrown) : Effect.succeed(ledger)))
        assert.deepStrictEqual(
          found.map(({ firstWrong, invariant, tenant }) => [tenant?.slug, invariant === "rows" ? firstWrong : ""]),
          [
            [one, `the books of ${one} cannot be opened: ${why}`],
            [other, ""]
          ]
        )
      }
    })
  )

  it.effect("are checked with the log of operators' actions, whose chain is one for all", () =>
    Effect.gen(function* () {
      const { ledger } = books([], 0)
      const record = { id: 2, at: 0, route: "/other", status: 200, params: {}, content: null } as unknown as AuditRecord // all of it that is looked at
      const [found, ...others] = yield* run(() => Effect.succeed(ledger), {}, [record])
      assert.isEmpty(others)
      assert.deepInclude(found, { tenant: null, invariant: "audit-chain" })
      assert.match(found?.firstWrong ?? "", /Record 1 is missing/u)
    })
  )

  it.effect("are named where the row of a tenant cannot be read", () =>
    Effect.gen(function* () {
      const { ledger } = books([], 0)
      const unreadable = [{ id: "x", problem: "no slug" }] as unknown as NonNullable<
        NonNullable<Parameters<typeof checkAll>[1]>["unreadable"]
      > // all of it that is looked at
      const [found, ...others] = yield* run(() => Effect.succeed(ledger), { unreadable })
      assert.isEmpty(others)
      assert.deepInclude(found, { tenant: null, invariant: "rows" })
      assert.strictEqual(found?.firstWrong, "the row of tenant x cannot be read: no slug")
    })
  )

  it.effect("are not judged where the store cannot be read", () =>
    Effect.gen(function* () {
      const gone = new StorageError({ doing: "read the books", cause: "gone" })
      for (const broken of [Effect.fail(gone), Effect.die(gone)]) {
        const failed = yield* Effect.exit(run(() => broken))
        assert.strictEqual(failed._tag === "Failure" ? Cause.squash(failed.cause) : undefined, gone)
      }
      const stopped = yield* Effect.exit(run(() => Effect.interrupt))
      assert.strictEqual(stopped._tag, "Failure")
    })
  )
})
