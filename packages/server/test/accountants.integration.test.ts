import { createHash } from "node:crypto"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { ClosedPeriod } from "@bursar/core/period/ClosedPeriod"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { layerOver } from "@bursar/memory"
import { adjust } from "@bursar/testkit/fixtures/commands"
import { commitAt, newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Operator } from "./support/Operator.ts"
import type { Answer } from "./support/Partner.ts"

const august = Date.UTC(2025, 7, 10)
const september = Date.UTC(2025, 8, 10)
const october = Date.UTC(2025, 9, 10)

const test = <A, E>(name: string, effect: Effect.Effect<A, E, Operator>) =>
  it.live(name, () => Effect.provide(effect, Operator.layer))

const sha256 = (text: string): string => createHash("sha256").update(text, "latin1").digest("hex")

const setUp = Effect.gen(function* () {
  const { operate, state } = yield* Operator
  const tenant = yield* Effect.provide(newTenant({ slug: "acme", createdAt: august }), layerOver(state))
  const book = (at: number, units: ReadonlyArray<bigint>, id: TenantId = tenant.id, reason = "test") =>
    Effect.provide(commitAt(id, at, ...units.map((one) => adjust(one, "EUR", { reason }))), layerOver(state))
  const root = `/operator/v1/tenants/${tenant.id}`
  const get = (path: string) => operate("GET", path)
  const exported = (query: string) => get(`${root}/export?${query}`)
  const close = (period: string) => operate("POST", `${root}/periods/${period}/close`)
  const verify = (period: string) => get(`${root}/periods/${period}/verify`)
  const statement = (period: string, format = "csv") => get(`${root}/periods/${period}/statement?format=${format}`)
  return { tenant, state, operate, book, root, get, exported, close, verify, statement }
})

