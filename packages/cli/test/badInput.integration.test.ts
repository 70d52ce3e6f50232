import { Catalogue } from "@bursar/api/errors/Catalogue"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { freshAddress } from "./support/payer.ts"
import { openTenant, operatorOn, partnerOn, untilLetIn } from "./support/tenant.ts"
import { environmentOf, migratedDatabase, serve, sqlOn } from "./support/world.ts"

/** What is sent besides method and path. */
interface Sent {
  readonly key?: string | null
  readonly idempotencyKey?: string | null
  readonly type?: string
  readonly raw?: string
  readonly body?: unknown
}

interface Answer {
  readonly status: number
  readonly text: string
  readonly code: string | undefined
}

/** A server whose networks are on, though nobody reads them, with a tenant that has registered one address. */
const openServer = Effect.gen(function* () {
  const { url } = yield* migratedDatabase
  const server = yield* serve(environmentOf(url, { ethereum: "http://127.0.0.1:9" }))
  const operator = yield* operatorOn(server.operatorUrl)
  const tenant = yield* openTenant(operator, "acme")
  const suspended = yield* openTenant(operator, "suspended")
  yield* operator.tenants.suspend({ params: { tenant_id: suspended.id }, payload: {} })
  const params = { tenant_id: tenant.id }
  const reader = yield* operator.keys.create({ params, payload: { label: "reader", scopes: ["deposits:read"] } })
  const revoked = yield* operator.keys.create({ params, payload: { label: "revoked", scopes: ["deposits:read"] } })
  yield* operator.keys.revoke({ params: { ...params, key_id: revoked.id } })
  yield* untilLetIn(yield* partnerOn(server.partnerUrl, tenant.key))

  const send = (
    method: string,
    path: string,
    { body, idempotencyKey = crypto.randomUUID(), key = tenant.key, raw, type = "application/json" }: Sent = {}
  ) =>
    Effect.promise(async (): Promise<Answer> => {
      const content = raw ?? (body === undefined ? null : JSON.stringify(body))
      const response = await fetch(`${server.partnerUrl}${path}`, {
        method,
        headers: {
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
          ...(idempotencyKey === null ? {} : { "idempotency-key": idempotencyKey }),
          ...(content === null ? {} : { "content-type": type })
        },
        body: content
      })
      const text = await response.text()
      return { status: response.status, text, code: JSON.parse(text).error?.code }
    })

  const sql = yield* sqlOn(url)
  /** A digest of every table but the counters of requests. */
  const written = Effect.gen(function* () {
    const tables = yield* sql<{ name: string }>`select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'rate_window' order by 1`
    return yield* Effect.forEach(tables, ({ name }) =>
      Effect.map(
        sql<{ rows: bigint; digest: string | null }>`select count(*) as rows,
          md5(string_agg(t::text, '|' order by t::text)) as digest from ${sql(name)} t`,
        ([found]) => `${name}: ${found?.rows} ${found?.digest}`
      )
    )
  })
  const item = { network: "ethereum", address: freshAddress(), reference: "customer-1" }
  const first = yield* send("POST", "/v1/deposit-addresses", { idempotencyKey: "used", body: { addresses: [item] } })
  assert.strictEqual(first.status, 200, first.text)
  return { tenant, suspended, reader, revoked, send, written, item, first }
})

class Server extends Context.Service<Server, Effect.Success<typeof openServer>>()("test/Server") {
  static readonly layer = Layer.effect(Server, openServer)
}

const addresses = "/v1/deposit-addresses"
const anId = "019845e1-682f-7b02-a706-3b2422d13aec"

