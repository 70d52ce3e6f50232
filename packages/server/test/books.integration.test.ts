import { nothingUndecided } from "@bursar/core/deposit/undecided"
import { keysAt } from "@bursar/testkit/fixtures/deposits"
import { stored } from "./support/stored.ts"
import { assert, layer } from "@effect/vitest"
import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { confirmDeposits } from "@bursar/core/incoming/confirmDeposits"
import { recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import { reorgDeposits } from "@bursar/core/incoming/reorgDeposits"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Account } from "@bursar/core/ledger/Account"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import type { State } from "@bursar/memory"
import { putRecord } from "@bursar/core/engine/Records"
import { Effect, Result } from "effect"
import { type Answer, Partner } from "./support/Partner.ts"
import { addressOf } from "./support/written.ts"
import { IntakeCost } from "@bursar/core/sweep/IntakeCost"

const codeOf = ({ body, status }: Answer) => [status, body.error?.code]

const anId = "019845e1-682f-7b02-a706-3b2422d13aec"

const registered = (state: State, tenant: TenantId): DepositAddress => {
  const [address] = stored(state, tenant, DepositAddress).values()
  if (address === undefined) throw new Error("no address is registered")
  return address
}

layer(Partner.layer(), { excludeTestServices: true })("deposits and the books", (it) => {
  let made = 0
  const setUp = Effect.gen(function* () {
    made += 1
    const { seeder, send, state } = yield* Partner
    const tenant = yield* seeder.tenant()
    const key = yield* seeder.key(tenant)
    const get = (path: string) => send("GET", path, { key })
    yield* send("POST", "/v1/deposit-addresses", {
      key,
      body: { addresses: [{ network: "ethereum", address: addressOf(5_000 + made), reference: "customer-1" }] },
      headers: { "idempotency-key": "k" }
    })
    const address = registered(state, tenant)
    const arrive = (txHash: string, units: bigint, number: number) =>
      seeder.submit(
        tenant,
        recordIncomingTransfers(
          {
            network: "ethereum",
            requiredConfirmations: 12,
            incomingTransfers: [
              {
                network: "ethereum",
                txHash,
                transferIndex: 0,
                addressId: address.id,
                address: address.address,
                keys: keysAt(address.address),
                currency: "ETH",
                units,
                fromAddress: null,
                block: { number, hash: `block-${number}`, time: address.createdAt + 60_000 },
                confirmations: 1
              }
            ]
          },
          defaultCurrencies
        )
      )
    const confirm = Effect.fnUntraced(function* (txHash: string, units: bigint, number: number) {
      const [deposit] = yield* arrive(txHash, units, number)
      if (deposit === undefined) return yield* Effect.die(new Error("nothing arrived"))
      const blockHash = `block-${number}`
      const [confirmed] = yield* seeder.submit(
        tenant,
        confirmDeposits([{ deposit, blockHash, confirmations: 12 }], defaultCurrencies, nothingUndecided)
      )
      return { deposit: confirmed ?? deposit, blockHash }
    })
    const adjust = (units: bigint, currency: string, against: Account = "custodian") =>
      seeder.submit(tenant, adjustFloat({ amount: { units, currency }, against, reason: "test" }))
    return { adjust, arrive, confirm, get, seeder, key, send, state, tenant }
  })

  it.effect("show a deposit, and again whenever it changes, with the blocks on top of it now", () =>
    Effect.gen(function* () {
      const { arrive, confirm, get, state } = yield* setUp
      assert.deepStrictEqual((yield* get("/v1/deposits?after=0")).body, { deposits: [], next_after: 0 })
      yield* arrive("0xa", 1n, 100)
      assert.deepStrictEqual((yield* get("/v1/deposits?after=1")).body, { deposits: [], next_after: 1 })
      state.networks.set("ethereum", {
        cursor: { number: 104, hash: "tip", parentHash: "before", time: 0 },
        blocks: [],
        latest: 104,
        problem: null,
        notice: null,
        nodes: [],
        updatedAt: 0
      })
      const { body } = yield* get("/v1/deposits")
      assert.strictEqual(body.next_after, 1)
      assert.deepInclude(body.deposits[0], {
        network: "ethereum",
        reference: "customer-1",
        amount: { amount: "0.000000000000000001", currency: "ETH" },
        amount_units: "1",
        tx_hash: "0xa",
        transfer_index: 0,
        legacy_key: "ethereum:0xa:0",
        block_number: 100,
        confirmations: 5,
        required_confirmations: 12,
        status: "DETECTED",
        historical: false,
        confirmed_at: null,
        change_seq: 1
      })
      state.networks.delete("ethereum")
      assert.strictEqual((yield* get("/v1/deposits")).body.deposits[0].confirmations, 1)
      yield* confirm("0xb", 2_500_000_000_000_000_000n, 101)
      const later = yield* get("/v1/deposits?after=1")
      assert.deepStrictEqual(
        later.body.deposits.map((row: { readonly change_seq: number; readonly status: string }) => [
          row.change_seq,
          row.status
        ]),
        [[3, "CONFIRMED"]]
      )
      assert.strictEqual(later.body.next_after, 3)
      assert.deepStrictEqual((yield* get("/v1/deposits?reference=nobody")).body, { deposits: [], next_after: 0 })
      for (const [query, code] of [
        ["after=-1", "invalid_request"],
        ["limit=501", "limit_out_of_range"],
        ["after=1e3", "invalid_request"]
      ] as const) {
        assert.deepStrictEqual(codeOf(yield* get(`/v1/deposits?${query}`)), [422, code], query)
      }
    })
  )

  it.effect("tell every outcome once, in order", () =>
    Effect.gen(function* () {
      const { confirm, get } = yield* setUp
      yield* confirm("0xa", 3n, 100)
      const { body } = yield* get("/v1/events")
      assert.deepStrictEqual(
        body.events.map(({ id, kind }: { readonly id: number; readonly kind: string }) => [id, kind]),
        [
          [1, "deposit.detected"],
          [2, "deposit.confirmed"],
          [3, "deposit.settled"]
        ]
      )
      assert.strictEqual(body.next_after, 3)
      assert.strictEqual(body.events[0].data.amount, "0.000000000000000003")
      assert.deepStrictEqual((yield* get("/v1/events?after=1&limit=1")).body.events, [body.events[1]])
      assert.deepStrictEqual((yield* get("/v1/events?after=3")).body, { events: [], next_after: null })
      assert.deepStrictEqual(codeOf(yield* get("/v1/events?limit=501")), [422, "limit_out_of_range"])
    })
  )

  it.effect("tell of a deposit in the fields of the contract and no other, when it is credited too", () =>
    Effect.gen(function* () {
      const { confirm, get } = yield* setUp
      yield* confirm("0xa", 3n, 100)
      const { body } = yield* get("/v1/events")
      const identity = "deposit_id,network,address,reference,currency,amount,amount_units,tx_hash,transfer_index"
      const progress = "block_number,confirmations,required_confirmations,status,historical,change_seq"
      assert.lengthOf(body.events, 3)
      for (const { data, kind } of body.events)
        assert.strictEqual(
          Object.keys(data).toSorted().join(","),
          `${identity},${progress}`.split(",").toSorted().join(","),
          kind
        )
    })
  )

  it.effect("show the balance of every currency, below zero too", () =>
    Effect.gen(function* () {
      const { adjust, confirm, get, seeder, tenant } = yield* setUp
      assert.deepStrictEqual((yield* get("/v1/float")).body, { currencies: [] })
      yield* adjust(12_50n, "EUR")
      const { blockHash, deposit } = yield* confirm("0xa", 10n ** 18n, 100)
      yield* adjust(-(10n ** 17n), "ETH", "chain:ethereum:tenant")
      const zero = (currency: string) => ({ amount: "0", currency })
      const whole = (amount: string, currency: string) => ({
        available: { amount, currency },
        held: zero(currency),
        total: { amount, currency }
      })
      assert.deepStrictEqual((yield* get("/v1/float")).body, {
        currencies: [whole("0.9", "ETH"), whole("12.5", "EUR")]
      })
      yield* seeder.submit(tenant, reorgDeposits([{ deposit, blockHash }], defaultCurrencies))
      assert.deepStrictEqual((yield* get("/v1/float")).body.currencies[0], whole("-0.1", "ETH"))
    })
  )

  it.effect("state the movements of a currency with the running balance", () =>
    Effect.gen(function* () {
      const { adjust, get } = yield* setUp
      const first = yield* adjust(10_00n, "EUR")
      yield* adjust(-2_50n, "EUR")
      yield* adjust(5n, "USD")
      const { body } = yield* get("/v1/float/statement?currency=EUR")
      const eur = (amount: string) => ({ amount, currency: "EUR" })
      assert.deepInclude(body, {
        currency: "EUR",
        opening_balance: eur("0"),
        closing_balance: eur("7.5"),
        truncated: false
      })
      assert.deepStrictEqual(
        body.movements.map(({ amount, balance, description, kind }: { readonly [key: string]: unknown }) => [
          amount,
          balance,
          description,
          kind
        ]),
        [
          [eur("10"), eur("10"), "Adjustment", "ADJUSTMENT"],
          [eur("-2.5"), eur("7.5"), "Adjustment", "ADJUSTMENT"]
        ]
      )
      assert.strictEqual(body.movements[0].operation_id, first.id)
      const short = yield* get("/v1/float/statement?currency=EUR&limit=1")
      assert.deepInclude(short.body, { closing_balance: eur("10"), truncated: true })
      const since = new Date(first.createdAt).toISOString()
      assert.strictEqual((yield* get(`/v1/float/statement?currency=EUR&until=${since}`)).body.movements.length, 0)
      assert.strictEqual((yield* get(`/v1/float/statement?currency=EUR&since=${since}`)).body.movements.length, 2)
      for (const [query, code] of [
        ["currency=DOGE", "unsupported_asset"],
        ["", "invalid_request"],
        ["currency=EUR&since=2026-02-30T00:00:00Z", "invalid_request"],
        ["currency=EUR&limit=0", "limit_out_of_range"]
      ] as const) {
        assert.deepStrictEqual(codeOf(yield* get(`/v1/float/statement?${query}`)), [422, code], query)
      }
    })
  )

  it.effect("list all operations newest first, by pages whose cursor is good for nothing else", () =>
    Effect.gen(function* () {
      const { adjust, confirm, get, seeder, send } = yield* setUp
      for (let index = 1; index <= 5; index++) yield* adjust(BigInt(index), "EUR")
      yield* confirm("0xa", 7n, 100)
      const all = yield* get("/v1/register")
      assert.strictEqual(all.body.entries.length, 6)
      assert.isNull(all.body.next_cursor)
      assert.deepInclude(all.body.entries[0], {
        kind: "DEPOSIT",
        status: "SETTLED",
        amount: { amount: "0.000000000000000007", currency: "ETH" },
        customer_fee: { amount: "0", currency: "ETH" },
        acts_for: "TENANT",
        partner_reference: "customer-1",
        tx_hash: "0xa",
        unresolved: false
      })
      const seen: Array<string> = []
      let path = "/v1/register?kind=ADJUSTMENT&limit=2"
      for (;;) {
        const { body } = yield* get(path)
        seen.push(...body.entries.map(({ amount }: { readonly amount: { readonly amount: string } }) => amount.amount))
        if (body.next_cursor === null) break
        path = `/v1/register?kind=ADJUSTMENT&limit=3&cursor=${body.next_cursor}`
      }
      // Operations of one millisecond have no order among themselves, but a fixed one.
      assert.deepStrictEqual(seen.toSorted(), ["0.01", "0.02", "0.03", "0.04", "0.05"])
      const {
        body: { next_cursor: cursor }
      } = yield* get("/v1/register?kind=ADJUSTMENT&limit=2")
      const refused = [
        "kind=DEPOSIT&",
        "",
        "kind=ADJUSTMENT&currency=EUR&",
        "kind=ADJUSTMENT&since=2020-01-01T00:00:00Z&"
      ]
      for (const filters of refused) {
        assert.deepStrictEqual(
          codeOf(yield* get(`/v1/register?${filters}cursor=${cursor}`)),
          [422, "invalid_cursor"],
          filters
        )
      }
      const otherPartner = yield* seeder.key(yield* seeder.tenant())
      const foreign = yield* send("GET", `/v1/register?kind=ADJUSTMENT&cursor=${cursor}`, { key: otherPartner })
      assert.deepStrictEqual(codeOf(foreign), [422, "invalid_cursor"])
      for (const [query, code] of [
        ["cursor=garbage", "invalid_cursor"],
        ["kind=GIFT", "unknown_kind"],
        ["status=settled", "unknown_status"],
        ["currency=DOGE", "unsupported_asset"],
        ["acts_for=NOBODY", "invalid_request"],
        ["customer_id=1", "invalid_request"],
        ["limit=201", "limit_out_of_range"]
      ] as const) {
        assert.deepStrictEqual(codeOf(yield* get(`/v1/register?${query}`)), [422, code], query)
      }
    })
  )

  it.effect("state more movements of one millisecond than a page holds, page by page, each once", () =>
    Effect.gen(function* () {
      const { adjust, get, key, send, state, tenant } = yield* setUp
      yield* Effect.forEach(Array.from({ length: 24 }), () => adjust(1_00n, "EUR"), { concurrency: "unbounded" })
      // as if all had been posted at once
      const legs = state.tenants.get(tenant)?.legs ?? []
      const at = Math.max(...legs.map(({ postedAt }) => postedAt))
      for (const leg of legs) if (leg.currency === "EUR") Object.assign(leg, { postedAt: at })
      const seen: Array<string> = []
      const moments = new Set<string>()
      let since = ""
      for (;;) {
        const { body } = yield* send("GET", `/v1/float/statement?currency=EUR&limit=10${since}`, { key })
        const rows = since === "" ? body.movements : body.movements.slice(1)
        for (const row of rows) {
          seen.push(row.balance.amount)
          moments.add(row.posted_at)
        }
        if (!body.truncated) break
        since = `&since=${body.movements.at(-1).posted_at}`
      }
      assert.deepStrictEqual(
        seen,
        Array.from({ length: 24 }, (_, index) => String(index + 1))
      )
      assert.strictEqual(moments.size, 24)
      assert.strictEqual((yield* get("/v1/float/statement?currency=EUR")).body.movements.length, 24)
    })
  )

  it.effect("refuse a place to go on from that they never gave, and end where they end", () =>
    Effect.gen(function* () {
      const { get, seeder, send } = yield* setUp
      const { body: addresses } = yield* get("/v1/deposit-addresses")
      const last = addresses.addresses.at(-1).id
      assert.deepStrictEqual((yield* get(`/v1/deposit-addresses?after=${last}`)).body, {
        addresses: [],
        next_after: null
      })
      const unknown = `/v1/deposit-addresses?after=${crypto.randomUUID()}`
      assert.deepStrictEqual(codeOf(yield* get(unknown)), [422, "invalid_cursor"])
      const otherPartner = yield* seeder.key(yield* seeder.tenant())
      const foreign = yield* send("GET", `/v1/deposit-addresses?after=${last}`, { key: otherPartner })
      assert.deepStrictEqual(codeOf(foreign), [422, "invalid_cursor"])
      const end = (yield* get("/v1/events?limit=500")).body.events.at(-1)?.id ?? 0
      assert.deepStrictEqual((yield* get(`/v1/events?after=${end}`)).body, { events: [], next_after: null })
      assert.deepStrictEqual(codeOf(yield* get(`/v1/events?after=${end + 1}`)), [422, "invalid_cursor"])
      assert.deepStrictEqual((yield* get("/v1/deposits?after=0")).body.deposits, [])
      assert.deepStrictEqual(codeOf(yield* get("/v1/deposits?after=7")), [422, "invalid_cursor"])
    })
  )

  it.effect("sum up by kind, currency and status, and lay the legs of one operation open", () =>
    Effect.gen(function* () {
      const { adjust, get } = yield* setUp
      yield* adjust(10_00n, "EUR")
      const operation = yield* adjust(2_50n, "EUR")
      const summary = yield* get("/v1/register/summary")
      const eur = (amount: string) => ({ amount, currency: "EUR" })
      assert.deepStrictEqual(summary.body, {
        since: null,
        until: null,
        totals: [
          {
            kind: "ADJUSTMENT",
            currency: "EUR",
            status: "SETTLED",
            count: 2,
            amount: eur("12.5"),
            customer_fee: eur("0")
          }
        ]
      })
      for (const [query, status] of [
        ["since=0000-01-01T00:00:00Z&until=9999-12-31T23:59:59.9999999Z", 200],
        ["since=0000-01-01T00:00:00%2B01:00", 422],
        ["until=9999-12-31T23:59:59-01:00", 422]
      ] as const) {
        const at = yield* get(`/v1/register/summary?${query}`)
        assert.strictEqual(at.status, status, at.text)
        if (status === 200) assert.strictEqual(at.body.until, "9999-12-31T23:59:59.999Z")
      }
      const bounded = yield* get("/v1/register/summary?since=2020-01-01T00:00:00Z&until=2020-01-02T01:00:00%2B01:00")
      assert.deepStrictEqual(bounded.body, {
        since: "2020-01-01T00:00:00.000Z",
        until: "2020-01-02T00:00:00.000Z",
        totals: []
      })
      const { body } = yield* get(`/v1/register/${operation.id}/movements`)
      assert.deepInclude(body, { operation_id: operation.id, kind: "ADJUSTMENT", status: "SETTLED" })
      assert.deepStrictEqual(
        body.legs.map(({ account, amount, direction, what }: { readonly [key: string]: unknown }) => [
          account,
          direction,
          amount,
          what
        ]),
        [
          ["custodian", "DEBIT", eur("2.5"), "adjustment"],
          ["float:available", "CREDIT", eur("2.5"), "adjustment"]
        ]
      )
      assert.deepStrictEqual(codeOf(yield* get(`/v1/register/${anId}/movements`)), [404, "not_found"])
    })
  )

  it.effect("say what custody costs by currency, and that nothing can be told where nothing was swept", () =>
    Effect.gen(function* () {
      const { seeder, send, tenant } = yield* setUp
      const path = "/v1/custody/intake-cost"
      const scoped = yield* seeder.key(tenant, ["transfers:read"])
      const ask = (query = "") => send("GET", `${path}${query}`, { key: scoped })
      const other = yield* seeder.key(tenant, ["register:read"])
      assert.deepStrictEqual(codeOf(yield* send("GET", path, { key: other })), [403, "scope_missing"])
      const { body: empty } = yield* ask()
      assert.deepInclude(empty, { measurable: false, currencies: [] })
      assert.isString(empty.reason)
      yield* seeder.submit(tenant, {
        name: "Measured",
        reads: [],
        decide: (view) =>
          Result.succeed({
            changes: [
              putRecord(IntakeCost, {
                currency: "USDT_TRON",
                native: "TRX",
                count: 3,
                feeUnits: 12_345_678n,
                usdCents: 370n,
                since: view.now - 1_000,
                until: view.now - 500
              }),
              putRecord(IntakeCost, {
                currency: "ETH",
                native: "ETH",
                count: 1,
                feeUnits: 42n,
                usdCents: null,
                since: view.now,
                until: view.now
              })
            ],
            reply: null
          })
      })
      const { body } = yield* ask()
      assert.deepInclude(body, { measurable: true, reason: null })
      assert.deepStrictEqual(
        body.currencies.map(({ count, currency, network_fees }: Record<string, unknown>) => ({
          count,
          currency,
          network_fees
        })),
        [
          { count: 1, currency: "ETH", network_fees: [{ currency: "ETH", amount: "0.000000000000000042", usd: null }] },
          { count: 3, currency: "USDT_TRON", network_fees: [{ currency: "TRX", amount: "12.345678", usd: "3.70" }] }
        ]
      )
      assert.lengthOf((yield* ask("?limit=1")).body.currencies, 1)
      assert.deepStrictEqual(codeOf(yield* ask("?limit=201")), [422, "limit_out_of_range"])
    })
  )
})
