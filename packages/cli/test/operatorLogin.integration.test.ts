import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { browse } from "../../providers/oidc/test/support/browse.ts"
import { audience, clientId, makeKey, startProvider } from "../../providers/oidc/test/support/startProvider.ts"
import { bursar, start } from "./support/bursar.ts"
import { tempDir } from "./support/tempDir.ts"
import { environmentOf, migratedDatabase, serve } from "./support/world.ts"

const keys = [await makeKey("RS256", "first")]

/** A server whose operators sign in at a real provider, and a person at a terminal. */
const opened = Effect.gen(function* () {
  const [{ url }, provider, folder] = [yield* migratedDatabase, yield* startProvider(keys), yield* tempDir]
  const { OPERATOR_TOKEN: _shared, ...env } = environmentOf(url)
  const server = yield* serve({
    ...env,
    OPERATORS: "alice:admin:oidc-subject-of-alice",
    OPERATOR_OIDC_ISSUER: provider.issuer,
    OPERATOR_OIDC_AUDIENCE: audience,
    OPERATOR_OIDC_CLIENTS: clientId
  })
  const session = join(folder, "state", "session.json")
  const surroundings = {
    cwd: folder,
    env: {
      BURSAR_OPERATOR_URL: server.operatorUrl,
      BURSAR_SESSION: session,
      OPERATOR_OIDC_ISSUER: provider.issuer,
      OPERATOR_OIDC_CLIENT_ID: clientId,
      OPERATOR_OIDC_AUDIENCE: audience
    }
  }
  const login = Effect.fnUntraced(function* (...more: ReadonlyArray<string>) {
    const command = yield* start(["operator", "login", ...more], surroundings)
    const line = yield* command.prints(/http:\/\/127\.0\.0\.1:\d+\/(?:auth|device)\?/u)
    yield* Effect.promise(() => browse(/http\S+/u.exec(line)?.[0] ?? ""))
    return { code: yield* command.ended, output: yield* command.output }
  })
  const run = (...args: ReadonlyArray<string>) => bursar(args, surroundings)
  return { login, provider, run, server, session, surroundings }
})

describe("bursar operator login", () => {
  it.live("signs a person in, keeps the session for its owner alone, and sends it to that service only", () =>
    Effect.gen(function* () {
      const { login, run, session, surroundings } = yield* opened
      assert.include((yield* run("tenant", "list")).stderr, "bursar operator login")
      const { code, output } = yield* login()
      assert.strictEqual(code, 0, output)
      assert.match(output, /alice/u)
      assert.strictEqual(statSync(session).mode & 0o777, 0o600)
      const { token } = JSON.parse(readFileSync(session, "utf8"))
      assert.notInclude(output, token)
      const shown = yield* run("operator", "whoami", "--json")
      assert.deepInclude(JSON.parse(shown.stdout), { name: "alice", role: "admin", credential: "openid_connect" })
      assert.strictEqual((yield* run("tenant", "list")).code, 0)

      const seen: Array<string | undefined> = []
      const thief = createServer((request, response) => {
        seen.push(request.headers.authorization)
        response.writeHead(401).end()
      })
      yield* Effect.acquireRelease(
        Effect.promise(() => new Promise<void>((resolve) => thief.listen(0, "127.0.0.1", resolve))),
        () => Effect.promise(() => new Promise<void>((resolve) => thief.close(() => resolve())))
      )
      const elsewhere = `http://127.0.0.1:${(thief.address() as AddressInfo).port}`
      const refused = yield* bursar(["tenant", "list", "--operator-url", elsewhere], surroundings)
      assert.strictEqual(refused.code, 1)
      assert.isEmpty(seen)

      chmodSync(session, 0o640)
      assert.include((yield* run("tenant", "list")).stderr, "others than its owner can read or write")
    }).pipe(Effect.scoped)
  )

  it.live("renews the session, until logout ends it at the service and at the provider, and both are in the log", () =>
    Effect.gen(function* () {
      const { login, run, server, session } = yield* opened
      assert.strictEqual((yield* login("--device", "--scope", "openid offline_access operate")).code, 0)
      const kept = JSON.parse(readFileSync(session, "utf8"))
      writeFileSync(session, JSON.stringify({ ...kept, expires_at: 0 }))
      assert.strictEqual((yield* run("tenant", "list")).code, 0)
      const renewed = JSON.parse(readFileSync(session, "utf8"))
      assert.notStrictEqual(renewed.token, kept.token)
      assert.strictEqual(statSync(session).mode & 0o777, 0o600)

      const ended = yield* run("operator", "logout", "--json")
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.deepStrictEqual(JSON.parse(ended.stdout), { ended_at_service: true, revoked_at_provider: true })
      assert.isFalse(existsSync(session))
      assert.include((yield* run("operator", "logout")).stderr, "not signed in")
      const replayed = yield* Effect.promise(() =>
        fetch(`${server.operatorUrl}/operator/v1/session`, { headers: { authorization: `Bearer ${renewed.token}` } })
      )
      assert.strictEqual(replayed.status, 401)
      // who copied the file before can do nothing with what renews it
      writeFileSync(session, JSON.stringify({ ...renewed, expires_at: 0 }), { mode: 0o600 })
      const stolen = yield* run("tenant", "list")
      assert.strictEqual(stolen.code, 1)
      assert.include(stolen.stderr, "bursar operator login")

      assert.strictEqual((yield* login()).code, 0)
      const log = JSON.parse((yield* run("audit", "list", "--json")).stdout)
      const told = log.map((one: Record<string, unknown>) => [one["operator"], one["method"], one["status"]])
      assert.deepInclude(told, ["alice", "SIGN_IN", 200])
      assert.deepInclude(told, ["(unknown)", "SIGN_IN", 401])
      assert.deepInclude(told, ["alice", "POST", 200])
    }).pipe(Effect.scoped)
  )

  it.live("keeps no session of a person whom the service does not know", () =>
    Effect.gen(function* () {
      const { login, provider, session } = yield* opened
      provider.state.subject = "subject-of-mallory"
      const { code, output } = yield* login()
      assert.strictEqual(code, 1)
      assert.include(output, "nobody who operates this service")
      assert.isFalse(existsSync(session))
    }).pipe(Effect.scoped)
  )
})