layer(Server.layer, { excludeTestServices: true })("bad input", (it) => {
  it.effect("is refused with its code, and nothing is written", () =>
    Effect.gen(function* () {
      const { item, reader, revoked, send, suspended, tenant, written } = yield* Server
      const good = { addresses: [item] }
      const wrongKey = `${tenant.key.slice(0, -8)}AAAAAAAA`
      const cases: ReadonlyArray<readonly [keyof typeof Catalogue, string, string, Sent?]> = [
        ["malformed_request", "POST", addresses, { raw: '{"addresses":[}' }],
        ["invalid_request", "POST", addresses, { raw: "" }],
        ["unsupported_media_type", "POST", addresses, { raw: JSON.stringify(good), type: "text/plain" }],
        ["body_too_large", "POST", addresses, { raw: JSON.stringify(good) + " ".repeat(1_048_576) }],
        ["invalid_request", "POST", addresses, { body: [] }],
        ["invalid_request", "POST", addresses, { body: { addresses: "all" } }],
        ["invalid_request", "POST", addresses, { body: { addresses: [] } }],
        ["invalid_request", "POST", addresses, { body: { addresses: [{ ...item, reference: 7 }] } }],
        ["invalid_request", "POST", addresses, { body: { addresses: [{ ...item, watch_from: "yesterday" }] } }],
        ["invalid_request", "POST", addresses, { body: { addresses: [{ ...item, reference: "a\u0000b" }] } }],
        ["invalid_request", "POST", addresses, { body: { addresses: Array.from({ length: 501 }, () => item) } }],
        ["unknown_field", "POST", addresses, { body: { ...good, destination: "0x" } }],
        ["unknown_field", "POST", addresses, { body: { addresses: [{ ...item, sweep: true }] } }],
        ["idempotency_key_required", "POST", addresses, { body: good, idempotencyKey: null }],
        ["idempotency_key_invalid", "POST", addresses, { body: good, idempotencyKey: "two words" }],
        ["idempotency_key_reused", "POST", addresses, { body: { addresses: [item, item] }, idempotencyKey: "used" }],
        ["key_missing", "POST", addresses, { body: good, key: null }],
        ["key_invalid", "POST", addresses, { body: good, key: wrongKey }],
        ["key_invalid", "POST", addresses, { body: good, key: revoked.key }],
        ["key_invalid", "GET", "/v1/float", { key: "nonsense" }],
        ["scope_missing", "POST", addresses, { body: good, key: reader.key }],
        ["scope_missing", "GET", "/v1/events", { key: reader.key }],
        ["tenant_suspended", "POST", addresses, { body: good, key: suspended.key }],
        ["unknown_network", "GET", `${addresses}?network=dogecoin`],
        ["limit_out_of_range", "GET", `${addresses}?limit=0`],
        ["limit_out_of_range", "GET", `${addresses}?limit=501`],
        ["limit_out_of_range", "GET", "/v1/deposits?limit=501"],
        ["limit_out_of_range", "GET", "/v1/events?limit=0"],
        ["limit_out_of_range", "GET", "/v1/register?limit=201"],
        ["limit_out_of_range", "GET", "/v1/float/statement?currency=ETH&limit=501"],
        ["invalid_request", "GET", "/v1/events?after=-1"],
        ["invalid_request", "GET", "/v1/deposits?after=newest"],
        ["invalid_request", "GET", "/v1/deposits?after=99999999999999999999"],
        ["invalid_request", "GET", `${addresses}?after=none`],
        ["invalid_cursor", "GET", "/v1/register?cursor=nonsense"],
        ["unknown_kind", "GET", "/v1/register?kind=GIFT"],
        ["unknown_status", "GET", "/v1/register?status=LOST"],
        ["not_found", "POST", `${addresses}/${anId}/retire`],
        ["not_found", "POST", `${addresses}/..%2f..%2fetc/watch-now`],
        ["not_found", "GET", `/v1/register/${anId}/movements`],
        ["no_operation_for_key", "GET", "/v1/operations/by-key/never"],
        ["method_not_allowed", "DELETE", addresses]
      ]
      const before = yield* written
      for (const [code, method, path, sent] of cases) {
        const answer = yield* send(method, path, sent)
        assert.deepStrictEqual(
          [answer.status, answer.code],
          [Catalogue[code].status, code],
          `${method} ${path} ${JSON.stringify(sent)?.slice(0, 200)}: ${answer.text}`
        )
      }
      assert.deepStrictEqual(yield* written, before)
    })
  )

  it.effect("in one item is refused there, and no address is made of it", () =>
    Effect.gen(function* () {
      const { item, send, tenant, written } = yield* Server
      const tablesOf = (lines: ReadonlyArray<string>) =>
        lines.filter((line) => !/^(?:idempotency_record|commit_receipt|tenant_head):/u.test(line))
      const before = yield* written
      const { status, text } = yield* send("POST", addresses, {
        body: {
          addresses: [
            { ...item, network: "dogecoin" },
            { ...item, network: "bsc" },
            { ...item, address: "0x9858EfFD232B4033E47d90003D41EC34EcaEda95" },
            { ...item, address: `0x${"00".repeat(20)}` },
            { ...item, address: "alice" },
            { ...item, address: freshAddress(), watch_from: "2999-01-01T00:00:00Z" },
            item
          ]
        },
        key: tenant.key
      })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(
        JSON.parse(text).results.map(({ error, status }: { error: { code: string } | null; status: string }) => [
          status,
          error?.code ?? null
        ]),
        [
          ["refused", "unknown_network"],
          ["refused", "unknown_network"],
          ["refused", "address_invalid"],
          ["refused", "address_invalid"],
          ["refused", "address_invalid"],
          ["refused", "invalid_request"],
          ["existing", null]
        ]
      )
      assert.deepStrictEqual(tablesOf(yield* written), tablesOf(before))
    })
  )
})
