import { makeOidcTokens } from "@bursar/oidc/OidcTokens"
import { loginByBrowser, loginByDevice, refreshLogin, revokeLogin } from "@bursar/oidc/OidcLogin"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { browse } from "./support/browse.ts"
import { fetchJson } from "./support/fetchJson.ts"
import { audience, clientId, makeKey, startProvider } from "./support/startProvider.ts"

const keys = await Promise.all([makeKey("RS256", "first"), makeKey("ES256", "second"), makeKey("EdDSA", "third")])

const optionsOf = (issuer: string) => ({ issuer, clientId, audience, scope: "openid offline_access operate" })

const visit = (url: string) => Effect.promise(() => browse(url))

describe("signing in at a real provider", () => {
  it.live("with a browser gives an access token for the service, which is renewed until it is revoked", () =>
    Effect.gen(function* () {
      const { issuer, state } = yield* startProvider(keys)
      state.roles.set("subject-of-alice", ["approvers"])
      const options = optionsOf(issuer)
      const signedIn = yield* loginByBrowser(options, (url) =>
        Effect.gen(function* () {
          assert.include(url, "code_challenge_method=S256")
          // a page that does not know the state ends nothing
          const back = new URL(url).searchParams.get("redirect_uri") ?? ""
          assert.strictEqual((yield* Effect.promise(() => fetch(`${back}?code=stolen&state=guessed`))).status, 404)
          assert.include(yield* visit(url), "You are signed in")
        })
      )
      const { verify } = yield* makeOidcTokens({ issuer, audience, clients: [clientId], fetchDocument: fetchJson })
      const verified = yield* verify(signedIn.token)
      assert.deepInclude(verified, { issuer, subject: "subject-of-alice", expiresAt: signedIn.expiresAt })
      assert.deepStrictEqual(verified.claims["roles"], ["approvers"])
      const renewed = yield* refreshLogin(options, signedIn.refreshToken ?? "")
      assert.strictEqual((yield* verify(renewed.token)).subject, "subject-of-alice")
      assert.isTrue(yield* revokeLogin(options, renewed.refreshToken))
      assert.match(String(yield* Effect.flip(refreshLogin(options, renewed.refreshToken))), /refused/u)
    }).pipe(Effect.scoped)
  )

  it.live("with a browser elsewhere gives a token to whoever the code was confirmed for", () =>
    Effect.gen(function* () {
      const { issuer, state } = yield* startProvider(keys)
      state.subject = "subject-of-bob"
      const signedIn = yield* loginByDevice(optionsOf(issuer), ({ code, url }) =>
        Effect.gen(function* () {
          assert.include(url, code)
          yield* visit(url)
        })
      )
      const { verify } = yield* makeOidcTokens({ issuer, audience, clients: [clientId], fetchDocument: fetchJson })
      assert.strictEqual((yield* verify(signedIn.token)).subject, "subject-of-bob")
    }).pipe(Effect.scoped)
  )

  it.live("gives the ID token where the service is the client itself", () =>
    Effect.gen(function* () {
      const { issuer } = yield* startProvider(keys)
      const options = { ...optionsOf(issuer), audience: clientId }
      const { token } = yield* loginByBrowser(options, visit)
      const { verify } = yield* makeOidcTokens({ issuer, audience: clientId, fetchDocument: fetchJson })
      assert.strictEqual((yield* verify(token)).subject, "subject-of-alice")
    }).pipe(Effect.scoped)
  )

  it.live("says so where the provider is away, or refuses", () =>
    Effect.gen(function* () {
      const { issuer, state } = yield* startProvider(keys)
      const denied = loginByBrowser(optionsOf(issuer), (url) =>
        Effect.promise(() => {
          const asked = new URL(url).searchParams
          const back = `${asked.get("redirect_uri")}?error=access_denied&state=${asked.get("state")}&iss=${encodeURIComponent(issuer)}`
          return fetch(back)
        })
      )
      assert.match(String(yield* Effect.flip(denied)), /refused/u)
      state.isAway = true
      assert.match(String(yield* Effect.flip(loginByBrowser(optionsOf(issuer), visit))), /could not be asked/u)
    }).pipe(Effect.scoped)
  )
})
