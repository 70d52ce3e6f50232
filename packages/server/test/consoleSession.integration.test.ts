import { consoleHeader, shownHeader } from "@bursar/api/operator/consoleSession"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hashToken } from "../src/keys/operatorTokens.ts"
import { ConsoleFiles } from "../src/console/ConsoleFiles.ts"
import { Operator } from "./support/Operator.ts"
import { portsOver } from "./support/Partner.ts"
import { Layer } from "effect"

const tokenOf = (name: string) => `${name}-`.repeat(8)

const operators = (["ada", "vera"] as const).map((name) => ({
  name,
  role: name === "ada" ? ("admin" as const) : ("viewer" as const),
  tokenHash: hashToken(tokenOf(name)),
  expiresAt: null
}))

const files = Layer.succeed(
  ConsoleFiles,
  new Map([
    ["/index.html", new TextEncoder().encode("<!doctype html><title>Bursar</title>")],
    ["/assets/index.js", new TextEncoder().encode("console")]
  ])
)

const service = Operator.layerWith({ operators }, (state) => Layer.merge(portsOver(state), files))

const test = <A, E>(name: string, effect: Effect.Effect<A, E, Operator>) =>
  it.live(name, () => Effect.provide(effect, service))

const tenants = "/operator/v1/tenants"

/** A browser that sends what it was given, as the console's own pages ask for it unless other headers are given. */
const openBrowser = Effect.gen(function* () {
  const { operatorUrl } = yield* Operator
  let cookie = ""
  const ask = (
    method: string,
    path: string,
    {
      body,
      headers = { [consoleHeader]: "1", "sec-fetch-site": "same-origin" }
    }: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> } = {}
  ) =>
    Effect.promise(async () => {
      const answer = await fetch(`${operatorUrl}${path}`, {
        method,
        headers: { cookie, ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
        ...(body !== undefined && { body: JSON.stringify(body) })
      })
      const set = answer.headers.get("set-cookie")
      if (set !== null) cookie = set.split(";")[0] ?? ""
      const text = await answer.text()
      return {
        status: answer.status,
        set,
        headers: answer.headers,
        text,
        body: text.startsWith("{") ? JSON.parse(text) : null
      }
    })
  const signIn = (body: unknown) => ask("POST", "/operator/v1/sign-in", { body })
  return { ask, signIn }
})

const linkOf = (name: string) =>
  Effect.gen(function* () {
    const { operate } = yield* Operator
    const { body } = yield* operate("POST", "/operator/v1/session/link", { key: tokenOf(name) })
    return body.code as string // the contract says so
  })

