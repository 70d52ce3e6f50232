import { once } from "node:events"
import { connect } from "node:net"
import { of } from "@bursar/core/money/Amount"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { FiatProvider } from "@bursar/core/port/FiatProvider"
import { IdentityProvider } from "@bursar/core/port/IdentityProvider"
import { addFeeRule } from "@bursar/core/pricing/feeRuleCommands"
import type { State } from "@bursar/memory"
import { type FiatScript, makeFakeFiat, fakeSecret, fakeSender } from "@bursar/testkit/fixtures/FakeFiat"
import { approved, makeFakeIdentity } from "@bursar/testkit/fixtures/FakeIdentity"
import { Prices } from "@bursar/core/port/Prices"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { workFiat } from "@bursar/worker/fiat/workFiat"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { type Answer, Partner, portsOver, settings } from "./support/Partner.ts"

const course: { current: FiatScript["course"] } = { current: ["PROCESSING", "SETTLED"] }

/** What the provider tells of amounts, where an order is not carried out as it was given. */
const amounts: { current: FiatScript["amounts"] } = { current: undefined }

const fiat = makeFakeFiat(() => ({
  order: "told",
  unreadable: 0,
  course: course.current,
  ...(amounts.current !== undefined && { amounts: amounts.current })
}))

const identity = makeFakeIdentity()

/** A dollar for everything, and half a euro for a dollar; no other rate is known. */
const prices = Layer.succeed(
  Prices,
  Prices.of({
    usd: () =>
      Effect.map(Clock.currentTimeMillis, (observedAt) => ({
        price: { units: 1n, decimals: 0 },
        source: "test",
        observedAt
      })),
    rate: (from, to) =>
      Effect.map(Clock.currentTimeMillis, (observedAt) =>
        from === "USDC_BASE" && to === "EUR" ? { price: { units: 5n, decimals: 1 }, source: "test", observedAt } : null
      )
  })
)

const providers = Layer.mergeAll(
  Layer.succeed(FiatProvider, fiat.provider),
  Layer.succeed(IdentityProvider, identity.provider),
  prices
)

/** The service with both providers, and the worker that drives them. */
const ports = (state: State) => {
  const all = portsOver(state)
  const limits = { idleMs: 20, itemsMax: 100, concurrency: 4 }
  const work = { currencies: settings.currencies, fiats: [fiat.provider], identities: [identity.provider], limits }
  const worker = Layer.effectDiscard(Effect.forkScoped(workFiat(work)))
  return Layer.merge(worker, providers).pipe(Layer.provideMerge(all))
}

const person = {
  first_name: "Ottoline",
  last_name: "Quillfeather",
  date_of_birth: "1987-03-29",
  document_kind: "PASSPORT",
  document_number: "X9920417Z",
  document_country: "PT",
  residence_street: "Rua do Segredo 7",
  email: "q.uill@example.com",
  phone: "+351210000077"
}

const secrets = ["Ottoline", "Quillfeather", "1987-03-29", "X9920417Z", "Segredo", "q.uill", "351210000077"]

/** A tenant with 1,000 EUR, 1,000 USDC and a fee of one percent. */
const begin = Effect.gen(function* () {
  const { seeder, send } = yield* Partner
  const id = yield* seeder.tenant()
  const key = yield* seeder.key(id)
  yield* seeder.submit(id, adjustFloat({ amount: of(100_000n, "EUR"), against: "bank", reason: "t" }))
  yield* seeder.submit(id, adjustFloat({ amount: of(1_000_000_000n, "USDC_BASE"), against: "bank", reason: "t" }))
  yield* seeder.submit(
    id,
    addFeeRule({
      product: null,
      currency: null,
      rail: null,
      percent: { units: 1n, decimals: 0 },
      minimumFee: { units: 0n, decimals: 0 },
      priority: 1,
      effectiveFrom: null
    })
  )
  let made = 0
  const post = (path: string, body?: unknown, as: string = `k-${(made += 1)}`) =>
    send("POST", path, { key, ...(body === undefined ? {} : { body }), headers: { "idempotency-key": as } })
  const get = (path: string) => send("GET", path, { key })
  return { id, key, post, get }
})

type Seeder = Effect.Success<typeof begin>

/** Asks until the answer is as it should be; the worker is at it. */
const until = Effect.fnUntraced(function* (get: Seeder["get"], path: string, isSo: (body: Answer["body"]) => boolean) {
  for (let left = 400; left > 0; left -= 1) {
    const { body } = yield* get(path)
    if (isSo(body)) return body
    yield* Effect.sleep("25 millis")
  }
  return assert.fail(`${path} never came to be as it should`)
})

