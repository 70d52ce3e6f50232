import { IdentityUnavailable, TokenRefused } from "@bursar/core/port/IdentityTokens"
import { makeOidcTokens } from "@bursar/oidc/OidcTokens"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { exportJWK, exportSPKI, SignJWT, UnsecuredJWT } from "jose"
import { fetchJson } from "./support/fetchJson.ts"
import {
  audience,
  clientId,
  makeKey,
  otherClientId,
  startProvider,
  type TestProvider
} from "./support/startProvider.ts"

const [rsa, ec, ed, next] = await Promise.all([
  makeKey("RS256", "first"),
  makeKey("ES256", "second"),
  makeKey("EdDSA", "third"),
  makeKey("ES256", "fourth")
])
const all = [rsa, ec, ed]

/** A provider, and a service that takes its tokens, at the time of day. */
const opened = Effect.gen(function* () {
  yield* TestClock.setTime(Date.now())
  const provider = yield* startProvider(all)
  const tokens = yield* makeOidcTokens({
    issuer: provider.issuer,
    audience,
    clients: [clientId],
    fetchDocument: fetchJson
  })
  return { provider, verify: tokens.verify }
})

const now = () => Math.floor(Date.now() / 1_000)

/** What a service says of a token: that it takes it, or why not. */
const judged = ({ verify }: Effect.Success<typeof opened>, token: string) =>
  Effect.map(Effect.result(verify(token)), (result) =>
    Result.isSuccess(result) ? "taken" : `${result.failure._tag}: ${result.failure.reason}`
  )

const usual = ({ issuer }: TestProvider) => ({
  iss: issuer,
  aud: audience,
  sub: "subject-of-alice",
  client_id: clientId,
  iat: now(),
  exp: now() + 300
})

