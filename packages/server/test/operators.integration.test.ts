import { OperatorApi } from "@bursar/api/OperatorApi"
import { operationsOf } from "@bursar/api/openapi/Operation"
import { holdsRole, type OperatorRole, operatorRoles } from "@bursar/api/operator/Operator"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { Tenants } from "@bursar/core/port/Tenants"
import { StorageError } from "@bursar/core/engine/StorageError"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { createHash } from "node:crypto"
import { hashToken } from "../src/keys/operatorTokens.ts"
import { failedAuthenticationsPerMinute } from "../src/middleware/failedLogins.ts"
import { Operator } from "./support/Operator.ts"
import { type Answer, portsOver, settings } from "./support/Partner.ts"

const tenants = "/operator/v1/tenants"

const tokenOf = (name: string) => `${name}-${"0123456789abcdef".repeat(2)}`

const people: Readonly<Record<string, OperatorRole>> = {
  vera: "viewer",
  otto: "operator",
  anna: "approver",
  ada: "admin"
}

const operators = Object.entries(people).map(([name, role]) => ({
  name,
  role,
  tokenHash: hashToken(tokenOf(name)),
  expiresAt: null
}))

const fails = Effect.fail(new StorageError({ doing: "write", cause: new Error("the disk is full") }))

const codeOf = ({ body, status }: Answer) => [status, body?.error?.code]

const bodyOf = (slug: string) => ({ slug, name: slug, kind: "SANDBOX" })

/** Each on a server of its own, where people have tokens or share one. */
const test = <A, E>(name: string, named: boolean, effect: Effect.Effect<A, E, Operator>) =>
  it.live(name, () => Effect.provide(effect, Operator.layerWith(named ? { operators } : {})))

/** Sends as one of the people. */
const as = Effect.map(
  Operator,
  ({ operate }) =>
    (name: string, method: string, path: string, body?: unknown) =>
      operate(method, path, { key: tokenOf(name), ...(body === undefined ? {} : { body }) })
)

/** The records of what was done, as ada reads them or who has the shared token. */
const entries = (named: boolean) =>
  Effect.gen(function* () {
    const { operate } = yield* Operator
    return (yield* operate("GET", "/operator/v1/audit", named ? { key: tokenOf("ada") } : {})).body.entries
  })

