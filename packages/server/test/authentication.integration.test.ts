import { stored } from "./support/stored.ts"
import { IdempotencyRecord } from "@bursar/core/idempotency/IdempotencyRecord"
import { assert, layer } from "@effect/vitest"
import { addApiKey, revokeApiKey, setTenantPolicy, setTenantStatus } from "@bursar/core/access/tenantCommands"
import { formatKey, parseKey, randomCharacters } from "@bursar/core/access/KeyFormat"
import { ApiKey } from "@bursar/core/access/ApiKey"
import type { Command } from "@bursar/core/engine/Command"
import { putRecord, readRecord } from "@bursar/core/engine/Records"
import type { TenantKind } from "@bursar/core/tenant/Tenant"
import { Effect, Redacted, Result, Schedule } from "effect"
import { makeKey } from "../src/keys/makeKey.ts"
import { failedAuthenticationsPerMinute } from "../src/middleware/failedLogins.ts"
import { Partner, settings } from "./support/Partner.ts"
import { addressOf, written } from "./support/written.ts"

/** What somebody does who can write to the database: changes a key's row as he likes. */
const rewrite = (text: string, change: (key: ApiKey) => ApiKey): Command<null> => {
  const id = parseKey(text)?.id ?? ""
  return {
    name: "RewriteKey",
    reads: [readRecord(ApiKey, id)],
    decide: (view) => {
      const key = view.get(ApiKey, id)
      return Result.succeed({ changes: key === undefined ? [] : [putRecord(ApiKey, change(key))], reply: null })
    }
  }
}

const codeOf = ({
  body,
  status
}: {
  readonly status: number
  readonly body: { readonly error?: { readonly code: string } }
}) => [status, body.error?.code]

