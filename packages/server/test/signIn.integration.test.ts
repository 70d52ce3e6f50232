import type { OperatorRole } from "@bursar/api/operator/Operator"
import { StorageError } from "@bursar/core/engine/StorageError"
import { IdentityTokens } from "@bursar/core/port/IdentityTokens"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { loginByBrowser } from "@bursar/oidc/OidcLogin"
import { makeOidcTokens } from "@bursar/oidc/OidcTokens"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { browse } from "../../providers/oidc/test/support/browse.ts"
import { fetchJson } from "../../providers/oidc/test/support/fetchJson.ts"
import {
  audience,
  clientId,
  makeKey,
  startProvider,
  type TestProvider
} from "../../providers/oidc/test/support/startProvider.ts"
import type { SignInPolicy } from "../src/identity/SignInPolicy.ts"
import { hashToken } from "../src/keys/operatorTokens.ts"
import { Operator } from "./support/Operator.ts"
import { type Answer, portsOver, settings } from "./support/Partner.ts"

const [first, second] = await Promise.all([makeKey("RS256", "first"), makeKey("ES256", "second")])

const session = "/operator/v1/session"
const tenants = "/operator/v1/tenants"

const codeOf = ({ body, status }: Answer) => [status, body?.error?.code]

const tokenOf = (name: string) => `${name}-${"0123456789abcdef".repeat(2)}`

const people: Readonly<Record<string, OperatorRole>> = { alice: "approver", otto: "operator", ada: "admin" }

const subjectOf = (name: string) => `subject-of-${name}`

const policy: SignInPolicy = {
  operators: Object.entries(people).map(([name, role]) => ({ name, role, subject: subjectOf(name) })),
  subjectClaim: "sub",
  requiredClaims: [],
  roles: null
}

/** Alice has a token of her own, too. */
const operators = [
  { name: "alice", role: "approver" as const, tokenHash: hashToken(tokenOf("alice")), expiresAt: null }
]

/** An operator port whose people sign in at a real provider. */
const signedInBy = (provider: TestProvider, changed: Partial<SignInPolicy> = {}, ports = portsOver) =>
  Layer.unwrap(
    Effect.map(
      makeOidcTokens({ issuer: provider.issuer, audience, clients: [clientId], fetchDocument: fetchJson }),
      (verifier) =>
        Operator.layerWith({ operators, signIn: { ...policy, ...changed } }, (state) =>
          Layer.merge(ports(state), Layer.succeed(IdentityTokens, verifier))
        )
    )
  )

type Changes = Parameters<typeof signedInBy>[1]

/** On a server and a provider of its own. */
const test = <A, E>(name: string, run: (provider: TestProvider) => Effect.Effect<A, E, Operator>, changed?: Changes) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const provider = yield* startProvider([first, second])
      yield* Effect.provide(run(provider), signedInBy(provider, changed))
    }).pipe(Effect.scoped)
  )

const optionsOf = ({ issuer }: TestProvider) => ({ issuer, clientId, audience, scope: "openid operate" })

const tokenAs = (provider: TestProvider, name: string) =>
  Effect.suspend(() => {
    provider.state.subject = subjectOf(name)
    return Effect.map(
      loginByBrowser(optionsOf(provider), (url) => Effect.promise(() => browse(url))),
      ({ token }) => token
    )
  })

const signIns = Effect.map(Operator, ({ state }) => state.audit.filter(({ method }) => method === "SIGN_IN"))