describe("operators", () => {
  test(
    "have the rights of their role at every endpoint, and of those below it",
    true,
    Effect.gen(function* () {
      const send = yield* as
      const anId = "019845e1-682f-7b02-a706-3b2422d13aec"
      const needed = new Set<OperatorRole>()
      for (const { endless, method, path, role } of operationsOf(OperatorApi)) {
        // who signs in is nobody yet
        if (path === "/operator/v1/sign-in") continue
        needed.add(role)
        // live.integration.test.ts reads it
        if (endless) {
          assert.strictEqual(role, "viewer")
          continue
        }
        for (const [name, has] of Object.entries(people)) {
          const answer = yield* send(name, method, path.replace(/\{\w+\}/gu, anId), method === "GET" ? undefined : {})
          const refused = codeOf(answer)[1] === "scope_missing"
          assert.strictEqual(refused, !holdsRole(has, role), `${name}: ${method} ${path}`)
          if (refused) assert.deepStrictEqual(answer.body.error.detail, { required_role: role })
        }
      }
      assert.sameMembers([...needed], [...operatorRoles])
    })
  )

  test(
    "with tokens of their own act in their own name alone, and the shared token opens nothing",
    true,
    Effect.gen(function* () {
      const { operate } = yield* Operator
      const shared = (headers: Readonly<Record<string, string>>) =>
        operate("GET", tenants, { key: Redacted.value(settings.operatorToken), headers })
      for (const name of ["ada", "Ada", "someone", ""]) {
        assert.deepStrictEqual(codeOf(yield* shared({ "x-operator": name })), [401, "key_invalid"], name)
      }
      assert.deepStrictEqual(codeOf(yield* shared({})), [401, "key_invalid"])
      const hash = hashToken(tokenOf("ada"))
      assert.deepStrictEqual(codeOf(yield* operate("GET", tenants, { key: hash })), [401, "key_invalid"])
      const borrowed = yield* operate("GET", tenants, { key: tokenOf("anna"), headers: { "x-operator": "ada" } })
      assert.deepStrictEqual(codeOf(borrowed), [422, "invalid_request"])
      const [impostor] = yield* entries(true)
      assert.deepInclude(impostor, { operator: "(unknown)", method: "SIGN_IN", status: 422 })
      assert.deepInclude(impostor.params, { stated: "ada" })
      assert.include(impostor.params.reason, "anna")
      const own = yield* operate("GET", tenants, { key: tokenOf("anna"), headers: { "x-operator": "ANNA" } })
      assert.strictEqual(own.status, 200)
      const send = yield* as
      yield* send("ada", "POST", tenants, bodyOf("acme"))
      const [last] = yield* entries(true)
      assert.deepInclude(last, { operator: "ada", role: "admin", status: 201 })
    })
  )

  test(
    "who share a token say who they are, without regard to case",
    false,
    Effect.gen(function* () {
      const { operate } = yield* Operator
      for (const name of ["two words", "-dash", "a".repeat(65)]) {
        const answer = yield* operate("GET", tenants, { headers: { "x-operator": name } })
        assert.deepStrictEqual(codeOf(answer), [422, "invalid_request"], name)
      }
      yield* operate("POST", tenants, { body: bodyOf("one"), headers: { "x-operator": "Alice@example.com" } })
      yield* operate("POST", tenants, { body: bodyOf("two") })
      const names = (yield* entries(false)).map(({ operator }: { readonly operator: string }) => operator)
      assert.deepStrictEqual(names, ["operator", "operator", "alice@example.com", "alice@example.com"])
    })
  )

  test(
    "who cannot be told are told to wait after some attempts; who can be are let in all the while",
    true,
    Effect.gen(function* () {
      const { operate } = yield* Operator
      const attempts = yield* Effect.forEach(
        Array.from({ length: failedAuthenticationsPerMinute + 5 }, (_, index) => index),
        (index) => operate("GET", tenants, index % 2 === 0 ? { key: "wrong" } : { headers: { authorization: "" } }),
        { concurrency: 8 }
      )
      const limited = attempts.filter(({ status }) => status === 429)
      assert.lengthOf(limited, 5)
      const [one] = limited
      assert.deepStrictEqual([one?.body.error.code, one?.body.detail.limit_per_minute], ["rate_limited", 60])
      assert.match(String(one?.headers["retry-after"]), /^[1-9][0-9]*$/u)
      assert.strictEqual((yield* operate("GET", tenants, { key: tokenOf("vera") })).status, 200)
    })
  )

  it.live("are refused from the moment their token expires", () =>
    Effect.gen(function* () {
      const { operate } = yield* Operator
      assert.strictEqual((yield* operate("GET", tenants, { key: tokenOf("later") })).status, 200)
      const late = yield* operate("GET", tenants, { key: tokenOf("past") })
      assert.deepStrictEqual(codeOf(late), [401, "key_invalid"])
      assert.match(late.body.error.message, /expired/u)
    }).pipe(
      Effect.provide(
        Operator.layerWith({
          operators: [
            { name: "later", role: "admin", tokenHash: hashToken(tokenOf("later")), expiresAt: 4_000_000_000_000 },
            { name: "past", role: "admin", tokenHash: hashToken(tokenOf("past")), expiresAt: 1_700_000_000_000 }
          ]
        })
      )
    )
  )

  test(
    "leave a record of every action before it is done and after, with its outcome and what it asks for and changes, without secrets",
    true,
    Effect.gen(function* () {
      const { operate } = yield* Operator
      const send = yield* as
      const { id } = (yield* send("ada", "POST", tenants, bodyOf("acme"))).body
      yield* send("otto", "POST", `${tenants}/${id}/keys`, {
        label: "a label",
        secret: "very confidential",
        nested: [{ api_token: "very confidential" }]
      })
      yield* operate("POST", `${tenants}/${id}/activate`, {
        key: tokenOf("ada"),
        headers: { "x-request-id": "my-request" },
        body: { reason: "Their contract is signed." }
      })
      yield* send("ada", "POST", `${tenants}/${id}/settings`, { vip: true })
      yield* send("ada", "GET", tenants)
      yield* operate("POST", tenants, { key: "wrong", body: bodyOf("none") })
      const [stranger, ...all] = yield* entries(true)
      assert.deepInclude(stranger, { operator: "(unknown)", method: "SIGN_IN", status: 401 })
      assert.deepStrictEqual(
        all.map((one: Record<string, unknown>) => [one["operator"], one["route"], one["status"]]),
        [
          ["ada", "/operator/v1/tenants/:tenant_id/settings", 422],
          ["ada", "/operator/v1/tenants/:tenant_id/settings", null],
          ["ada", "/operator/v1/tenants/:tenant_id/activate", 200],
          ["ada", "/operator/v1/tenants/:tenant_id/activate", null],
          ["otto", "/operator/v1/tenants/:tenant_id/keys", 403],
          ["otto", "/operator/v1/tenants/:tenant_id/keys", null],
          ["ada", "/operator/v1/tenants", 201],
          ["ada", "/operator/v1/tenants", null]
        ]
      )
      assert.deepInclude(all[2], { params: { tenant_id: id }, request_id: "my-request", address: "127.0.0.1" })
      assert.strictEqual(all[2].action_id, all[3].action_id)
      assert.notInclude(JSON.stringify(all), "very confidential")
      const redacted = { label: "a label", secret: "[redacted]", nested: [{ api_token: "[redacted]" }] }
      assert.deepStrictEqual(all[5].values, { request: redacted })
      assert.deepStrictEqual(all[3].values, { request: { reason: "Their contract is signed." } })
      const [activated] = all[2].values.changes
      assert.deepInclude(activated, { record: "Tenant", key: id })
      assert.deepStrictEqual([activated.before.status, activated.after.status], ["ONBOARDING", "ACTIVE"])
      const ofOtto = (yield* send("ada", "GET", "/operator/v1/audit?operator=otto&limit=1")).body.entries
      assert.deepStrictEqual(ofOtto, [all[4]])
      const older = (yield* send("ada", "GET", `/operator/v1/audit?before=${all[4].id}&limit=2`)).body.entries
      assert.deepStrictEqual(older, all.slice(5, 7))
    })
  )

  test(
    "leave a record with the digest and the values of what they ask for at every endpoint that changes something",
    true,
    Effect.gen(function* () {
      const { operate, state } = yield* Operator
      // how browsers sign in is written down in another form: consoleSession.integration.test.ts
      const signingIn = new Set(["/operator/v1/session/link", "/operator/v1/sign-in"])
      const changing = operationsOf(OperatorApi).filter(({ method, path }) => method !== "GET" && !signingIn.has(path))
      assert.isAbove(changing.length, 40)
      for (const { method, path } of changing) {
        const asked = { path, amount: "1.5", secret: "very confidential" }
        const at = path.replace(/\{\w+\}/gu, "019845e1-682f-7b02-a706-3b2422d13aec")
        const { headers, status } = yield* operate(method, at, { body: asked })
        const [before, after] = state.audit.filter(({ requestId }) => requestId === headers["x-request-id"])
        const digest = createHash("sha256").update(JSON.stringify(asked)).digest("hex")
        assert.deepInclude(before, { method, status: null }, path)
        assert.deepInclude(after, { method, status }, path)
        assert.deepStrictEqual([before?.content?.digest, after?.content?.digest], [digest, digest], path)
        const request = { ...asked, secret: "[redacted]" }
        assert.deepStrictEqual(JSON.parse(before?.content?.values ?? ""), { request }, path)
        assert.deepStrictEqual(JSON.parse(after?.content?.values ?? ""), { changes: [] }, path)
      }
    })
  )

  test(
    "are answered what the contract says however deep a body is, and the record of it is cut where it is too deep",
    true,
    Effect.gen(function* () {
      const { operate, state } = yield* Operator
      const raw = `{"deep":${"[".repeat(100_000)}${"]".repeat(100_000)}}`
      const { body, headers, status } = yield* operate("POST", "/operator/v1/tenants", { raw })
      assert.deepStrictEqual([status, body.error.code], [422, "invalid_request"])
      const [before, after] = state.audit.filter(({ requestId }) => requestId === headers["x-request-id"])
      assert.include(before?.content?.values, '["[too deep]"]')
      assert.isBelow(before?.content?.values.length ?? 0, 200)
      assert.deepInclude(after, { status: 422 })
    })
  )

  test(
    "find out what was changed in the records, left out, or cut off",
    false,
    Effect.gen(function* () {
      const { operate, state } = yield* Operator
      for (const slug of ["one", "two", "three"]) yield* operate("POST", tenants, { body: bodyOf(slug) })
      const verify = (anchor?: string) =>
        Effect.map(
          operate("GET", `/operator/v1/audit/verify${anchor === undefined ? "" : `?anchor=${anchor}`}`),
          ({ body }) => body
        )
      const right = yield* verify()
      assert.deepInclude(right, { ok: true, records: 6, first_wrong: null, anchor_found: null })
      assert.deepInclude(yield* verify(right.head), { ok: true, anchor_found: true })
      const { audit } = state
      const kept = [...audit]
      const tampered = Effect.fnUntraced(function* (records: typeof kept) {
        audit.splice(0, audit.length, ...records)
        return yield* verify(right.head)
      })
      const changed = yield* tampered(kept.map((one, at) => (at === 2 ? { ...one, operator: "mallory" } : one)))
      assert.deepInclude(changed, { ok: false, records: 2 })
      assert.match(changed.first_wrong, /^Record 3 was changed/u)
      // what a column of JSON can hold
      const strange = yield* tampered(kept.map((one, at) => (at === 2 ? { ...one, params: null as never } : one)))
      assert.deepInclude(strange, { ok: false, records: 2, first_wrong: "Record 3 cannot be read: it was changed." })
      assert.match((yield* tampered(kept.filter((_, at) => at !== 2))).first_wrong, /^Record 3 is missing/u)
      const moved = kept.flatMap((one, at) => (at === 4 ? [{ ...one, id: 3 }] : []))
      const swapped = yield* tampered([...kept.slice(0, 2), ...moved, ...kept.slice(3)])
      assert.match(swapped.first_wrong, /^Record 3 does not follow/u)
      const cutOff = yield* tampered(kept.slice(0, 4))
      assert.deepInclude(cutOff, { ok: false, records: 4, first_wrong: null, anchor_found: false })
      assert.deepInclude(yield* tampered(kept), { ok: true, records: 6 })
    })
  )

  test(
    "see all that others did though somebody made the values of a record unreadable, and which it is",
    false,
    Effect.gen(function* () {
      const { operate, state } = yield* Operator
      for (const slug of ["one", "two"]) yield* operate("POST", tenants, { body: bodyOf(slug) })
      const { audit } = state
      const [first, second, ...others] = audit
      if (first?.content == null || second === undefined) return yield* Effect.die("nothing was recorded")
      audit.splice(0, audit.length, { ...first, content: { ...first.content, values: "{" } }, second, ...others)
      const { body, status } = yield* operate("GET", "/operator/v1/audit")
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(
        body.entries.map(({ id, problem }: { readonly id: number; readonly problem: string | null }) => [
          id,
          problem?.split(" cannot ")[0] ?? null
        ]),
        [
          [4, null],
          [3, null],
          [2, null],
          [1, "Its values"]
        ]
      )
      const report = yield* operate("GET", "/operator/v1/audit/verify")
      assert.match(report.body.first_wrong, /^Record 1 was changed/u)
    })
  )
  for (const [what, change] of [
    ["a moment in the year 10000", { at: 253_402_300_800_000 }],
    ["an id of no version", { actionId: "12345678-1234-0234-1234-123456789012" }],
    [
      "values nested deep",
      { content: { digest: "0".repeat(64), values: `${"[".repeat(20_000)}${"]".repeat(20_000)}` } }
    ]
  ] as const)
    test(
      `see the log though somebody gave a record ${what}`,
      false,
      Effect.gen(function* () {
        const { operate, state } = yield* Operator
        for (const slug of ["one", "two"]) yield* operate("POST", tenants, { body: bodyOf(slug) })
        const { audit } = state
        const [first, ...others] = audit
        if (first === undefined) return yield* Effect.die("nothing was recorded")
        audit.splice(0, audit.length, { ...first, ...change }, ...others)
        const { status } = yield* operate("GET", "/operator/v1/audit")
        assert.strictEqual(status, 200)
      })
    )

  it.live("are told where it is not known whether what they asked for was done, and nothing repeats it for them", () =>
    Effect.gen(function* () {
      const { operate, state } = yield* Operator
      const answer = yield* operate("POST", tenants, { body: bodyOf("acme") })
      assert.deepStrictEqual(codeOf(answer), [500, "outcome_unknown"])
      assert.isFalse(answer.body.error.retryable)
      assert.strictEqual(state.slugs.size, 1)
    }).pipe(
      Effect.provide(
        Operator.layerWith({}, (state) => {
          const ports = portsOver(state)
          const lost = new StorageError({ doing: "test", cause: new Error("no answer came"), outcome: "unknown" })
          const unheard = Layer.effect(
            Tenants,
            Effect.map(Tenants, (real) =>
              Tenants.of({ ...real, create: (tenant) => Effect.andThen(real.create(tenant), Effect.fail(lost)) })
            )
          )
          return Layer.merge(ports, Layer.provide(unheard, ports))
        })
      )
    )
  )

  it.live("do nothing that cannot be written down", () =>
    Effect.gen(function* () {
      const { operate, state } = yield* Operator
      const refused = yield* operate("POST", tenants, { body: bodyOf("acme") })
      assert.deepStrictEqual(codeOf(refused), [503, "read_only"])
      assert.strictEqual(state.slugs.size, 0)
      assert.strictEqual((yield* operate("GET", tenants)).status, 200)
    }).pipe(
      Effect.provide(
        Operator.layerWith({}, (state) =>
          Layer.merge(portsOver(state), Layer.mock(OperatorAudit, { append: () => fails }))
        )
      )
    )
  )
})
