import { environmentFor } from "./support/environmentFor.ts"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { bursar, type Ended, start } from "./support/bursar.ts"
import { tempDir } from "./support/tempDir.ts"
import { openTenant, operatorOn, partnerOn, untilLetIn } from "./support/tenant.ts"
import { environmentOf, migratedDatabase, secrets, serve } from "./support/world.ts"

/** A server, and a terminal in an empty directory from which it is operated. */
const openTerminal = Effect.gen(function* () {
  const { url } = yield* migratedDatabase
  const env = environmentOf(url)
  const [server, cwd] = [yield* serve(env), yield* tempDir]
  const operated = {
    BURSAR_OPERATOR_URL: server.operatorUrl,
    OPERATOR_TOKEN: secrets.OPERATOR_TOKEN,
    DATABASE_URL: url
  }
  const run = (...args: ReadonlyArray<string>) => bursar(args, { env: operated, cwd })
  return {
    url,
    env,
    cwd,
    server,
    operator: yield* operatorOn(server.operatorUrl),
    operated,
    run,
    /** Runs a command that must go well, and reads what it prints for programs. */
    json: (...args: ReadonlyArray<string>) =>
      Effect.map(run(...args, "--json"), (ended) => {
        assert.deepInclude(ended, { code: 0, stderr: "" }, args.join(" "))
        return JSON.parse(ended.stdout)
      })
  }
})

class Terminal extends Context.Service<Terminal, Effect.Success<typeof openTerminal>>()("test/Terminal") {
  static readonly layer = Layer.effect(Terminal, openTerminal)
}

/** The command failed and said only this, on the error stream. */
const assertRefused = ({ code, stderr, stdout }: Ended, says: RegExp) => {
  assert.deepStrictEqual([code, stdout], [1, ""])
  assert.match(stderr, says)
  // A sentence or a list for a person, not the trace of a bug.
  assert.notMatch(stderr, /^\s+at .*:\d+:\d+\)?$/mu)
}