describe("a browser's session", () => {
  test(
    "begins by a link that is good once, and is its owner's with its role",
    Effect.gen(function* () {
      const [browser, other] = [yield* openBrowser, yield* openBrowser]
      const code = yield* linkOf("vera")
      const begun = yield* browser.signIn({ code })
      assert.deepInclude(begun.body, { name: "vera", role: "viewer" })
      assert.match(begun.set ?? "", /HttpOnly/u)
      assert.match(begun.set ?? "", /SameSite=Strict/u)
      assert.notInclude(begun.text, (begun.set ?? "").split("=")[1]?.split(";")[0] ?? "?")
      assert.strictEqual((yield* browser.ask("GET", tenants)).status, 200)
      const forbidden = yield* browser.ask("POST", tenants, { body: { slug: "acme", name: "A", kind: "SANDBOX" } })
      assert.strictEqual(forbidden.status, 403)
      assert.strictEqual((yield* other.signIn({ code })).status, 401)
      assert.strictEqual((yield* other.ask("GET", tenants)).status, 401)
    })
  )

  test(
    "lasts four hours, by whatever it was begun",
    Effect.gen(function* () {
      const [one, two] = [yield* openBrowser, yield* openBrowser]
      const minutes = ({ body }: { readonly body: { readonly expires_at: string } }) =>
        Math.round((Date.parse(body.expires_at) - Date.now()) / 60_000)
      const byToken = minutes(yield* one.signIn({ token: tokenOf("ada") }))
      const byLink = minutes(yield* two.signIn({ code: yield* linkOf("ada") }))
      assert.deepStrictEqual([byToken, byLink], [240, 240])
    })
  )

  test(
    "begins by a token, and is no token: neither opens what the other does",
    Effect.gen(function* () {
      const { operate } = yield* Operator
      const browser = yield* openBrowser
      const { set } = yield* browser.signIn({ token: tokenOf("ada") })
      const secret = (set ?? "").split("=")[1]?.split(";")[0] ?? ""
      // every character of a secret counts
      const nearly = `${secret.slice(0, -1)}${secret.endsWith("A") ? "E" : "A"}`
      for (const [given, status] of [
        [secret, 200],
        [nearly, 401]
      ] as const) {
        const headers = { [consoleHeader]: "1", cookie: `bursar_session=${given}` }
        assert.strictEqual((yield* browser.ask("GET", tenants, { headers })).status, status)
      }
      assert.strictEqual((yield* operate("GET", tenants, { key: secret })).status, 401)
      assert.strictEqual((yield* browser.signIn({ code: secret })).status, 401)
      const headers = { [consoleHeader]: "1", cookie: `bursar_session=${secret}` }
      assert.strictEqual((yield* browser.ask("GET", tenants, { headers })).status, 200, "it ended the session")
      assert.strictEqual((yield* browser.signIn({ token: "wrong" })).status, 401)
      assert.strictEqual((yield* browser.signIn({ code: yield* linkOf("ada"), token: "both" })).status, 422)
    })
  )

  test(
    "does nothing for pages of other sites, whatever cookie the browser sends along",
    Effect.gen(function* () {
      const { state } = yield* Operator
      const browser = yield* openBrowser
      yield* browser.signIn({ token: tokenOf("ada") })
      const body = { slug: "acme", name: "A", kind: "SANDBOX" }
      const before = state.tenants.size
      for (const headers of [
        {},
        { "sec-fetch-site": "cross-site" },
        { [consoleHeader]: "1", "sec-fetch-site": "cross-site" },
        { [consoleHeader]: "1", "sec-fetch-site": "same-site" }
      ])
        assert.strictEqual((yield* browser.ask("POST", tenants, { body, headers })).status, 401)
      assert.strictEqual(state.tenants.size, before)
      const crossSite = { "sec-fetch-site": "cross-site" }
      const forced = yield* browser.ask("POST", "/operator/v1/sign-in", {
        body: { token: tokenOf("ada") },
        headers: crossSite
      })
      assert.strictEqual(forced.status, 401)
      assert.isNull(forced.set)
    })
  )

  test(
    "does nothing for a page that shows somebody else, who was signed in in the browser before",
    Effect.gen(function* () {
      const { state } = yield* Operator
      const browser = yield* openBrowser
      yield* browser.signIn({ token: tokenOf("vera") })
      yield* browser.signIn({ token: tokenOf("ada") })
      const body = { slug: "acme", name: "A", kind: "SANDBOX" }
      const own = { [consoleHeader]: "1", "sec-fetch-site": "same-origin" }
      const before = state.tenants.size
      for (const [shown, noted] of [
        ["vera", "vera"],
        ["ada, vera", undefined],
        ["", undefined]
      ] as const) {
        const headers = { ...own, [shownHeader]: shown }
        const refused = yield* browser.ask("POST", tenants, { body, headers })
        assert.strictEqual(refused.status, 409, shown)
        assert.deepInclude(refused.body.error, { code: "another_operator", detail: { operator: "ada" } })
        const record = state.audit.at(-1)
        assert.deepInclude(record, { operator: "ada", method: "POST", route: tenants, status: 409 })
        assert.strictEqual(record?.params["shown"], noted)
        // signing out would end the sessions of somebody else
        assert.strictEqual((yield* browser.ask("POST", "/operator/v1/session/end", { headers })).status, 409)
        // who it is can be read, and what there is
        assert.deepInclude((yield* browser.ask("GET", "/operator/v1/session", { headers })).body, { name: "ada" })
      }
      assert.strictEqual(state.tenants.size, before)
      const headers = { ...own, [shownHeader]: "ada" }
      assert.strictEqual((yield* browser.ask("POST", tenants, { body, headers })).status, 201)
      // a page of an earlier version says nothing of it
      const other = { ...body, slug: "other" }
      assert.strictEqual((yield* browser.ask("POST", tenants, { body: other, headers: own })).status, 201)
    })
  )

  test(
    "ends everywhere when its owner signs out, with links that were not used, and is in the log",
    Effect.gen(function* () {
      const { operate, state } = yield* Operator
      const [one, two] = [yield* openBrowser, yield* openBrowser]
      yield* one.signIn({ code: yield* linkOf("ada") })
      yield* two.signIn({ token: tokenOf("ada") })
      const unused = yield* linkOf("ada")
      assert.deepStrictEqual((yield* one.ask("POST", "/operator/v1/session/end")).body, { ended: true })
      assert.strictEqual((yield* one.ask("GET", tenants)).status, 401)
      assert.strictEqual((yield* two.ask("GET", tenants)).status, 401)
      assert.strictEqual((yield* two.signIn({ code: unused })).status, 401)
      assert.strictEqual((yield* operate("GET", tenants, { key: tokenOf("ada") })).status, 200)
      const log = state.audit.map(({ method, operator, status }) => `${operator} ${method} ${status}`)
      assert.strictEqual(log.filter((line) => line === "ada SIGN_IN 200").length, 2)
      assert.include(log, "(unknown) SIGN_IN 401")
      assert.notInclude(JSON.stringify(state.audit), unused)
    })
  )

  test(
    "is made, changed and prolonged by nobody who writes to the database",
    Effect.gen(function* () {
      const { state } = yield* Operator
      const browser = yield* openBrowser
      yield* browser.signIn({ token: tokenOf("ada") })
      const [[digest, pass] = assert.fail("no session is kept")] = [...state.operatorPasses]
      const tried = (change: Partial<typeof pass>) => {
        state.operatorPasses.set(digest, { ...pass, ...change })
        return Effect.map(browser.ask("GET", "/operator/v1/session"), ({ body, status }) => [status, body?.role])
      }
      assert.deepStrictEqual(yield* tried({}), [200, "admin"])
      const forged: ReadonlyArray<Partial<typeof pass>> = [
        { role: "viewer" },
        { role: "owner" },
        { operator: "vera" },
        { credential: "shared_token" },
        { expiresAt: pass.expiresAt + 1 },
        { credentialExpiresAt: pass.expiresAt + 1 },
        { createdAt: pass.createdAt + 1 },
        { seal: hashToken("another") },
        { kind: "LINK" }
      ]
      for (const change of forged) assert.deepStrictEqual(yield* tried(change), [401, undefined])
      // a row that somebody made for a secret of their own
      const secret = "x".repeat(43)
      state.operatorPasses.set(hashToken(secret), { ...pass, digest: hashToken(secret) })
      const stolen = yield* browser.ask("GET", tenants, {
        headers: { [consoleHeader]: "1", cookie: `bursar_session=${secret}` }
      })
      assert.strictEqual(stolen.status, 401)
      assert.deepStrictEqual(yield* tried({}), [200, "admin"])
    })
  )
})