describe("a token", () => {
  it.effect("of each algorithm is taken, for whoever it was signed for", () =>
    Effect.gen(function* () {
      const { provider, verify } = yield* opened
      for (const key of all) {
        const verified = yield* verify(yield* provider.sign({ jti: key.kid }, { key }))
        assert.deepInclude(verified, { issuer: provider.issuer, subject: "subject-of-alice" })
      }
      assert.lengthOf(
        provider.state.requests.filter((url) => url.includes("jwks")),
        1
      )
    }).pipe(Effect.scoped)
  )

  it.effect("ends with its expiry, or when it was issued too long ago", () =>
    Effect.gen(function* () {
      const { provider, verify } = yield* opened
      const iat = now()
      for (const [exp, expected] of [
        [iat + 300, iat + 300],
        [iat + 86_400, iat + 3_600]
      ] as const) {
        const { expiresAt } = yield* verify(yield* provider.sign({ iat, exp }))
        assert.strictEqual(expiresAt, expected * 1_000)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("that is not signed, or with what everybody knows, is refused", () =>
    Effect.gen(function* () {
      const world = yield* opened
      const claims = usual(world.provider)
      const pem = yield* Effect.promise(() => exportSPKI(rsa.publicKey))
      const jwk = yield* Effect.promise(() => exportJWK(rsa.publicKey))
      const encoder = new TextEncoder()
      const secrets = [pem, pem.trim(), JSON.stringify(jwk), jwk.n ?? ""].map((text) => encoder.encode(text))
      const confused = yield* Effect.forEach(secrets, (secret) =>
        Effect.promise(() => new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid: "first" }).sign(secret))
      )
      const [head = "", body = ""] = (yield* world.provider.sign({})).split(".")
      for (const token of [new UnsecuredJWT(claims).encode(), ...confused])
        assert.match(yield* judged(world, token), /TokenRefused: .*must be signed with/u)
      for (const token of [`${head}.${body}.`, `${head}.${body}.AAAA`])
        assert.match(yield* judged(world, token), /TokenRefused: The signature/u)
      for (const token of ["", "a.b.c", "..", `${head}.${body}`])
        assert.match(yield* judged(world, token), /TokenRefused/u)
    }).pipe(Effect.scoped)
  )

  it.effect("that was changed, or brings a key of its own, is refused", () =>
    Effect.gen(function* () {
      const world = yield* opened
      const thief = yield* Effect.promise(() => makeKey("RS256", "first"))
      const jwk = yield* Effect.promise(() => exportJWK(thief.publicKey))
      const headers = [
        { alg: "RS256", kid: "first" },
        { alg: "RS256", kid: "first", jwk },
        { alg: "RS256", kid: "first", jku: `${world.provider.issuer}/mine` },
        { alg: "RS256", kid: "of the thief" },
        { alg: "RS256" }
      ]
      for (const header of headers) {
        const token = yield* Effect.promise(() =>
          new SignJWT(usual(world.provider)).setProtectedHeader(header).sign(thief.privateKey)
        )
        assert.match(yield* judged(world, token), /TokenRefused/u, JSON.stringify(header))
      }
      const [head = "", body = "", signature = ""] = (yield* world.provider.sign({})).split(".")
      const claims = JSON.parse(Buffer.from(body, "base64url").toString())
      const changed = Buffer.from(JSON.stringify({ ...claims, sub: "subject-of-bob" })).toString("base64url")
      assert.match(yield* judged(world, `${head}.${changed}.${signature}`), /TokenRefused: The signature/u)
    }).pipe(Effect.scoped)
  )

  const claims: ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>, RegExp]> = [
    ["for another audience", { aud: "https://elsewhere.example.com" }, /another audience/u],
    ["without an audience", { aud: undefined }, /another audience/u],
    ["of another issuer", { iss: "https://elsewhere.example.com" }, /another issuer/u],
    ["of an issuer that differs by a slash", { iss: "http://127.0.0.1/" }, /another issuer/u],
    ["given to another party", { azp: otherClientId }, /another client/u],
    ["given to a list of parties", { azp: [clientId] }, /another client/u],
    [
      "for several audiences and no party",
      { aud: [audience, "https://elsewhere.example.com"], client_id: undefined },
      /several audiences/u
    ],
    ["that has expired", { exp: now() - 60, iat: now() - 120 }, /has expired/u],
    ["that was issued too long ago", { iat: now() - 7_200, exp: now() + 7_200 }, /too long ago/u],
    ["that was issued in the future", { iat: now() + 600, exp: now() + 900 }, /in the future/u],
    ["that is not valid yet", { nbf: now() + 600 }, /not valid yet/u],
    ["that never expires", { exp: undefined }, /lacks what it must say: exp/u],
    ["that does not say when it was issued", { iat: undefined }, /issued in the future, or not when/u],
    ["of nobody", { sub: undefined }, /lacks what it must say: sub/u],
    ["of the empty subject", { sub: "" }, /does not say who/u],
    ["of a number", { sub: 7 }, /does not say who/u],
    ["that tells of a logout", { events: { "http://schemas.openid.net/event/backchannel-logout": {} } }, /neither/u]
  ]
  for (const [name, changed, reason] of claims) {
    it.effect(`${name} is refused, though the provider has signed it`, () =>
      Effect.gen(function* () {
        const world = yield* opened
        assert.match(yield* judged(world, yield* world.provider.sign(changed)), reason)
      }).pipe(Effect.scoped)
    )
  }

  it.effect("that was given to another client of the provider is refused", () =>
    Effect.gen(function* () {
      const world = yield* opened
      for (const claims of [
        { client_id: otherClientId },
        { azp: otherClientId },
        { azp: otherClientId, client_id: clientId }
      ])
        assert.match(yield* judged(world, yield* world.provider.sign(claims)), /another client/u)
    }).pipe(Effect.scoped)
  )

  it.effect("of another type is refused, such as a logout token", () =>
    Effect.gen(function* () {
      const world = yield* opened
      for (const typ of ["logout+jwt", "secevent+jwt", "token-introspection+jwt", "dpop+jwt"])
        assert.match(yield* judged(world, yield* world.provider.sign({}, { typ })), /neither an ID token/u)
      assert.strictEqual(yield* judged(world, yield* world.provider.sign({}, { typ: "JWT" })), "taken")
    }).pipe(Effect.scoped)
  )

  it.effect("of another provider with the same names of keys is refused", () =>
    Effect.gen(function* () {
      const world = yield* opened
      const others = [yield* Effect.promise(() => makeKey("RS256", "first"))]
      const other = yield* startProvider(others)
      assert.match(yield* judged(world, yield* other.sign({})), /TokenRefused/u)
      assert.match(
        yield* judged(world, yield* other.sign({ iss: world.provider.issuer })),
        /TokenRefused: The signature/u
      )
    }).pipe(Effect.scoped)
  )

  it.effect("that expired within the tolerance of clocks is taken, and no longer", () =>
    Effect.gen(function* () {
      const world = yield* opened
      const token = yield* world.provider.sign({ exp: now() + 10 })
      yield* TestClock.adjust("12 seconds")
      assert.strictEqual(yield* judged(world, token), "taken")
      yield* TestClock.adjust("10 seconds")
      assert.match(yield* judged(world, token), /has expired/u)
    }).pipe(Effect.scoped)
  )
})

describe("keys of a provider", () => {
  it.effect("that are new are found, and those that it withdrew are believed for ten minutes at most", () =>
    Effect.gen(function* () {
      const world = yield* opened
      const old = yield* world.provider.sign({ exp: now() + 3_000 }, { key: rsa })
      assert.strictEqual(yield* judged(world, old), "taken")
      world.provider.rotate([ec, next])
      const token = yield* world.provider.sign({}, { key: next })
      yield* TestClock.adjust("11 seconds")
      assert.strictEqual(yield* judged(world, token), "taken")
      // the new set does not have it
      assert.match(yield* judged(world, old), /does not have/u)
    }).pipe(Effect.scoped)
  )

  it.effect("are asked for once in ten seconds, however many unknown ones are named", () =>
    Effect.gen(function* () {
      const world = yield* opened
      const strange = { ...next, kid: "strange" }
      const { requests } = world.provider.state
      const token = yield* world.provider.sign({}, { key: strange })
      yield* TestClock.adjust("1 minute")
      const before = requests.length
      yield* Effect.forEach(Array.from({ length: 50 }), () => judged(world, token), { concurrency: 16 })
      // the configuration and the keys, once
      assert.strictEqual(requests.length - before, 2)
      yield* TestClock.adjust("11 seconds")
      yield* judged(world, token)
      assert.strictEqual(requests.length - before, 4)
    }).pipe(Effect.scoped)
  )

  it.effect(
    "that are known still work while the provider is away; what needs others says so, and the provider is spared",
    () =>
      Effect.gen(function* () {
        const world = yield* opened
        const { state } = world.provider
        const [known, unknown] = [
          yield* world.provider.sign({}, { key: ec }),
          yield* world.provider.sign({}, { key: next })
        ]
        assert.strictEqual(yield* judged(world, known), "taken")
        state.isAway = true
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(yield* judged(world, known), "taken")
        const before = state.requests.length
        for (let count = 0; count < 20; count += 1)
          assert.instanceOf(yield* Effect.flip(world.verify(unknown)), IdentityUnavailable)
        assert.strictEqual(state.requests.length - before, 1)
        assert.strictEqual(yield* judged(world, known), "taken")
        // beyond that time the keys may have been withdrawn
        yield* TestClock.adjust("10 minutes")
        const later = yield* world.provider.sign({ iat: now() + 600, exp: now() + 900 }, { key: ec })
        assert.instanceOf(yield* Effect.flip(world.verify(later)), IdentityUnavailable)
        state.isAway = false
        yield* TestClock.adjust("6 seconds")
        assert.strictEqual(yield* judged(world, later), "taken")
      }).pipe(Effect.scoped)
  )

  it.effect("that are known work while the provider hangs and forged tokens name unknown ones", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.now())
      const provider = yield* startProvider(all)
      let hangs = false
      let reads = 0
      const { verify } = yield* makeOidcTokens({
        issuer: provider.issuer,
        audience,
        clients: [clientId],
        fetchDocument: (url) => {
          reads += 1
          return hangs
            ? Effect.delay(Effect.fail(new IdentityUnavailable({ reason: "no answer" })), "10 seconds")
            : fetchJson(url)
        }
      })
      const good = yield* provider.sign({}, { key: ec })
      const forged = yield* provider.sign({}, { key: { ...next, kid: "nobody's" } })
      yield* verify(good)
      yield* TestClock.adjust("11 seconds")
      hangs = true
      reads = 0
      const waiting = yield* Effect.forEach(Array.from({ length: 30 }), () =>
        Effect.forkChild(Effect.flip(verify(forged)))
      )
      // the clock stands still: nobody waits for the provider
      assert.strictEqual((yield* verify(good)).subject, "subject-of-alice")
      yield* TestClock.adjust("10 seconds")
      for (const one of waiting) assert.instanceOf(yield* Fiber.join(one), IdentityUnavailable)
      assert.strictEqual(reads, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("are not read from a provider that is somebody else, or by a way that others can change", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.now())
      const provider = yield* startProvider(all)
      const token = yield* provider.sign({})
      const lies = [
        { issuer: "https://elsewhere.example.com", jwks_uri: `${provider.issuer}/jwks` },
        { issuer: "https://id.example.com", jwks_uri: "http://id.example.com/jwks" },
        { issuer: "https://id.example.com", jwks_uri: `${provider.issuer}/jwks` },
        { issuer: "https://id.example.com" },
        "nothing"
      ]
      for (const lie of lies) {
        const read: Array<string> = []
        const { verify } = yield* makeOidcTokens({
          issuer: "https://id.example.com",
          audience,
          fetchDocument: (url) => {
            read.push(url)
            return Effect.succeed(lie)
          }
        })
        assert.instanceOf(yield* Effect.flip(verify(token)), IdentityUnavailable)
        assert.deepStrictEqual(read, ["https://id.example.com/.well-known/openid-configuration"])
      }
    }).pipe(Effect.scoped)
  )

  it.effect("may be none, and then every token is refused", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.now())
      const provider = yield* startProvider(all)
      const { verify } = yield* makeOidcTokens({
        issuer: provider.issuer,
        audience,
        fetchDocument: (url) =>
          Effect.succeed(
            url.endsWith("configuration")
              ? { issuer: provider.issuer, jwks_uri: `${provider.issuer}/jwks` }
              : { keys: [] }
          )
      })
      assert.instanceOf(yield* Effect.flip(verify(yield* provider.sign({}))), TokenRefused)
    }).pipe(Effect.scoped)
  )
})