layer(Partner.layer({ trustedProxies: ["127.0.0.1"] }), { excludeTestServices: true })("a key", (it) => {
  // Each test calls from an address of its own, so that failures of one do not count for another.
  const from = (address: string) => ({ "x-forwarded-for": address })

  it.effect("is needed, and unknown, revoked, malformed and other tenants' keys look alike", () =>
    Effect.gen(function* () {
      const { seeder, send } = yield* Partner
      const tenant = yield* seeder.tenant()
      const key = yield* seeder.key(tenant)
      const revoked = yield* seeder.key(tenant)
      yield* seeder.submit(tenant, revokeApiKey(parseKey(revoked)?.id ?? ""))
      const headers = from("203.0.113.1")
      const missing = yield* send("GET", "/v1/whoami", { headers })
      assert.deepStrictEqual(codeOf(missing), [401, "key_missing"])
      assert.strictEqual(missing.headers["www-authenticate"], "Bearer")
      assert.deepStrictEqual(
        codeOf(yield* send("GET", "/v1/whoami", { headers: { ...headers, authorization: `Basic ${key}` } })),
        [401, "key_missing"]
      )
      const unknown = formatKey("bsr", "test", "x".repeat(randomCharacters))
      const wrongSecret = formatKey("bsr", "test", (parseKey(key)?.id ?? "") + "x".repeat(randomCharacters - 8))
      for (const wrong of [unknown, wrongSecret, revoked, "junk", key.slice(0, -1), `${key}x`, key.toUpperCase()]) {
        const answer = yield* send("GET", "/v1/whoami", { key: wrong, headers: { ...headers, "x-request-id": "same" } })
        assert.deepStrictEqual(codeOf(answer), [401, "key_invalid"], wrong)
        assert.strictEqual(answer.headers["www-authenticate"], 'Bearer error="invalid_token"')
        assert.strictEqual(answer.body.error.request_id, "same")
      }
      assert.strictEqual((yield* send("GET", "/v1/whoami", { key, headers })).status, 200)
    })
  )

  it.effect("opens nothing once somebody has changed in the database what it may do", () =>
    Effect.gen(function* () {
      const { seeder, send } = yield* Partner
      const [tenant, victim] = [yield* seeder.tenant(), yield* seeder.tenant()]
      const headers = from("203.0.113.7")
      const tampered: ReadonlyArray<readonly [string, (key: ApiKey) => ApiKey]> = [
        ["more scopes", (key) => ({ ...key, scopes: [...key.scopes, "withdrawals:write"] })],
        ["a later expiry", (key) => ({ ...key, expiresAt: 4_000_000_000_000 })],
        ["no seal", (key) => ({ ...key, seal: null })],
        ["another seal", (key) => ({ ...key, seal: "0".repeat(64) })]
      ]
      for (const [what, change] of tampered) {
        const key = yield* seeder.key(tenant, ["deposits:read"])
        yield* seeder.submit(tenant, rewrite(key, change))
        assert.deepStrictEqual(codeOf(yield* send("GET", "/v1/whoami", { key, headers })), [401, "key_invalid"], what)
      }
      const revived = yield* seeder.key(tenant)
      yield* seeder.submit(tenant, revokeApiKey(parseKey(revived)?.id ?? ""))
      yield* seeder.submit(
        tenant,
        rewrite(revived, (key) => ({ ...key, revokedAt: null }))
      )
      assert.deepStrictEqual(codeOf(yield* send("GET", "/v1/whoami", { key: revived, headers })), [401, "key_invalid"])
      const moved = yield* makeKey({
        prefix: "bsr",
        tenant: { id: tenant, kind: "LIVE" },
        label: "moved",
        scopes: [],
        pepper: settings.keyPepper
      })
      yield* seeder.submit(victim, addApiKey(moved.record))
      const key = Redacted.value(moved.secret)
      assert.deepStrictEqual(codeOf(yield* send("GET", "/v1/whoami", { key, headers })), [401, "key_invalid"])
    })
  )

  it.effect("opens nothing after its expiry, nor in the other environment", () =>
    Effect.gen(function* () {
      const { seeder, send } = yield* Partner
      const tenant = yield* seeder.tenant()
      const headers = from("203.0.113.8")
      const make = (kind: TenantKind, expiresAt: number | null) =>
        Effect.flatMap(
          makeKey({
            prefix: "bsr",
            tenant: { id: tenant, kind },
            label: "l",
            scopes: [],
            expiresAt,
            pepper: settings.keyPepper
          }),
          ({ record, secret }) => Effect.as(seeder.submit(tenant, addApiKey(record)), Redacted.value(secret))
        )
      const now = Date.now()
      const short = yield* make("LIVE", now + 1_000)
      const asked = send("GET", "/v1/whoami", { key: short, headers })
      const late = yield* Effect.repeat(asked, {
        until: ({ status }) => status !== 200,
        schedule: Schedule.spaced("50 millis")
      }).pipe(Effect.timeout("10 seconds"))
      assert.isAtLeast(Date.now(), now + 1_000)
      assert.deepStrictEqual(codeOf(late), [401, "key_invalid"])
      const long = yield* make("LIVE", now + 3_600_000)
      assert.strictEqual((yield* send("GET", "/v1/whoami", { key: long, headers })).status, 200)
      const other = yield* make("SANDBOX", null)
      assert.deepStrictEqual(codeOf(yield* send("GET", "/v1/whoami", { key: other, headers })), [401, "key_invalid"])
    })
  )

  it.effect("opens what its scopes name, and nothing else", () =>
    Effect.gen(function* () {
      const { seeder, send, state } = yield* Partner
      const tenant = yield* seeder.tenant()
      const reader = yield* seeder.key(tenant, ["deposits:read"])
      const nobody = yield* seeder.key(tenant, [])
      const headers = { ...from("203.0.113.2"), "idempotency-key": "k" }
      const before = written(state, tenant)
      const body = { addresses: [{ network: "ethereum", address: addressOf(1), reference: "r" }] }
      const refused = yield* send("POST", "/v1/deposit-addresses", { key: reader, body, headers })
      assert.deepStrictEqual(codeOf(refused), [403, "scope_missing"])
      assert.deepStrictEqual(refused.body.error.detail, { required_scope: "deposits:write" })
      assert.strictEqual((yield* send("GET", "/v1/deposit-addresses", { key: reader, headers })).status, 200)
      for (const path of ["/v1/deposits", "/v1/events", "/v1/float", "/v1/limits"]) {
        assert.deepStrictEqual(codeOf(yield* send("GET", path, { key: nobody, headers })), [403, "scope_missing"], path)
      }
      assert.strictEqual((yield* send("GET", "/v1/whoami", { key: nobody, headers })).status, 200)
      assert.deepStrictEqual(codeOf(yield* send("GET", "/v1/operations/by-key/k", { key: nobody, headers })), [
        404,
        "no_operation_for_key"
      ])
      assert.deepStrictEqual(written(state, tenant), before)
    })
  )

  it.effect("of a tenant that is not active is refused", () =>
    Effect.gen(function* () {
      const { seeder, send } = yield* Partner
      for (const status of ["ONBOARDING", "SUSPENDED", "CLOSED"] as const) {
        const key = yield* seeder.key(yield* seeder.tenant({ status }))
        assert.deepStrictEqual(
          codeOf(yield* send("GET", "/v1/whoami", { key, headers: from("203.0.113.3") })),
          [403, "tenant_suspended"],
          status
        )
      }
      const tenant = yield* seeder.tenant()
      const key = yield* seeder.key(tenant)
      assert.strictEqual((yield* send("GET", "/v1/whoami", { key, headers: from("203.0.113.3") })).status, 200)
      yield* seeder.submit(tenant, setTenantStatus("SUSPENDED"))
      assert.deepStrictEqual(codeOf(yield* send("GET", "/v1/whoami", { key, headers: from("203.0.113.3") })), [
        403,
        "tenant_suspended"
      ])
    })
  )

  it.effect("is read only up to the rate of its own tenant", () =>
    Effect.gen(function* () {
      const { seeder, send } = yield* Partner
      const tenant = yield* seeder.tenant({ policy: { ceilingPerMinute: 3 } })
      const [key, second] = [yield* seeder.key(tenant), yield* seeder.key(tenant)]
      const headers = from("203.0.113.4")
      const first = yield* send("GET", "/v1/limits", { key, headers })
      assert.deepInclude(first.body.requests, {
        reads_per_minute: 3,
        writes_per_minute: 3,
        tenant_ceiling_per_minute: 3
      })
      assert.strictEqual(first.headers["ratelimit-policy"], '"read";q=3;w=60')
      assert.match(String(first.headers["ratelimit"]), /^"read";r=2;t=\d+$/u)
      assert.strictEqual((yield* send("GET", "/v1/whoami", { key: second, headers })).status, 200)
      assert.strictEqual((yield* send("POST", "/v1/nothing", { key, headers })).status, 404)
      assert.strictEqual((yield* send("GET", "/v1/whoami", { key: second, headers })).status, 200)
      const denied = yield* send("GET", "/v1/whoami", { key, headers })
      assert.deepStrictEqual(codeOf(denied), [429, "rate_limited"])
      const seconds = Number(denied.headers["retry-after"])
      assert.isAtLeast(seconds, 1)
      assert.deepStrictEqual(denied.body.detail, { retry_after_seconds: seconds, limit_per_minute: 3 })
      assert.deepStrictEqual(denied.body.error.detail, denied.body.detail)
      assert.strictEqual(denied.body.error.retryable, true)
    })
  )

  it.effect("writes 120 times a minute, and is not slowed by what it reads", () =>
    Effect.gen(function* () {
      const { seeder, send, state } = yield* Partner
      const tenant = yield* seeder.tenant()
      const key = yield* seeder.key(tenant)
      const headers = from("203.0.113.5")
      const write = send("POST", "/v1/deposit-addresses", { key, body: {}, headers })
      const statuses = yield* Effect.all(
        Array.from({ length: 121 }, () => write),
        { concurrency: 20 }
      )
      assert.strictEqual(statuses.filter(({ status }) => status === 422).length, 120)
      const denied = statuses.find(({ status }) => status === 429)
      assert.deepInclude(denied?.body.detail, { limit_per_minute: 120 })
      assert.strictEqual((yield* send("GET", "/v1/whoami", { key, headers })).status, 200)
      assert.strictEqual(stored(state, tenant, IdempotencyRecord).size, 0)
    })
  )

  it.effect("that is wrong too often from one address is told to wait; a right one is not", () =>
    Effect.gen(function* () {
      const { seeder, send } = yield* Partner
      const key = yield* seeder.key(yield* seeder.tenant())
      const headers = from("203.0.113.6")
      const wrong = send("GET", "/v1/whoami", { key: "junk", headers })
      const answers = yield* Effect.all(
        Array.from({ length: failedAuthenticationsPerMinute + 1 }, () => wrong),
        { concurrency: 10 }
      )
      assert.strictEqual(answers.filter(({ status }) => status === 401).length, failedAuthenticationsPerMinute)
      assert.deepStrictEqual(codeOf(yield* wrong), [429, "rate_limited"])
      assert.strictEqual((yield* send("GET", "/v1/whoami", { key, headers })).status, 200)
      assert.deepStrictEqual(codeOf(yield* send("GET", "/v1/whoami", { key: "junk", headers: from("203.0.113.7") })), [
        401,
        "key_invalid"
      ])
    })
  )
})