const postingsIn = (text: string): ReadonlyArray<number> =>
  [...text.matchAll(/^\{"posting":(\d+),/gmu)].map(([, number]) => Number(number))

const linesIn = ({ text }: Answer): ReadonlyArray<number> =>
  [...text.matchAll(/^line,(\d+),/gmu)].map(([, number]) => Number(number))

const refused = ({ body, status }: Answer) => [status, body?.error?.code]

describe("an export", () => {
  test(
    "has what was booked when it was asked for, and goes on from any posting to the very same file",
    Effect.gen(function* () {
      const { book, exported } = yield* setUp
      yield* book(august, [100n, 200n, 300n])
      const whole = yield* exported("format=hledger")
      assert.strictEqual(whole.status, 200)
      assert.strictEqual(whole.headers["x-export-through"], "3")
      assert.include(whole.text, 'float:available  -1.00 "EUR"')
      yield* book(september, [400n])
      const rest = yield* exported("format=hledger&through=3&after=1")
      assert.isTrue(whole.text.endsWith(rest.text))
      assert.notInclude(rest.text, "commodity")
      assert.strictEqual((yield* exported("format=hledger&through=3")).text, whole.text)
    })
  )

  test(
    "of a month or of days has their postings alone, between the balances before and after",
    Effect.gen(function* () {
      const { book, exported } = yield* setUp
      yield* book(august, [100n, 200n])
      yield* book(september, [300n])
      yield* book(october, [400n])
      assert.deepStrictEqual(postingsIn((yield* exported("format=jsonl&period=2025-09")).text), [3])
      const from = "from=2025-08-11T00:00:00Z&to=2025-10-01T00:00:00Z"
      const days = yield* exported(`format=jsonl&${from}`)
      assert.deepStrictEqual(postingsIn(days.text), [3])
      assert.include(days.text, '{"account":"float:available","currency":"EUR","balance":"3.00"}')
      assert.deepStrictEqual(postingsIn((yield* exported("format=jsonl&period=2025-11")).text), [])
    })
  )

  test(
    "of moments finer than a millisecond has nothing of before it begins, and all of before it ends",
    Effect.gen(function* () {
      const { book, exported } = yield* setUp
      yield* book(september, [100n])
      const finer = new Date(september).toISOString().replace("Z", "5Z")
      assert.deepStrictEqual(postingsIn((yield* exported(`format=jsonl&from=${finer}`)).text), [])
      assert.deepStrictEqual(postingsIn((yield* exported(`format=jsonl&to=${finer}`)).text), [1])
    })
  )

  test(
    "to a day that has not come has the balances as they are now, and none before it begins",
    Effect.gen(function* () {
      const { book, exported } = yield* setUp
      yield* book(august, [100n])
      const closingOf = ({ text }: Answer) => /^\d+,,([\d-]+),,,CLOSING,/mu.exec(text)?.[1]
      const before = new Date().toISOString().slice(0, 10)
      const days = [
        closingOf(yield* exported("format=csv&to=2099-01-01T00:00:00Z")),
        closingOf(yield* exported("format=csv&from=2025-08-01T00:00:00Z&to=2099-01-01T00:00:00Z"))
      ]
      const after = new Date().toISOString().slice(0, 10)
      for (const day of days) assert.oneOf(day, [before, after])
      assert.strictEqual(closingOf(yield* exported("format=csv&to=2025-09-01T00:00:00Z")), "2025-08-31")
      const future = yield* exported("format=csv&from=2098-01-01T00:00:00Z&to=2099-01-01T00:00:00Z")
      assert.strictEqual(closingOf(future), "2098-01-01")
      const nothing = yield* exported("format=csv&from=2025-09-01T00:00:00Z&to=2025-09-01T00:00:00Z")
      assert.strictEqual(closingOf(nothing), "2025-09-01")
    })
  )

  test(
    "is refused where it makes no sense",
    Effect.gen(function* () {
      const { book, exported } = yield* setUp
      yield* book(august, [100n, 200n])
      const bad = [
        "format=xls",
        "format=csv&period=2025-13",
        "format=csv&period=2025-08&from=2025-08-01T00:00:00Z",
        "format=csv&from=2025-09-01T00:00:00Z&to=2025-08-01T00:00:00Z",
        "format=csv&through=3",
        "format=csv&through=1&after=2",
        "format=camt053&after=1"
      ]
      for (const query of bad) assert.deepStrictEqual(refused(yield* exported(query)), [422, "invalid_request"], query)
    })
  )

  test(
    "as CAMT.053 is refused where nothing is owed in money that it knows, and is whole where something is",
    Effect.gen(function* () {
      const { book, exported } = yield* setUp
      assert.deepStrictEqual(refused(yield* exported("format=camt053")), [409, "state_conflict"])
      yield* book(august, [100n])
      const { text } = yield* exported("format=camt053")
      assert.include(text, '<Amt Ccy="EUR">1.00</Amt>')
      assert.isTrue(text.endsWith("</BkToCstmrStmt></Document>\n"))
    })
  )
})

describe("a period", () => {
  test(
    "is closed once, its statement stays the same bytes, and its digests are in the audit log",
    Effect.gen(function* () {
      const { book, close, get, statement, tenant, verify } = yield* setUp
      yield* book(august, [100n, 200n])
      const closed = yield* close("2025-08")
      assert.strictEqual(closed.status, 200)
      const before = yield* statement("2025-08")
      assert.strictEqual(sha256(Buffer.from(before.text).toString("latin1")), closed.body.csv_sha256)
      yield* book(september, [300n])
      assert.deepStrictEqual((yield* close("2025-08")).body, closed.body)
      assert.strictEqual((yield* statement("2025-08")).text, before.text)
      const { body: log } = yield* get("/operator/v1/audit")
      const notes = log.entries.map(({ params }: { readonly params: Record<string, string> }) => params)
      assert.isTrue(
        notes.some(
          (params: Record<string, string>) =>
            params["period"] === "2025-08" && params[`csv_sha256:${tenant.id}`] === closed.body.csv_sha256
        )
      )
      assert.deepStrictEqual((yield* verify("2025-08")).body, {
        ok: true,
        period: "2025-08",
        csv_sha256: closed.body.csv_sha256,
        ledger_sha256: closed.body.csv_sha256,
        audited: true,
        problem: null
      })
    })
  )

  test(
    "has each posting exactly once: what is booked after the close, whatever its clock says, is in the next",
    Effect.gen(function* () {
      const { book, close, state, statement, tenant } = yield* setUp
      yield* book(august, [100n, 200n])
      assert.strictEqual((yield* close("2025-08")).status, 200)
      // a server whose clock is behind, and a head that has not seen the close
      const records = state.tenants.get(tenant.id)
      if (records !== undefined) records.head = { ...records.head, lastAt: august }
      yield* book(august + 1, [300n])
      yield* book(september, [400n])
      assert.strictEqual((yield* close("2025-09")).status, 200)
      assert.deepStrictEqual(linesIn(yield* statement("2025-08")), [1, 2])
      const next = yield* statement("2025-09")
      assert.deepStrictEqual(linesIn(next), [3, 4])
      assert.include(next.text, "line,3,2025-09-01,2025-08-10T")
    })
  )

  test(
    "is not closed before it is over, out of turn, or before there was a tenant",
    Effect.gen(function* () {
      const { book, close } = yield* setUp
      const now = new Date().toISOString().slice(0, 7)
      assert.deepStrictEqual(refused(yield* close(now)), [409, "state_conflict"])
      assert.deepStrictEqual(refused(yield* close("2999-01")), [409, "state_conflict"])
      yield* book(august, [100n])
      yield* book(september, [200n])
      assert.deepStrictEqual(refused(yield* close("2025-09")), [409, "state_conflict"])
      assert.deepStrictEqual(refused(yield* close("2025-07")), [409, "state_conflict"])
      assert.strictEqual((yield* close("2025-08")).status, 200)
      assert.deepStrictEqual(refused(yield* close("2025-10")), [409, "state_conflict"])
      assert.strictEqual((yield* close("2025-09")).status, 200)
    })
  )

  test(
    "that two close at once is closed once, with one digest",
    Effect.gen(function* () {
      const { book, close, verify } = yield* setUp
      yield* book(august, [100n, 200n])
      const all = yield* Effect.all(
        Array.from({ length: 8 }, () => close("2025-08")),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(all.map(({ text }) => text)).size, 1)
      assert.isTrue((yield* verify("2025-08")).body.ok)
    })
  )

  test(
    "whose ledger, or whose stored digest, was tampered with is noticed",
    Effect.gen(function* () {
      const { book, close, state, tenant, verify } = yield* setUp
      yield* book(august, [100n, 200n])
      yield* close("2025-08")
      const records = state.tenants.get(tenant.id)
      const at = records?.legs.findIndex(({ account }) => account === "float:available") ?? -1
      const leg = records?.legs[at]
      if (records === undefined || leg === undefined) return assert.fail("nothing is booked")
      records.legs[at] = { ...leg, units: leg.units + 1n }
      const changed = (yield* verify("2025-08")).body
      assert.isFalse(changed.ok)
      assert.include(changed.problem, "The ledger no longer gives the statement")
      const kept = records.records.get(ClosedPeriod.name)
      const closed = kept?.get("2025-08")
      kept?.set("2025-08", { ...(closed as ClosedPeriod), csvSha256: changed.ledger_sha256 })
      const covered = (yield* verify("2025-08")).body
      assert.isFalse(covered.ok)
      assert.include(covered.problem, "audit log")
    })
  )

  test(
    "of all tenants is closed with those of each, and its statement names their digests",
    Effect.gen(function* () {
      const { book, close, get, operate, state, tenant } = yield* setUp
      const other = yield* Effect.provide(newTenant({ createdAt: august }), layerOver(state))
      const later = yield* Effect.provide(newTenant({ createdAt: october }), layerOver(state))
      yield* book(august, [100n])
      yield* book(august, [700n], other.id)
      yield* book(october, [900n], later.id)
      const all = yield* operate("POST", "/operator/v1/periods/2025-08/close")
      assert.strictEqual(all.status, 200)
      const mine = yield* close("2025-08")
      const { text } = yield* get("/operator/v1/periods/2025-08/statement")
      assert.strictEqual(sha256(Buffer.from(text).toString("latin1")), all.body.csv_sha256)
      assert.include(text, mine.body.csv_sha256)
      assert.include(text, `tenant,tenant,acme ${tenant.id}`.slice(7))
      assert.notInclude(text, later.id)
      assert.include(text, "total,,float:available,EUR,0.00,0.00,8.00,-8.00,")
      assert.isTrue((yield* get("/operator/v1/periods/2025-08/verify")).body.ok)
      assert.isTrue((yield* get(`/operator/v1/tenants/${other.id}/periods/2025-08/verify`)).body.ok)
      assert.deepStrictEqual(
        (yield* get("/operator/v1/periods")).body.periods.map(({ period }: { readonly period: string }) => period),
        ["2025-08"]
      )
      assert.isDefined(state.tenants.get(fleetTenantId)?.records.get(ClosedPeriod.name)?.get("2025-08"))
    })
  )

  test(
    "of all tenants is closed for none where it cannot be closed for one",
    Effect.gen(function* () {
      const { book, get, operate, root, state } = yield* setUp
      const other = yield* Effect.provide(newTenant({ slug: "beta", createdAt: august + 1 }), layerOver(state))
      yield* book(september, [100n])
      yield* book(august, [700n], other.id)
      const all = yield* operate("POST", "/operator/v1/periods/2025-09/close")
      assert.deepStrictEqual(refused(all), [409, "state_conflict"])
      assert.match(all.body.error.message, /^beta: /u)
      assert.deepStrictEqual((yield* get(`${root}/periods`)).body.periods, [])
    })
  )

  test(
    "of all tenants is closed without one whose first closed month is later: nothing is in it, and it can never be closed",
    Effect.gen(function* () {
      const { book, get, operate, state } = yield* setUp
      const beta = yield* Effect.provide(newTenant({ slug: "beta", createdAt: september }), layerOver(state))
      yield* book(august, [100n])
      yield* book(october, [700n], beta.id)
      const closeAll = (period: string) => operate("POST", `/operator/v1/periods/${period}/close`)
      assert.strictEqual((yield* closeAll("2025-08")).status, 200)
      const first = yield* operate("POST", `/operator/v1/tenants/${beta.id}/periods/2025-10/close`)
      assert.strictEqual(first.status, 200)
      for (const period of ["2025-09", "2025-10", "2025-11"]) {
        assert.strictEqual((yield* closeAll(period)).status, 200, period)
        assert.isTrue((yield* get(`/operator/v1/periods/${period}/verify`)).body.ok)
      }
      const statementOf = (period: string) => get(`/operator/v1/periods/${period}/statement`)
      assert.notInclude((yield* statementOf("2025-09")).text, beta.id)
      assert.include((yield* statementOf("2025-10")).text, first.body.csv_sha256)
    })
  )

  test(
    "that was closed for a tenant verifies, though that of another failed after it",
    Effect.gen(function* () {
      const { book, get, operate, root, state, verify } = yield* setUp
      const other = yield* Effect.provide(newTenant({ slug: "beta", createdAt: august + 1 }), layerOver(state))
      yield* book(august, [100n])
      yield* book(august, [700n], other.id)
      const legs = state.tenants.get(other.id)?.legs ?? []
      const known = legs.splice(0)
      legs.push(...known.map((leg) => ({ ...leg, currency: "UNKNOWN" })))
      assert.strictEqual((yield* operate("POST", "/operator/v1/periods/2025-08/close")).status, 503)
      assert.lengthOf((yield* get(`${root}/periods`)).body.periods, 1)
      assert.deepInclude((yield* verify("2025-08")).body, { ok: true, audited: true, problem: null })
      // once the database is bound to what the currency is, the books are as exact as by a configuration that has it
      const bound = { network: null, contract: null, decimals: 2, environment: null }
      state.knownCurrencies.set("UNKNOWN", { code: "UNKNOWN", ...bound })
      assert.strictEqual((yield* operate("POST", "/operator/v1/periods/2025-08/close")).status, 200)
      const exported = yield* get(`/operator/v1/tenants/${other.id}/export?format=hledger`)
      assert.include(exported.text, 'commodity 1000.00 "UNKNOWN"')
    })
  )

  test(
    "is given as PDF",
    Effect.gen(function* () {
      const { book, close, statement } = yield* setUp
      yield* book(august, [100n])
      assert.deepStrictEqual(refused(yield* statement("2025-08", "pdf")), [404, "not_found"])
      yield* close("2025-08")
      const { headers, text } = yield* statement("2025-08", "pdf")
      assert.strictEqual(headers["content-type"], "application/pdf")
      assert.strictEqual(text.slice(0, 5), "%PDF-")
    })
  )
})

describe("costs and income", () => {
  test(
    "of a month are told by tenant, product and currency",
    Effect.gen(function* () {
      const { book, get, state, tenant } = yield* setUp
      yield* book(august, [500n])
      const legs = state.tenants.get(tenant.id)?.legs
      const [one] = legs ?? []
      if (legs === undefined || one === undefined) return assert.fail("nothing is booked")
      // as a fee and the cost of a network would be booked
      legs.push(
        { ...one, account: "fees", direction: "CREDIT", units: 30n, balance: 30n, ordinal: 2 },
        { ...one, account: "network_fees", direction: "DEBIT", units: 10n, balance: 10n, ordinal: 3 }
      )
      const { body } = yield* get("/operator/v1/income?month=2025-08")
      assert.deepStrictEqual(body, {
        month: "2025-08",
        rows: [
          {
            tenant_id: tenant.id,
            tenant: "acme",
            product: "ADJUSTMENT",
            currency: "EUR",
            fees: "0.30",
            network_fees: "0.10",
            exchange: "0.00"
          }
        ]
      })
      const september = yield* get(`/operator/v1/income?month=2025-09&tenant_id=${tenant.id}`)
      assert.deepStrictEqual(september.body.rows, [])
    })
  )
})