describe("operators of an identity provider", () => {
  test("sign in with tokens of it, under their own names and roles, and each token is written down once", (provider) =>
    Effect.gen(function* () {
      const { operate } = yield* Operator
      const key = yield* tokenAs(provider, "ada")
      const shown = yield* operate("GET", session, { key })
      assert.deepInclude(shown.body, { name: "ada", role: "admin", credential: "openid_connect" })
      assert.match(shown.body.expires_at, /^20/u)
      assert.strictEqual(
        (yield* operate("POST", tenants, { key, body: { slug: "acme", name: "a", kind: "SANDBOX" } })).status,
        201
      )
      const written = yield* signIns
      assert.lengthOf(written, 1)
      assert.deepInclude(written[0], { operator: "ada", role: "admin", status: 200, address: "127.0.0.1" })
      assert.deepInclude(written[0]?.params, { issuer: provider.issuer, subject: subjectOf("ada") })
      assert.notInclude(JSON.stringify(written), key.slice(-20))
      const other = yield* tokenAs(provider, "otto")
      assert.deepStrictEqual(
        codeOf(yield* operate("POST", tenants, { key: other, body: { slug: "b", name: "b", kind: "SANDBOX" } })),
        [403, "scope_missing"]
      )
      assert.lengthOf(yield* signIns, 2)
    }))

  test("are the person of that name who has a token, too: nobody approves an own proposal by signing in", (provider) =>
    Effect.gen(function* () {
      const { operate, seeder } = yield* Operator
      const tenant = yield* seeder.tenant({ policy: { adjustmentReviewUsd: "0" } })
      const root = `${tenants}/${tenant}/float-adjustments`
      const body = { currency: "USDT_ETH", amount: "600", against: "custodian", reason: "a reason" }
      const proposed = yield* operate("POST", root, { key: tokenOf("alice"), body })
      assert.strictEqual(proposed.body.state, "proposed")
      const approve = (key: string) => operate("POST", `${root}/${proposed.body.adjustment_id}/approve`, { key })
      const own = yield* approve(yield* tokenAs(provider, "alice"))
      assert.deepStrictEqual(codeOf(own), [409, "state_conflict"])
      // whatever the person may change at the provider
      for (const claims of [{ name: "Anna", email: "anna@example.com", preferred_username: "anna" }, { name: "ada" }])
        assert.deepStrictEqual(codeOf(yield* approve(yield* provider.sign(claims))), [409, "state_conflict"])
      assert.strictEqual((yield* approve(yield* tokenAs(provider, "ada"))).status, 200)
    }))

  test("are found by their subject alone: who takes somebody's name or address there is nobody here", (provider) =>
    Effect.gen(function* () {
      const { operate } = yield* Operator
      const posing = [
        { sub: "subject-of-mallory", preferred_username: "ada", email: "ada@example.com", name: "ada" },
        { sub: "SUBJECT-OF-ADA" },
        { sub: "subject-of-ada " },
        { sub: "ada" },
        { sub: ["subject-of-ada"] }
      ]
      for (const claims of posing)
        assert.deepStrictEqual(codeOf(yield* operate("GET", session, { key: yield* provider.sign(claims) })), [
          401,
          "key_invalid"
        ])
      const key = yield* tokenAs(provider, "ada")
      const misnamed = yield* operate("GET", session, { key, headers: { "x-operator": "alice" } })
      assert.deepStrictEqual(codeOf(misnamed), [422, "invalid_request"])
      assert.strictEqual((yield* operate("GET", session, { key, headers: { "x-operator": "ADA" } })).status, 200)
    }))

  test(
    "who are no operators any more are refused at once, and that is written down",
    (provider) =>
      Effect.gen(function* () {
        const { operate } = yield* Operator
        const key = yield* tokenAs(provider, "ada")
        assert.deepStrictEqual(codeOf(yield* operate("GET", session, { key })), [401, "key_invalid"])
        const [written] = yield* signIns
        assert.deepInclude(written, { operator: "(unknown)", role: "none", status: 401 })
        assert.deepInclude(written?.params, {
          subject: subjectOf("ada"),
          reason: "The token is of nobody who operates this service."
        })
      }),
    { operators: policy.operators.filter(({ name }) => name !== "ada") }
  )

  test(
    "have no more rights than the provider and the configuration both give",
    (provider) =>
      Effect.gen(function* () {
        const { operate } = yield* Operator
        const roleAs = (claims: Readonly<Record<string, unknown>>) =>
          Effect.flatMap(provider.sign(claims), (key) =>
            Effect.map(operate("GET", session, { key }), ({ body, status }) => (status === 200 ? body.role : status))
          )
        const given = [
          // otto is an operator here
          [{ sub: subjectOf("otto"), groups: { of: ["bursar-admins"] } }, "operator"],
          [{ sub: subjectOf("otto"), groups: { of: ["bursar-readers", "sales"] } }, "viewer"],
          [{ sub: subjectOf("ada"), groups: { of: ["bursar-readers", "bursar-approvers"] } }, "approver"],
          [{ sub: subjectOf("ada"), groups: { of: "bursar-admins" } }, "admin"],
          [{ sub: subjectOf("ada"), groups: { of: ["BURSAR-ADMINS"] } }, 401],
          [{ sub: subjectOf("ada"), groups: { of: [] } }, 401],
          [{ sub: subjectOf("ada"), groups: [{ of: "bursar-admins" }] }, 401],
          [{ sub: subjectOf("ada") }, 401],
          [{ sub: subjectOf("ada"), groups: { of: ["bursar-admins"] }, amr: ["pwd"] }, 401]
        ] as const
        for (const [claims, expected] of given)
          assert.strictEqual(yield* roleAs({ amr: ["pwd", "otp"], ...claims }), expected, JSON.stringify(claims))
      }),
    {
      requiredClaims: [{ claim: "amr", value: "otp" }],
      roles: {
        claim: "groups.of",
        of: new Map([
          ["bursar-admins", "admin"],
          ["bursar-approvers", "approver"],
          ["bursar-readers", "viewer"]
        ])
      }
    }
  )

  test("have a session in a browser for no longer than the token is taken that it began with", (provider) =>
    Effect.gen(function* () {
      const { operatorUrl } = yield* Operator
      const seconds = Math.floor(Date.now() / 1_000)
      // it may be used for one more minute, whatever the provider says
      const token = yield* provider.sign({ sub: subjectOf("ada"), iat: seconds - 3_540, exp: seconds + 86_400 })
      const begun = yield* Effect.promise(async () => {
        const answer = await fetch(`${operatorUrl}/operator/v1/sign-in`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ token })
        })
        return (await answer.json()) as { readonly expires_at: string } // the contract says so
      })
      assert.isAtMost(Date.parse(begun.expires_at), (seconds + 60) * 1_000)
    }))

  test("leave the shared token to nobody", () =>
    Effect.gen(function* () {
      const { operate } = yield* Operator
      const key = Redacted.value(settings.operatorToken)
      for (const headers of [{}, { "x-operator": "ada" }, { "x-operator": "somebody" }])
        assert.deepStrictEqual(codeOf(yield* operate("GET", session, { key, headers })), [401, "key_invalid"])
    }))

  test("who sign out are refused with the same token by that process, and both are in the log", (provider) =>
    Effect.gen(function* () {
      const { operate, state } = yield* Operator
      const key = yield* tokenAs(provider, "alice")
      assert.deepStrictEqual((yield* operate("POST", `${session}/end`, { key })).body, { ended: true })
      const replayed = yield* operate("GET", session, { key })
      assert.deepStrictEqual(
        [...codeOf(replayed), replayed.body.error.message],
        [401, "key_invalid", "You signed out: sign in again."]
      )
      // the bits of the last letter that mean nothing are no way back in: nothing of what is signed has changed
      const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
      const rewritten = `${key.slice(0, -1)}${alphabet.charAt(alphabet.indexOf(key.slice(-1)) ^ 1)}`
      assert.deepStrictEqual(codeOf(yield* operate("GET", session, { key: rewritten })), [401, "key_invalid"])
      assert.deepStrictEqual(
        state.audit.map(({ method, operator, route, status }) => [method, operator, route, status]),
        [
          ["SIGN_IN", "alice", session, 200],
          ["POST", "alice", `${session}/end`, null],
          ["POST", "alice", `${session}/end`, 200],
          ["SIGN_IN", "(unknown)", session, 401],
          ["SIGN_IN", "(unknown)", session, 401]
        ]
      )
      assert.strictEqual((yield* operate("GET", session, { key: yield* tokenAs(provider, "alice") })).status, 200)
      // a token of the service's own has no session
      assert.deepStrictEqual((yield* operate("POST", `${session}/end`, { key: tokenOf("alice") })).body, {
        ended: false
      })
      const shown = yield* operate("GET", session, { key: tokenOf("alice") })
      assert.deepInclude(shown.body, { name: "alice", credential: "token", expires_at: null })
    }))

  test("are told that the provider is away, while tokens of known keys and of the service go on", (provider) =>
    Effect.gen(function* () {
      const { operate } = yield* Operator
      const status = (key: string) => Effect.map(operate("GET", session, { key }), codeOf)
      const token = yield* provider.sign({ sub: subjectOf("ada") })
      provider.state.isAway = true
      const away = yield* operate("GET", session, { key: token })
      assert.deepStrictEqual(codeOf(away), [503, "provider_unavailable"])
      assert.match(away.body.error.message, /identity provider/u)
      assert.deepStrictEqual(yield* status(tokenOf("alice")), [200, undefined])
      assert.isEmpty(yield* signIns)
    }))

  test("are not kept out by strangers, who fill the log with ten refusals a minute and not with each", (provider) =>
    Effect.gen(function* () {
      const { operate } = yield* Operator
      const stranger = yield* provider.sign({ sub: "a stranger" })
      for (let count = 0; count < 30; count += 1)
        yield* operate("GET", session, { key: count % 2 === 0 ? stranger : "wrong" })
      assert.lengthOf(yield* signIns, 10)
      const key = yield* provider.sign({ sub: subjectOf("ada") })
      assert.strictEqual((yield* operate("GET", session, { key })).status, 200)
    }))

  it.live("do nothing and see nothing where their sign-in cannot be written down", () =>
    Effect.gen(function* () {
      const provider = yield* startProvider([first])
      const fails = Effect.fail(new StorageError({ doing: "write", cause: new Error("the disk is full") }))
      yield* Effect.gen(function* () {
        const { operate } = yield* Operator
        const key = yield* provider.sign({ sub: subjectOf("ada") })
        for (let count = 0; count < 2; count += 1)
          assert.strictEqual((yield* operate("GET", session, { key })).status, 503)
      }).pipe(
        Effect.provide(
          signedInBy(provider, {}, (state) =>
            Layer.merge(portsOver(state), Layer.mock(OperatorAudit, { append: () => fails }))
          )
        )
      )
    }).pipe(Effect.scoped)
  )
})