layer(Partner.layer({ trustedProxies: ["127.0.0.1"] }), { excludeTestServices: true })("an address", (it) => {
  it.effect("that no tenant lists is refused before its key is read, whatever it says of itself", () =>
    Effect.gen(function* () {
      const { seeder, send } = yield* Partner
      const [one, other] = [
        yield* seeder.tenant({ policy: { ipAllowlist: ["203.0.113.0/24"] } }),
        yield* seeder.tenant({ policy: { ipAllowlist: ["198.51.100.7", "2001:db8::/48"] } })
      ]
      const [key, otherKey] = [yield* seeder.key(one), yield* seeder.key(other)]
      const ask = (forwarded: string, asked = key) =>
        send("GET", "/v1/whoami", { key: asked, headers: { "x-forwarded-for": forwarded, "x-request-id": "r" } })
      assert.strictEqual((yield* ask("203.0.113.9")).status, 200)
      assert.strictEqual((yield* ask("2001:db8::5", otherKey)).status, 200)
      const refused = yield* ask("192.0.2.1")
      assert.deepStrictEqual(codeOf(refused), [403, "address_not_allowed"])
      assert.strictEqual((yield* ask("192.0.2.1", "junk")).text, refused.text)
      // What the client itself writes stands further left than what the proxy saw.
      assert.deepStrictEqual(codeOf(yield* ask("203.0.113.9, 192.0.2.1")), [403, "address_not_allowed"])
      // A list that cannot be read, or none, is nobody's: it would else be the proxy's own.
      assert.deepStrictEqual(codeOf(yield* ask("203.0.113.9, nonsense")), [400, "malformed_request"])
      assert.deepStrictEqual(codeOf(yield* send("GET", "/v1/whoami", { key })), [400, "malformed_request"])
      const both = { "x-forwarded-for": "203.0.113.9", forwarded: "for=198.51.100.7" }
      assert.deepStrictEqual(codeOf(yield* send("GET", "/v1/whoami", { key, headers: both })), [
        400,
        "malformed_request"
      ])
      const standard = { forwarded: 'for="203.0.113.9:4711";proto=https' }
      assert.strictEqual((yield* send("GET", "/v1/whoami", { key, headers: standard })).status, 200)
      assert.strictEqual((yield* send("GET", "/health/live")).status, 200)
      // A right key from another tenant's address looks like a wrong key.
      const elsewhere = yield* ask("198.51.100.7")
      assert.deepStrictEqual(codeOf(elsewhere), [401, "key_invalid"])
      assert.strictEqual((yield* ask("198.51.100.7", "junk")).text, elsewhere.text)
      assert.strictEqual(
        (yield* send("GET", "/health/live", { headers: { "x-forwarded-for": "192.0.2.1" } })).status,
        200
      )
      yield* seeder.submit(one, setTenantPolicy({ ipAllowlist: [] }))
      assert.deepStrictEqual(codeOf(yield* ask("203.0.113.9")), [403, "address_not_allowed"])
    })
  )
})