describe("the console's files", () => {
  test(
    "are for anybody who asks for a page, under a policy that runs nothing else, and hide no endpoint",
    Effect.gen(function* () {
      const browser = yield* openBrowser
      const html = { accept: "text/html" }
      for (const path of ["/", "/operations/a/b?c=d"]) {
        const page = yield* browser.ask("GET", path, { headers: html })
        assert.deepStrictEqual([page.status, page.text.slice(0, 15)], [200, "<!doctype html>"])
        assert.include(page.headers.get("content-security-policy") ?? "", "script-src 'self';")
        assert.strictEqual(page.headers.get("x-frame-options"), "DENY")
      }
      const script = yield* browser.ask("GET", "/assets/index.js", { headers: {} })
      assert.strictEqual(script.headers.get("content-type"), "text/javascript; charset=utf-8")
      assert.strictEqual((yield* browser.ask("GET", tenants, { headers: html })).status, 401)
      assert.strictEqual((yield* browser.ask("GET", "/operator/v2", { headers: html })).status, 404)
      assert.strictEqual((yield* browser.ask("GET", "/assets/other.js", { headers: {} })).status, 404)
      assert.strictEqual((yield* browser.ask("POST", "/", { headers: html })).status, 404)
    })
  )
})

describe("a search", () => {
  test(
    "finds a tenant by its slug and its id, and nothing by half of them",
    Effect.gen(function* () {
      const { operate } = yield* Operator
      const made = yield* operate("POST", tenants, { body: { slug: "acme-bank", name: "A", kind: "SANDBOX" } })
      const find = (text: string) =>
        Effect.map(operate("GET", `/operator/v1/search?text=${encodeURIComponent(text)}`), ({ body }) =>
          body.found.map(({ what, tenant_id }: Record<string, unknown>) => [what, tenant_id])
        )
      assert.deepStrictEqual(yield* find("acme-bank"), [["tenant", made.body.id]])
      assert.deepStrictEqual(yield* find(made.body.id), [["tenant", made.body.id]])
      assert.deepStrictEqual(yield* find("acme"), [])
      assert.strictEqual((yield* operate("GET", "/operator/v1/search")).status, 422)
    })
  )

  test(
    "is listed for its owner and for administrators, and ended by them alone, at once",
    Effect.gen(function* () {
      const { operate, state } = yield* Operator
      const [ada, vera, second] = [yield* openBrowser, yield* openBrowser, yield* openBrowser]
      yield* ada.signIn({ token: tokenOf("ada") })
      yield* vera.signIn({ token: tokenOf("vera") })
      yield* second.signIn({ token: tokenOf("vera") })
      const sessions = "/operator/v1/sessions"
      const listed = (browser: typeof ada) => Effect.map(browser.ask("GET", sessions), ({ body }) => body.sessions)
      const mine = yield* listed(vera)
      assert.deepStrictEqual(
        mine.map(({ operator }: { operator: string }) => operator),
        ["vera", "vera"]
      )
      const all = yield* listed(ada)
      assert.lengthOf(all, 3)
      const own = all.find(({ is_own }: { is_own: boolean }) => is_own)
      assert.deepInclude(own, { operator: "ada", role: "admin", credential: "token" })
      // nobody ends what is not shown to them, and what is shown is no secret
      assert.strictEqual((yield* vera.ask("POST", `${sessions}/${own.id}/end`)).status, 404)
      const headers = { [consoleHeader]: "1", cookie: `bursar_session=${own.id}` }
      assert.strictEqual((yield* vera.ask("GET", tenants, { headers })).status, 401)
      const other = mine.find(({ is_own }: { is_own: boolean }) => !is_own)
      assert.lengthOf((yield* vera.ask("POST", `${sessions}/${other.id}/end`)).body.sessions, 1)
      assert.strictEqual((yield* second.ask("GET", tenants)).status, 401)
      assert.strictEqual((yield* vera.ask("GET", tenants)).status, 200)
      assert.strictEqual((yield* ada.ask("POST", `${sessions}/${other.id}/end`)).status, 404)
      const [left] = yield* listed(vera)
      yield* ada.ask("POST", `${sessions}/${left.id}/end`)
      assert.strictEqual((yield* vera.ask("GET", tenants)).status, 401)
      // what somebody has written into the database lets nobody in, and is no session
      const forged = "ab".repeat(32)
      for (const pass of [...state.operatorPasses.values()].slice(0, 1))
        state.operatorPasses.set(forged, { ...pass, digest: forged, role: "admin" })
      assert.lengthOf(yield* listed(ada), 1)
      const people = (yield* operate("GET", "/operator/v1/operators")).body
      assert.deepInclude(people, { shared_token: false })
      assert.deepInclude(people.operators, { name: "vera", role: "viewer", credential: "token", expires_at: null })
      assert.notInclude(JSON.stringify(people), hashToken(tokenOf("vera")))
    })
  )
})