layer(Terminal.layer, { excludeTestServices: true })("an operator at a terminal", (it) => {
  it.effect("makes a tenant and reads it back, as a person and as a program", () =>
    Effect.gen(function* () {
      const { json, run } = yield* Terminal
      const created = yield* run("tenant", "create", "acme", "--name", "Acme Payments", "--allow", "203.0.113.0/24")
      assert.strictEqual(created.code, 0, created.stderr)
      assert.match(created.stdout, /^name +Acme Payments$/mu)
      assert.match(created.stdout, /^status +ACTIVE$/mu)
      assert.match(created.stdout, /^ip_allowlist +203\.0\.113\.0\/24$/mu)
      const [shown, listed] = yield* Effect.all([json("tenant", "show", "acme"), run("tenant", "list")], {
        concurrency: 2
      })
      assert.deepInclude(shown, { slug: "acme", kind: "SANDBOX", ip_allowlist: ["203.0.113.0/24"] })
      const [heading, row] = listed.stdout.trim().split("\n")
      assert.match(heading ?? "", /^SLUG +KIND +STATUS +ID +CREATED_AT$/u)
      assert.match(row ?? "", new RegExp(`^acme +SANDBOX +ACTIVE +${shown.id} `, "u"))
      const changed = yield* json(
        "tenant",
        "set",
        "acme",
        "--allow-any",
        "--ceiling",
        "90",
        "--credit-historical",
        "yes"
      )
      assert.deepInclude(changed, { ip_allowlist: null, tenant_ceiling_per_minute: 90, credit_historical: true })
      yield* json("tenant", "set", "acme", "--payouts-off-on", "tron", "--payouts-off-on", "bitcoin")
      // somebody who does not know of the other's network
      const replaced = yield* run("tenant", "set", "acme", "--payouts-off-on", "tron", "--allow", "203.0.113.0/24")
      assert.match(replaced.stdout, /^No longer in payouts_off_on: bitcoin$/mu)
      assert.match(replaced.stdout, /^No longer in ip_allowlist: any$/mu)
      assert.deepInclude(yield* json("tenant", "suspend", shown.id), { slug: "acme", status: "SUSPENDED" })
    })
  )

  it.effect("makes a key that is shown once, and revokes it for everybody within five seconds", () =>
    Effect.gen(function* () {
      const { json, operator, run, server } = yield* Terminal
      yield* openTenant(operator, "keyed", 0)
      const [made, told] = yield* Effect.all(
        [
          json("key", "create", "keyed", "--bundle", "deposits", "--scope", "register:read", "--label", "intake"),
          run("key", "create", "keyed", "--scope", "transfers:*")
        ],
        { concurrency: 2 }
      )
      assert.deepInclude(made, { label: "intake", revoked_at: null })
      assert.sameMembers(made.scopes, ["deposits:read", "deposits:write", "register:read", "events:read"])
      assert.match(told.stdout, /^key +service_test_\S+$/mu)
      assert.include(told.stdout, "shown this once")
      const listed = yield* run("key", "list", "keyed")
      assert.include(listed.stdout, made.prefix)
      assert.notInclude(listed.stdout, made.key)

      const partner = yield* partnerOn(server.partnerUrl, made.key)
      yield* untilLetIn(partner)
      const revoked = yield* json("key", "revoke", "keyed", made.id)
      assert.isNotNull(revoked.revoked_at)
      // What is promised is a time, so there is nothing else to wait for.
      yield* Effect.sleep("5 seconds")
      assert.deepInclude(yield* Effect.flip(partner.introspection.whoami()), { _tag: "Unauthorized" })
    })
  )

  it.effect("makes a webhook endpoint whose secret is shown once, and a new one when it is rotated", () =>
    Effect.gen(function* () {
      const { json, operator, run } = yield* Terminal
      yield* openTenant(operator, "hooked", 0)
      const made = yield* json(
        "webhook",
        "create",
        "hooked",
        "https://partner.example/hooks",
        "--kind",
        "deposit.settled"
      )
      assert.match(made.secret, /^whsec_[A-Za-z0-9+/]{43}=$/u)
      assert.deepInclude(made, { kinds: ["deposit.settled"], enabled: true, secret_staged: false })
      const [listed, rotated] = yield* Effect.all(
        [run("webhook", "list", "hooked"), json("webhook", "rotate", "hooked", made.id)],
        { concurrency: 2 }
      )
      assert.include(listed.stdout, made.id)
      assert.notInclude(listed.stdout, "whsec_")
      assert.isTrue(rotated.secret_staged)
      assert.notStrictEqual(rotated.secret, made.secret)
      const activated = yield* json("webhook", "activate-secret", "hooked", made.id, rotated.staged_secret)
      assert.deepInclude(activated, { secret_staged: false })
      assert.notProperty(activated, "secret")
      const networks = yield* run("network", "list")
      assert.match(networks.stdout, /^ethereum +no +LIVE +- +OFF .* on$/mu)
    })
  )

  it.effect("is told what is wrong, in words, with exit code 1", () =>
    Effect.gen(function* () {
      const { cwd, operated, operator, run } = yield* Terminal
      yield* openTenant(operator, "asked", 0)
      const elsewhere = { ...operated, OPERATOR_TOKEN: "not the token of this service at all" }
      const cases: ReadonlyArray<readonly [Effect.Effect<Ended>, RegExp]> = [
        [run("tenant", "create", "asked"), /^The slug asked is taken\.$/mu],
        [
          run("tenant", "create", "wide", "--allow", "10.0.0.0/8", "--allow", "127.0.0.1/33"),
          /^--allow: 127\.0\.0\.1\/33 is no IP address and no CIDR range\.$/mu
        ],
        [run("tenant", "set", "asked", "--allow", "everywhere"), /^--allow: everywhere is no IP address/mu],
        [run("tenant", "create", "wide", "--allow", "10.0.0.0/8", "--allow-any"), /exclude each other/u],
        [run("tenant", "set", "asked", "--allow", "10.0.0.0/8", "--allow-any"), /exclude each other/u],
        [run("operator", "token", "bob", "approver", "--expires", "2025-06-30"), /^2025-06-30 has begun already/mu],
        [run("operator", "token", "bob", "approver", "--expires", "2027-02-30"), /^2027-02-30 is no day/mu],
        [
          run("key", "create", "nobody", "--bundle", "deposits"),
          /^There is no tenant nobody\. See: bursar tenant list$/mu
        ],
        [run("key", "create", "asked", "--bundle", "everything"), /- body\.bundle: ./u],
        [run("webhook", "create", "asked", "ftp://partner.example"), /- body\.url: ./u],
        [run("check", "--tenant", "nobody"), /^There is no tenant nobody\.$/mu],
        [run("check", "--config", join(cwd, "absent.env")), /^The configuration file \S+ cannot be read\.$/mu],
        [bursar(["tenant", "list"], { cwd, env: elsewhere }), /not valid/u],
        [
          bursar(["tenant", "list"], { cwd }),
          /^The operator API is unknown: set BURSAR_OPERATOR_URL and OPERATOR_TOKEN/mu
        ],
        [bursar(["check"], { cwd }), /^No database is known: set DATABASE_URL/mu]
      ]
      const ended = yield* Effect.forEach(
        cases,
        ([command, says]) => Effect.map(command, (one) => [one, says] as const),
        { concurrency: 2 }
      )
      for (const [one, says] of ended) assertRefused(one, says)
      // what was refused has created nothing
      assertRefused(yield* run("tenant", "show", "wide"), /^There is no tenant wide\./mu)
    })
  )

  it.effect("who calls a command wrongly is shown how it is called", () =>
    Effect.gen(function* () {
      const { run } = yield* Terminal
      const [missing, typo, help] = yield* Effect.all(
        [run("tenant", "create"), run("key", "create", "acme", "--bundel", "deposits"), run("--help")],
        { concurrency: 2 }
      )
      assert.deepStrictEqual([missing.code, typo.code, help.code], [1, 1, 0])
      assert.include(missing.stdout, "bursar tenant create [flags] <slug>")
      assert.include(missing.stderr, "Missing required argument: slug")
      assert.match(typo.stderr, /Unrecognized flag: --bundel[^]*--bundle/u)
      for (const name of ["serve", "work", "migrate", "check", "tenant", "key", "webhook", "network"]) {
        assert.match(help.stdout, new RegExp(`^ +${name} `, "mu"))
      }
      assert.strictEqual(help.stderr, "")
    })
  )

  it.effect("may keep the configuration in a file, and the environment goes before it", () =>
    Effect.gen(function* () {
      const { cwd, env } = yield* Terminal
      const path = join(cwd, "service.env")
      const given = {
        ...environmentFor("serve", env),
        OPERATOR_TOKEN: "the token of the file, which is not used",
        SERVICE_NAME: "acme"
      }
      writeFileSync(
        path,
        Object.entries(given)
          .map(([name, value]) => `${name}="${value}"`)
          .join("\n")
      )
      const process = yield* start(["serve", "--config", path], { env: { OPERATOR_TOKEN: secrets.OPERATOR_TOKEN } })
      const { annotations } = yield* process.says("server.started")
      const { code, stdout } = yield* bursar(["key", "create", "acme", "--scope", "deposits:read", "--json"], {
        cwd,
        env: { BURSAR_OPERATOR_URL: annotations["operator"] ?? "", OPERATOR_TOKEN: secrets.OPERATOR_TOKEN }
      })
      assert.strictEqual(code, 0)
      assert.match(JSON.parse(stdout).key, /^acme_test_/u)
      const migrated = yield* bursar(["migrate", "--config", path], { cwd })
      assert.deepInclude(migrated, { code: 0, stdout: "The database is up to date.\n" })
      assert.strictEqual(yield* process.kill("SIGTERM"), 0)
    })
  )
})

describe("a service that is configured wrongly", () => {
  for (const command of ["serve", "work"]) {
    it.live(`does not start as ${command}, lists every mistake and shows no secret`, () =>
      Effect.gen(function* () {
        const ended = yield* bursar([command], {
          env: {
            DATABASE_URL: "mysql://user:dbsecret@db.example/bursar",
            PORT: "eighty",
            KEY_PEPPER: "shortpepper",
            SECRETS_KEY: "one:notakey",
            BASE_RPC_URL: "node.example/rpcsecret"
          }
        })
        assertRefused(ended, /^The configuration is not valid:$/mu)
        for (const name of [
          "DATABASE_URL",
          ...(command === "serve" ? ["PORT"] : []),
          "KEY_PEPPER",
          command === "serve" ? "OPERATOR_TOKEN is missing" : "KEY_PEPPER does not belong here",
          "SECRETS_KEY",
          "SIGNER is missing",
          "BASE_RPC_URL"
        ]) {
          assert.include(ended.stderr, `  - ${name}`)
        }
        for (const hidden of ["dbsecret", "shortpepper", "notakey", "rpcsecret"])
          assert.notInclude(ended.stderr, hidden)
      })
    )
  }
})