/** A customer who is verified and registered with the payout provider. */
const verified = Effect.fnUntraced(function* ({ get, post }: Seeder) {
  const { body: customer } = yield* post("/v1/customers", { external_id: crypto.randomUUID(), country: "PRT" })
  identity.states.set(customer.id, approved(Date.now()))
  yield* post(`/v1/customers/${customer.id}/verification`)
  yield* until(get, `/v1/customers/${customer.id}/verification`, ({ status }) => status === "APPROVED")
  yield* post(`/v1/customers/${customer.id}/provider-registration`, person)
  return customer.id as string
})

/** An account that the provider has opened. */
const opened = Effect.fnUntraced(function* (seeder: Seeder, customerId: string, iban: string) {
  const { body: account } = yield* seeder.post("/v1/accounts", { customer_id: customerId, currency: "EUR" })
  // it is read under the provider's id once that is stored
  yield* until(seeder.get, `/v1/accounts/${account.id}`, () => fiat.accounts.has(account.id))
  const state = fiat.accounts.get(account.id) ?? assert.fail("it was not opened")
  fiat.accounts.set(account.id, { ...state, status: "ACTIVE", holderName: "Ana Silva", iban })
  yield* hint("account", state.providerAccountId)
  yield* until(seeder.get, `/v1/accounts/${account.id}`, ({ status }) => status === "ACTIVE")
  return account.id as string
})

const hint = (
  what: string,
  about: string,
  headers: Readonly<Record<string, string>> = { "x-fake-secret": fakeSecret }
) =>
  Effect.flatMap(Partner, ({ send }) => send("POST", "/providers/fake/webhook", { raw: `${what} ${about}`, headers }))

/** How much is stored of a tenant, but for the answers to requests. */
const stored = (state: State, tenantId: TenantId) => {
  const { events, head, legs, records } = state.tenants.get(tenantId) ?? assert.fail("no such tenant")
  const counts = [...records].flatMap(([kind, all]) => (kind === "IdempotencyRecord" ? [] : [[kind, all.size]]))
  return [head.changeSeq, head.eventId, head.postingSeq, events.length, legs.length, counts]
}

const money = (amount: string, currency = "EUR") => ({ amount, currency })

const ana = { beneficiary_name: "Ana Silva", beneficiary_account: "PT50 0002 0123 1234 5678 9015 4" }