layer(Partner.layer(), { excludeTestServices: true })("an address that is no proxy", (it) => {
  it.effect("cannot pretend to be another", () =>
    Effect.gen(function* () {
      const { seeder, send } = yield* Partner
      const key = yield* seeder.key(yield* seeder.tenant({ policy: { ipAllowlist: ["203.0.113.0/24"] } }))
      for (const name of ["x-forwarded-for", "x-real-ip", "forwarded"]) {
        const answer = yield* send("GET", "/v1/whoami", {
          key,
          headers: { [name]: name === "forwarded" ? "for=203.0.113.9" : "203.0.113.9" }
        })
        assert.deepStrictEqual(codeOf(answer), [403, "address_not_allowed"], name)
      }
    })
  )
})

layer(Partner.layer({ directoryTtl: "1 second" }), { excludeTestServices: true })(
  "what a process remembers of keys",
  (it) => {
    it.effect("is forgotten in time, so that a revocation is in force", () =>
      Effect.gen(function* () {
        const { seeder, send } = yield* Partner
        const tenant = yield* seeder.tenant()
        const { record, secret } = yield* makeKey({
          prefix: "bsr",
          tenant: { id: tenant, kind: "LIVE" },
          label: "l",
          scopes: [],
          pepper: settings.keyPepper
        })
        yield* seeder.submit(tenant, addApiKey(record))
        const ask = send("GET", "/v1/whoami", { key: Redacted.value(secret) })
        assert.strictEqual((yield* ask).status, 200)
        yield* seeder.submit(tenant, revokeApiKey(record.id))
        const refused = yield* ask.pipe(
          Effect.repeat({ until: ({ status }) => status !== 200, schedule: Schedule.spaced("50 millis") }),
          Effect.timeout("5 seconds")
        )
        assert.deepStrictEqual(codeOf(refused), [401, "key_invalid"])
      })
    )
  }
)