layer(Partner.layer({}, ports), { excludeTestServices: true })("customers, accounts and transfers", (it) => {
  it.effect("go from a person to a check, to an account, to money in and out", () =>
    Effect.gen(function* () {
      const seeder = yield* begin
      const { get, post } = seeder
      const made = yield* post("/v1/customers", { external_id: "user-88", country: "prt", display_name: "A." })
      assert.strictEqual(made.status, 201)
      const { id } = made.body
      assert.deepStrictEqual(made.body, { id, external_id: "user-88", is_business: false, country: "PT" })
      const twice = yield* post("/v1/customers", { external_id: "user-88" })
      assert.deepStrictEqual([twice.status, twice.body.error.code], [409, "external_id_taken"])

      const check = `/v1/customers/${id}/verification`
      assert.deepStrictEqual((yield* get(check)).body, {
        status: "NOT_STARTED",
        capabilities: [],
        expires_at: null,
        environment: null
      })
      const early = yield* post(`/v1/customers/${id}/provider-registration`, person)
      assert.deepStrictEqual([early.status, early.body.error.code], [422, "customer_not_verified"])
      const started = yield* post(check)
      assert.deepStrictEqual(
        [started.status, started.body.status, started.body.newly_created, started.body.verification_url],
        [201, "PENDING", true, `https://verify.test/app-${id}`]
      )
      assert.isFalse((yield* post(check)).body.newly_created)
      identity.states.set(id, approved(Date.now()))
      yield* Effect.flatMap(Partner, ({ send }) =>
        send("POST", "/providers/fake-identity/webhook", { raw: `app-${id}`, headers: { "x-fake-secret": fakeSecret } })
      )
      const approval = yield* until(get, check, ({ status }) => status === "APPROVED")
      assert.deepStrictEqual(approval.capabilities, ["fiat_accounts", "payouts", "swaps"])

      const registered = yield* post(`/v1/customers/${id}/provider-registration`, person)
      assert.strictEqual(registered.status, 201)
      assert.deepStrictEqual(registered.body, {
        customer_id: id,
        provider: "fake",
        provider_customer_id: `cus-${id}`,
        newly_registered: true
      })
      const repeated = yield* post(`/v1/customers/${id}/provider-registration`, person)
      assert.deepStrictEqual(repeated.body, { ...registered.body, newly_registered: false })

      const iban = "DE89370400440532013000"
      const account = yield* opened(seeder, id, iban)
      assert.strictEqual((yield* get(`/v1/accounts/${account}`)).body.iban, iban)
      fiat.arrivals.push({
        id: "pay-1",
        providerAccountId: `acc-${account}`,
        amount: of(2_500n, "EUR"),
        description: "rent of May",
        arrivedAt: Date.now()
      })
      yield* hint("account", `acc-${account}`)
      yield* until(get, `/v1/accounts/${account}/entries`, (lines) => lines.length === 1)
      const inside = yield* post("/v1/transfers", {
        kind: "INTERNAL_TRANSFER",
        amount: money("10"),
        beneficiary_name: "Ana",
        beneficiary_account: "de89 3704 0044 0532 0130 00",
        partner_reference: "top-up"
      })
      assert.deepStrictEqual(
        [inside.status, inside.body.status, inside.body.amount_received],
        [201, "SETTLED", money("10")]
      )
      const { body: lines } = yield* get(`/v1/accounts/${account}/entries`)
      assert.deepStrictEqual(
        lines.map((line: { posted_at: string }) => ({ ...line, posted_at: "" })),
        [
          { id: 2, direction: "CREDIT", amount: money("10"), description: "INTERNAL_TRANSFER top-up", posted_at: "" },
          { id: 1, direction: "CREDIT", amount: money("25"), description: "rent of May", posted_at: "" }
        ]
      )

      const out = yield* post(
        "/v1/transfers",
        {
          ...ana,
          kind: "BANK_TRANSFER",
          amount: money("100"),
          customer_id: id,
          acts_for: "CUSTOMER",
          partner_reference: "salary"
        },
        "out"
      )
      assert.deepStrictEqual([out.status, out.body.customer_fee], [201, money("1")])
      const settled = yield* until(get, `/v1/transfers/${out.body.id}`, ({ status }) => status === "SETTLED")
      assert.strictEqual(settled.provider_reference, `t-${out.body.id}`)
      assert.strictEqual(fiat.orders.get(out.body.id)?.providerCustomerId, `cus-${id}`)
      assert.strictEqual(fiat.orders.get(out.body.id)?.payee?.iban, "PT50000201231234567890154")
      const back = yield* post("/v1/transfers", { ...ana, kind: "ON_RAMP", amount: money("50") })
      assert.deepStrictEqual([back.status, back.body.status], [201, "AWAITING_FUNDS"])
      yield* until(get, `/v1/transfers/${back.body.id}`, ({ status }) => status === "SETTLED")

      const { body: float } = yield* get("/v1/float")
      const euro = float.currencies.find((one: { total: { currency: string } }) => one.total.currency === "EUR")
      assert.deepStrictEqual(euro, { available: money("938.5"), held: money("0"), total: money("938.5") })
      const { body: events } = yield* get("/v1/events")
      assert.deepStrictEqual(
        events.events.map(({ kind, resource_id }: { kind: string; resource_id: string }) => [kind, resource_id]),
        [
          ["transfer.settled", inside.body.id],
          ["payout.settled", out.body.id],
          ["transfer.settled", back.body.id]
        ]
      )
      const { body: byKey } = yield* get("/v1/operations/by-key/out")
      assert.deepStrictEqual([byKey.state, byKey.response_status, byKey.operation], ["COMPLETED", 201, settled])
      const { body: rows } = yield* get(`/v1/register?customer_id=${id}&acts_for=CUSTOMER&kind=BANK_TRANSFER`)
      assert.deepStrictEqual(
        rows.entries.map((row: { id: string; customer_id: string }) => [row.id, row.customer_id]),
        [[out.body.id, id]]
      )
    })
  )

  it.effect("list transfers by reference, status and age, and no other operation", () =>
    Effect.gen(function* () {
      const { get, post } = yield* begin
      const request = { ...ana, kind: "BANK_TRANSFER", amount: money("1") }
      const first = yield* post("/v1/transfers", { ...request, partner_reference: "a" })
      yield* Effect.sleep("5 millis")
      const second = yield* post("/v1/transfers", { ...request, partner_reference: "b" })
      yield* until(get, "/v1/transfers?status=SETTLED", (all) => all.length === 2)
      const ids = (query: string) =>
        Effect.map(get(`/v1/transfers${query}`), ({ body }) => body.map(({ id }: { id: string }) => id))
      const [a, b] = [first.body.id, second.body.id]
      assert.deepStrictEqual(yield* ids(""), [b, a])
      assert.deepStrictEqual(yield* ids("?limit=1"), [b])
      assert.deepStrictEqual(yield* ids("?partner_reference=a"), [a])
      assert.deepStrictEqual(yield* ids("?partner_reference=c"), [])
      assert.deepStrictEqual(yield* ids(`?created_after=${first.body.created_at}`), [b])
      assert.deepStrictEqual(yield* ids("?status=FAILED"), [])
      const unknown = yield* get("/v1/transfers?status=GONE")
      assert.deepStrictEqual([unknown.status, unknown.body.error.code], [422, "unknown_status"])
      const { body: register } = yield* get("/v1/register")
      const adjustment = register.entries.find((row: { kind: string }) => row.kind === "ADJUSTMENT")
      assert.strictEqual((yield* get(`/v1/transfers/${adjustment.id}`)).status, 404)
    })
  )

  it.effect("are known by their ids in capitals, in paths, queries and bodies", () =>
    Effect.gen(function* () {
      const seeder = yield* begin
      const { get, post } = seeder
      const customer = yield* verified(seeder)
      const capitals = (id: string) => id.toUpperCase()
      const check = yield* get(`/v1/customers/${capitals(customer)}/verification`)
      assert.deepStrictEqual([check.status, check.body.status], [200, "APPROVED"])
      const wanted = (customer_id: string) => post("/v1/accounts", { customer_id, currency: "EUR" }, "two-spellings")
      const account = yield* wanted(capitals(customer))
      assert.strictEqual(account.status, 201, account.text)
      const again = yield* wanted(customer)
      assert.deepStrictEqual([again.body, again.headers["idempotency-replayed"]], [account.body, "true"])
      assert.strictEqual((yield* get(`/v1/accounts/${capitals(account.body.id)}`)).body.id, account.body.id)
      const { body: quote } = yield* post("/v1/quotes", { product: "BANK_TRANSFER", amount: money("10") })
      const transfer = yield* post("/v1/transfers", {
        ...ana,
        kind: "BANK_TRANSFER",
        amount: money("10"),
        quote_id: capitals(quote.id),
        customer_id: capitals(customer),
        acts_for: "CUSTOMER"
      })
      assert.deepStrictEqual([transfer.status, transfer.body.quote_id], [201, quote.id], transfer.text)
      assert.strictEqual((yield* get(`/v1/transfers/${capitals(transfer.body.id)}`)).body.id, transfer.body.id)
      const { body: rows } = yield* get(`/v1/register?customer_id=${capitals(customer)}`)
      assert.deepStrictEqual(
        rows.entries.map(({ customer_id, id }: { id: string; customer_id: string }) => [id, customer_id]),
        [[transfer.body.id, customer]]
      )
      yield* until(get, `/v1/transfers/${transfer.body.id}`, ({ status }) => status === "SETTLED")
    })
  )

  it.effect("charge a quote once, and pay out what it promised", () =>
    Effect.gen(function* () {
      const { get, post } = yield* begin
      const amount = money("100", "USDC_BASE")
      const quote = yield* post("/v1/quotes", { product: "OFF_RAMP", amount, to_currency: "EUR", rail: "sepa" })
      assert.deepStrictEqual(
        [quote.status, quote.body.amount_received, quote.body.provider],
        [200, money("50"), "fake"]
      )
      const request = { ...ana, kind: "OFF_RAMP", amount, quote_id: quote.body.id }
      const made = yield* post("/v1/transfers", request)
      assert.deepStrictEqual(
        [made.status, made.body.quote_id, made.body.amount_received, made.body.customer_fee],
        [201, quote.body.id, money("50"), money("1", "USDC_BASE")]
      )
      const again = yield* post("/v1/transfers", request)
      assert.deepStrictEqual([again.status, again.body.error.code], [409, "quote_already_used"])
      const other = yield* post("/v1/quotes", { product: "ON_RAMP", amount: money("10"), to_currency: "GBP" })
      assert.deepStrictEqual([other.status, other.body.error.code], [422, "pair_unavailable"])
      const crypto = yield* post("/v1/quotes", { product: "OFF_RAMP", amount })
      assert.deepStrictEqual([crypto.status, crypto.body.error.code], [422, "unsupported_asset"])
      const byRail = yield* post("/v1/transfers", { ...ana, kind: "OFF_RAMP", amount, rail: "SEPA" })
      assert.deepStrictEqual([byRail.status, byRail.body.amount_received], [201, null])
      const paid = yield* until(get, `/v1/transfers/${byRail.body.id}`, ({ status }) => status === "SETTLED")
      assert.strictEqual(fiat.orders.get(byRail.body.id)?.toCurrency, "EUR")
      assert.strictEqual(paid.amount_received.currency, "EUR")
    })
  )

  it.effect("pay money back to the account that it came from, up to what came, and nowhere else", () =>
    Effect.gen(function* () {
      const { get, post } = yield* begin
      const other = yield* begin
      const { body: source } = yield* post("/v1/transfers", { ...ana, kind: "ON_RAMP", amount: money("50") })
      yield* until(get, `/v1/transfers/${source.id}`, ({ status }) => status === "SETTLED")
      const request = { kind: "REFUND", amount: money("30"), beneficiary_name: "Rui", beneficiary_account: source.id }
      const free = { ...ana, kind: "REFUND", amount: money("1") }
      for (const [code, answer] of [
        ["beneficiary_invalid", yield* post("/v1/transfers", free)],
        ["beneficiary_invalid", yield* post("/v1/transfers", { ...free, partner_reference: source.id })],
        ["beneficiary_invalid", yield* post("/v1/transfers", { ...request, beneficiary: { iban: "PT50" } })],
        ["beneficiary_invalid", yield* post("/v1/transfers", { ...request, rail: "FPS" })],
        ["beneficiary_invalid", yield* post("/v1/transfers", { ...request, beneficiary_name: "Rui\nCosta" })],
        ["beneficiary_invalid", yield* other.post("/v1/transfers", request)],
        ["insufficient_balance", yield* post("/v1/transfers", { ...request, amount: money("50.01") })]
      ] as const)
        assert.deepStrictEqual([answer.status, answer.body.error.code], [422, code])
      const first = yield* post("/v1/transfers", request)
      assert.deepStrictEqual([first.status, first.body.customer_fee], [201, money("0")])
      const second = yield* post("/v1/transfers", request)
      assert.deepStrictEqual(
        [second.body.error.code, second.body.error.detail],
        ["insufficient_balance", { brought: money("50"), refundable: money("20") }]
      )
      yield* until(get, `/v1/transfers/${first.body.id}`, ({ status }) => status === "SETTLED")
      assert.strictEqual(fiat.orders.get(first.body.id)?.payee?.iban, fakeSender.iban)
    })
  )

  it.effect("tell what came and what is left, not what was quoted or paid", () =>
    Effect.gen(function* () {
      const { get, post } = yield* begin
      const { body: quote } = yield* post("/v1/quotes", { product: "ON_RAMP", amount: money("10000") })
      amounts.current = ({ kind }, status) =>
        kind === "ON_RAMP" && status === "SETTLED" ? { received: of(150n, "EUR") } : {}
      const request = { ...ana, kind: "ON_RAMP", amount: money("10000"), quote_id: quote.id }
      const { body: poor } = yield* post("/v1/transfers", request)
      const came = yield* until(get, `/v1/transfers/${poor.id}`, ({ status }) => status === "SETTLED")
      assert.deepStrictEqual([came.amount_received, came.customer_fee], [money("1.5"), money("0.02")])
      const available = Effect.map(
        get("/v1/float"),
        ({ body }) =>
          body.currencies.find((one: { total: { currency: string } }) => one.total.currency === "EUR").available.amount
      )
      assert.strictEqual(yield* available, "1001.48")
      amounts.current = (_, status) => (status === "RETURNED" ? { returned: of(7_000n, "EUR") } : {})
      const { body: out } = yield* post("/v1/transfers", { ...ana, kind: "BANK_TRANSFER", amount: money("100") })
      yield* until(get, `/v1/transfers/${out.id}`, ({ status }) => status === "SETTLED")
      course.current = ["RETURNED"]
      yield* hint("transfer", out.id)
      const back = yield* until(get, `/v1/transfers/${out.id}`, ({ status }) => status === "RETURNED")
      assert.deepStrictEqual(back.amount_received, money("30"))
      assert.strictEqual(yield* available, "970.48")
      const { body: rows } = yield* get("/v1/register?kind=BANK_TRANSFER")
      assert.deepStrictEqual(rows.entries[0].to_amount, money("30"))
    }).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          amounts.current = undefined
          course.current = ["PROCESSING", "SETTLED"]
        })
      )
    )
  )

  it.effect("tell that nothing was received once they failed or all came back", () =>
    Effect.gen(function* () {
      const { get, post } = yield* begin
      for (const kind of ["BANK_TRANSFER", "ON_RAMP"])
        for (const end of ["FAILED", "RETURNED"] as const) {
          course.current = ["PROCESSING", end]
          const { body: made } = yield* post("/v1/transfers", { ...ana, kind, amount: money("150") })
          assert.deepStrictEqual(made.amount_received, money("150"), "promised")
          const over = yield* until(get, `/v1/transfers/${made.id}`, ({ status }) => status === end)
          assert.deepStrictEqual(over.amount_received, money("0"), `${kind} ${end}`)
          const { body: rows } = yield* get(`/v1/register?kind=${kind}&status=${end}`)
          assert.deepStrictEqual([rows.entries[0].id, rows.entries[0].to_amount], [made.id, null])
        }
    }).pipe(Effect.ensuring(Effect.sync(() => (course.current = ["PROCESSING", "SETTLED"]))))
  )

  it.effect("refuse what is wrong, with nothing written but the refusal", () =>
    Effect.gen(function* () {
      const { id: tenant, get, post } = yield* begin
      const { state } = yield* Partner
      const request = { ...ana, kind: "BANK_TRANSFER", amount: money("10") }
      const quoted = { product: "BANK_TRANSFER", amount: money("10") }
      const nobody = "019845e1-682f-7b02-a706-3b2422d13aec"
      const { body: plain } = yield* post("/v1/customers", { external_id: "plain" })
      const before = stored(state, tenant)
      const bad: ReadonlyArray<readonly [number, string, string, unknown]> = [
        [422, "unknown_kind", "/v1/transfers", { ...request, kind: "GIFT" }],
        [422, "unsupported_asset", "/v1/transfers", { ...request, amount: money("1", "DOGE") }],
        [422, "unsupported_asset", "/v1/transfers", { ...request, amount: money("1", "USDC_BASE") }],
        [422, "amount_invalid", "/v1/transfers", { ...request, amount: money("0") }],
        [422, "amount_too_precise", "/v1/transfers", { ...request, amount: money("0.001") }],
        [422, "insufficient_balance", "/v1/transfers", { ...request, amount: money("1000") }],
        [422, "beneficiary_invalid", "/v1/transfers", { ...request, beneficiary_account: "PT50000201231234567890155" }],
        [422, "beneficiary_invalid", "/v1/transfers", { ...request, rail: "PIGEON" }],
        [422, "beneficiary_invalid", "/v1/transfers", { ...request, kind: "ON_RAMP", beneficiary: { iban: null } }],
        ...(["ON_RAMP", "BANK_TRANSFER"] as const).flatMap((kind) =>
          ["UK", "EU"].flatMap((country): typeof bad => [
            [422, "beneficiary_invalid", "/v1/transfers", { ...request, kind, country, beneficiary_country: "PT" }],
            [422, "beneficiary_invalid", "/v1/quotes", { ...quoted, product: kind, country }]
          ])
        ),
        [422, "beneficiary_invalid", "/v1/transfers", { ...request, kind: "INTERNAL_TRANSFER" }],
        [422, "pair_unavailable", "/v1/transfers", { ...request, kind: "OFF_RAMP", amount: money("1", "USDC_BASE") }],
        [422, "invalid_request", "/v1/transfers", { ...request, acts_for: "CUSTOMER" }],
        [422, "customer_not_verified", "/v1/transfers", { ...request, acts_for: "CUSTOMER", customer_id: plain.id }],
        [404, "not_found", "/v1/transfers", { ...request, customer_id: nobody }],
        [404, "not_found", "/v1/transfers", { ...request, quote_id: nobody }],
        [422, "unknown_field", "/v1/transfers", { ...request, destination: "x" }],
        [422, "beneficiary_invalid", "/v1/quotes", { ...quoted, rail: "PIGEON" }],
        [422, "beneficiary_invalid", "/v1/quotes", { ...quoted, rail: "ACH" }],
        [422, "beneficiary_invalid", "/v1/quotes", { ...quoted, country: "ZZZ" }],
        [422, "unsupported_asset", "/v1/quotes", { ...quoted, amount: money("1", "USDC_BASE"), rail: "SEPA" }],
        [404, "not_found", "/v1/quotes", { ...quoted, customer_id: nobody }],
        [422, "customer_not_verified", "/v1/accounts", { customer_id: plain.id, currency: "EUR" }],
        [404, "not_found", "/v1/accounts", { customer_id: nobody, currency: "EUR" }],
        [422, "unsupported_asset", "/v1/accounts", { customer_id: plain.id, currency: "ETH" }],
        [422, "invalid_request", "/v1/customers", { external_id: "x", country: "Portugal" }],
        [422, "invalid_request", "/v1/customers", { external_id: "x", country: "ZZ" }],
        [404, "not_found", `/v1/customers/${nobody}/verification`, undefined],
        [404, "not_found", `/v1/customers/${nobody}/provider-registration`, person],
        [422, "customer_not_verified", `/v1/customers/${plain.id}/provider-registration`, person],
        [422, "invalid_request", `/v1/customers/${plain.id}/provider-registration`, { first_name: "Ottoline" }]
      ]
      for (const [status, code, path, body] of bad) {
        const answer = yield* post(path, body)
        assert.deepStrictEqual([answer.status, answer.body.error.code], [status, code], JSON.stringify(body))
      }
      const iban = yield* post(
        "/v1/transfers",
        { ...request, beneficiary_account: "PT50000201231234567890155" },
        "iban"
      )
      assert.strictEqual(iban.body.error.fields[0].path, "body.beneficiary_account")
      const wrong = yield* post("/v1/quotes", { ...quoted, rail: "PIGEON", country: "ZZZ" })
      assert.deepStrictEqual(
        wrong.body.error.fields.map(({ path }: { readonly path: string }) => path),
        ["body.rail", "body.country"]
      )
      assert.strictEqual(
        (yield* post(
          "/v1/transfers",
          { ...request, beneficiary_account: "PT50000201231234567890155" },
          "iban"
        )).text.replaceAll(/"request_id":"[^"]*"/gu, ""),
        iban.text.replaceAll(/"request_id":"[^"]*"/gu, ""),
        "a refusal is sticky, fields and all"
      )
      assert.deepStrictEqual(stored(state, tenant), before)
      for (const path of [
        `/v1/customers/${nobody}/verification`,
        `/v1/accounts/${nobody}`,
        `/v1/accounts/${nobody}/entries`
      ])
        assert.strictEqual((yield* get(path)).status, 404, path)
    })
  )

  it.effect("show nothing of another tenant's", () =>
    Effect.gen(function* () {
      const seeder = yield* begin
      const other = yield* begin
      const customer = yield* verified(seeder)
      const account = yield* opened(seeder, customer, "DE02120300000000202051")
      const { body: transfer } = yield* seeder.post("/v1/transfers", {
        ...ana,
        kind: "BANK_TRANSFER",
        amount: money("1")
      })
      for (const path of [
        `/v1/customers/${customer}/verification`,
        `/v1/accounts/${account}`,
        `/v1/accounts/${account}/entries`,
        `/v1/transfers/${transfer.id}`
      ])
        assert.strictEqual((yield* other.get(path)).status, 404, path)
      const inside = { beneficiary_name: "x", kind: "INTERNAL_TRANSFER", amount: money("1") }
      for (const beneficiary_account of [account, "DE02120300000000202051"]) {
        const answer = yield* other.post("/v1/transfers", { ...inside, beneficiary_account })
        assert.deepStrictEqual([answer.status, answer.body.error.code], [422, "beneficiary_invalid"])
      }
      assert.deepStrictEqual((yield* other.get("/v1/transfers")).body, [])
    })
  )

  it.effect("keep nothing of who a person is, in no record and no log", () =>
    Effect.gen(function* () {
      const seeder = yield* begin
      const customer = yield* verified(seeder)
      yield* seeder.post(`/v1/customers/${customer}/provider-registration`, { ...person, date_of_birth: 7 })
      yield* seeder.post(`/v1/customers/${customer}/provider-registration`, { ...person, shoe_size: "Quillfeather" })
      const { logged, state } = yield* Partner
      const records = JSON.stringify(state, (_, value: unknown) => {
        if (typeof value === "bigint") return value.toString()
        if (value instanceof Map) return [...value.entries()]
        return value instanceof Set ? [...value] : value
      })
      assert.include(records, `cus-${customer}`, "the state is what is looked through")
      assert.isTrue(
        logged.some((line) => line.includes("provider-registration")),
        "the log is"
      )
      for (const secret of secrets) {
        assert.notInclude(records, secret)
        assert.isFalse(
          logged.some((line) => line.includes(secret)),
          secret
        )
      }
    })
  )

  it.effect("take the webhooks of providers for hints alone, and none that no signature vouches for", () =>
    Effect.gen(function* () {
      const seeder = yield* begin
      const { send } = yield* Partner
      const { body: transfer } = yield* seeder.post("/v1/transfers", {
        ...ana,
        kind: "BANK_TRANSFER",
        amount: money("1")
      })
      yield* until(seeder.get, `/v1/transfers/${transfer.id}`, ({ status }) => status === "SETTLED")
      for (const [what, about] of [
        ["transfer", transfer.id],
        ["transfer", "no such transfer"],
        ["account", ""],
        ["nonsense", "%00"]
      ] as const) {
        const answer = yield* hint(what, about)
        assert.deepStrictEqual([answer.status, answer.body], [200, { received: true }])
      }
      course.current = ["RETURNED"]
      yield* hint("transfer", transfer.id)
      yield* hint("transfer", transfer.id)
      yield* until(seeder.get, `/v1/transfers/${transfer.id}`, ({ status }) => status === "RETURNED")
      course.current = ["PROCESSING", "SETTLED"]
      const bodies = new Set<string>()
      for (const headers of [{}, { "x-fake-secret": "wrong" }]) {
        const answer = yield* hint("transfer", transfer.id, headers)
        assert.strictEqual(answer.status, 401)
        bodies.add(answer.text.replace(/"request_id":"[^"]*"/u, ""))
      }
      assert.strictEqual(bodies.size, 1)
      assert.strictEqual((yield* send("GET", "/providers/fake/webhook")).status, 405)
      assert.strictEqual((yield* send("POST", "/providers/nobody/webhook", { raw: "x" })).status, 404)
      const large = Buffer.alloc(300_000, "x")
      assert.strictEqual((yield* send("POST", "/providers/fake/webhook", { raw: large })).status, 413)
      assert.strictEqual((yield* send("POST", "/providers/fake/webhook", { raw: large, chunked: true })).status, 413)
    })
  )

  it.effect("hold so many webhooks of one provider at once, and take those of another meanwhile", () =>
    Effect.gen(function* () {
      const { send, url } = yield* Partner
      const { port } = new URL(url)
      // Their bodies never come whole, and are larger than what a connection holds anyway.
      const slow = yield* Effect.forEach(Array.from({ length: 16 }), () =>
        Effect.acquireRelease(
          Effect.promise(async () => {
            const socket = connect({ port: Number(port), host: "127.0.0.1" })
            socket.on("error", () => {})
            await once(socket, "connect")
            socket.write(
              `POST /providers/fake/webhook HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-length: 100000\r\n\r\nx`
            )
            return socket
          }),
          (socket) => Effect.sync(() => socket.destroy())
        )
      )
      const statusOf = (name: string) =>
        Effect.map(send("POST", `/providers/${name}/webhook`, { raw: "x" }), ({ status }) => status)
      const becomes = Effect.fnUntraced(function* (status: number) {
        while ((yield* statusOf("fake")) !== status);
      })
      yield* becomes(503)
      assert.strictEqual(yield* statusOf("fake-identity"), 401)
      for (const socket of slow) socket.destroy()
      // Untrusted ones are told to wait after a while, which is an answer all the same.
      while ((yield* statusOf("fake")) === 503);
    })
  )

  it.effect("tell a key only of what it may read", () =>
    Effect.gen(function* () {
      const { id, get, post } = yield* begin
      const { seeder, send } = yield* Partner
      const { body: made } = yield* post("/v1/transfers", { ...ana, kind: "BANK_TRANSFER", amount: money("1") }, "one")
      yield* post("/v1/customers", { external_id: "two" }, "two")
      yield* post("/v1/transfers", { ...ana, kind: "BANK_TRANSFER", amount: money("0") }, "three")
      const blind = yield* seeder.key(id, ["events:read"])
      const seen = (key: string) => Effect.map(get(`/v1/operations/by-key/${key}`), ({ body }) => body)
      assert.strictEqual((yield* seen("one")).operation.id, made.id)
      const { body } = yield* send("GET", "/v1/operations/by-key/one", { key: blind })
      assert.deepStrictEqual([body.state, body.response_status, body.operation], ["COMPLETED", 201, null])
      const two = yield* seen("two")
      assert.deepStrictEqual([two.state, two.response_status, two.operation], ["COMPLETED", 201, null])
      const three = yield* seen("three")
      assert.deepStrictEqual([three.state, three.response_status, three.operation], ["REFUSED", 422, null])
    })
  )
})

layer(Partner.layer(), { excludeTestServices: true })("without providers", (it) => {
  it.effect("their products are not enabled, and nobody receives their webhooks", () =>
    Effect.gen(function* () {
      const { post } = yield* begin
      const { send } = yield* Partner
      const { body: customer } = yield* post("/v1/customers", { external_id: "x" })
      for (const [path, body] of [
        [`/v1/customers/${customer.id}/verification`, undefined],
        ["/v1/accounts", { customer_id: customer.id, currency: "EUR" }],
        ["/v1/transfers", { ...ana, kind: "BANK_TRANSFER", amount: money("1") }],
        ["/v1/quotes", { product: "BANK_TRANSFER", amount: money("1") }]
      ] as const) {
        const answer = yield* post(path, body)
        assert.deepStrictEqual([answer.status, answer.body.error.code], [403, "product_not_enabled"], path)
      }
      assert.strictEqual((yield* send("POST", "/providers/fake/webhook", { raw: "x" })).status, 404)
    })
  )
})
