import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { bursar, type Ended } from "./support/bursar.ts"
import { tempDir } from "./support/tempDir.ts"
import { environmentOf, migratedDatabase, secrets, serve, sqlOn } from "./support/world.ts"

const passphrase = "correct horse battery staple"

/** A service with three approvers whose keys were made at the terminal, and the terminal. */
const openCeremony = Effect.gen(function* () {
  const { url } = yield* migratedDatabase
  const cwd = yield* tempDir
  const file = (name: string) => join(cwd, name)
  writeFileSync(file("passphrase"), `${passphrase}\n`)
  const init = (name: string, from = "passphrase") =>
    bursar(["approver", "init", file(`${name}.pem`), "--passphrase-file", file(from), "--json"], { cwd })
  const approvers = yield* Effect.forEach(["ann", "bob", "cleo"], (id) =>
    Effect.map(init(id), ({ stderr, stdout }) => {
      assert.strictEqual(stderr, "")
      return { id, name: `Approver ${id}`, keys: [JSON.parse(stdout)] }
    })
  )
  writeFileSync(file("root.json"), JSON.stringify({ approvers, quorum: "2", quorums: {} }))
  const env = { ...environmentOf(url), GRANT_ROOT: file("root.json") }
  const server = yield* serve(env)
  const operated = {
    BURSAR_OPERATOR_URL: server.operatorUrl,
    OPERATOR_TOKEN: secrets.OPERATOR_TOKEN,
    DATABASE_URL: url,
    GRANT_ROOT: file("root.json")
  }
  const run = (...args: ReadonlyArray<string>) => bursar(args, { env: operated, cwd })
  const json = (...args: ReadonlyArray<string>) =>
    Effect.map(run(...args, "--json"), (ended) => {
      assert.deepInclude(ended, { code: 0, stderr: "" }, args.join(" "))
      return JSON.parse(ended.stdout)
    })
  const approve = (tenant: string, id: string, name: string, ...more: ReadonlyArray<string>) =>
    run("grant", "approve", tenant, id, "--key", file(`${name}.pem`), "--passphrase-file", file("passphrase"), ...more)
  const propose = (tenant: string, kind: string, values: unknown) =>
    Effect.suspend(() => {
      writeFileSync(file("values.json"), JSON.stringify(values))
      return json("grant", "propose", tenant, kind, file("values.json"), "--note", "As agreed.")
    })
  return { approve, cwd, file, init, json, propose, run, url, operated }
})

class Ceremony extends Context.Service<Ceremony, Effect.Success<typeof openCeremony>>()("test/Ceremony") {
  static readonly layer = Layer.effect(Ceremony, openCeremony)
}

const assertRefused = ({ code, stderr }: Ended, says: RegExp) => {
  assert.strictEqual(code, 1)
  assert.match(stderr, says)
  assert.notMatch(stderr, /^\s+at .*:\d+:\d+\)?$/mu)
}

const suspended = { suspended: true, reason: "Asked for." }

layer(Ceremony.layer, { excludeTestServices: true })("people at their terminals", (it) => {
  it.effect("make keys that nobody else reads, under passphrases that nobody guesses, and overwrite none", () =>
    Effect.gen(function* () {
      const { file, init } = yield* Ceremony
      assert.strictEqual(statSync(file("ann.pem")).mode & 0o777, 0o600)
      const pem = readFileSync(file("ann.pem"), "utf8")
      assert.match(pem, /^-----BEGIN ENCRYPTED PRIVATE KEY-----/u)
      assertRefused(yield* init("ann"), /never overwritten/u)
      assert.strictEqual(readFileSync(file("ann.pem"), "utf8"), pem)
      writeFileSync(file("short"), "short")
      assertRefused(yield* init("dan", "short"), /too short/u)
    })
  )

  it.effect("approve what they see, two of them, and the chain verifies without the service", () =>
    Effect.gen(function* () {
      const { approve, json, propose, run } = yield* Ceremony
      const { id: tenantId } = yield* json("tenant", "create", "acme", "--name", "Acme")
      const { hash, id } = yield* propose("acme", "issuing_account", {
        family: "evm",
        seed_id: "seed-1",
        account_key: "xpub-of-the-seed",
        state: "ACTIVE"
      })
      const shown = yield* run("grant", "show", "acme", id)
      assert.include(shown.stdout, `Hash         ${hash}`)
      assert.include(shown.stdout, `tenant ${tenantId}`)
      assert.include(shown.stdout, "account_key: (nothing) → xpub-of-the-seed")
      const one = yield* approve("acme", id, "ann", "--yes")
      assert.deepInclude(one, { code: 0, stderr: "" })
      assert.include(one.stdout, "1 more must approve")
      assertRefused(yield* approve("acme", id, "ann", "--yes"), /approved already/u)
      const two = yield* approve("acme", id, "bob", "--yes")
      assert.include(two.stdout, "The grant holds.")
      const reports = yield* json("grant", "verify")
      assert.deepInclude(reports, { chain: "acme", number: 1, hash, adopted: true, problem: null })
      const checked = yield* json("check", "--tenant", "acme")
      const rule = "Every grant of the chain follows from GRANT_ROOT"
      for (const tenant of [null, "acme"])
        assert.deepInclude(checked, { tenant, invariant: "grants", rule, firstWrong: null })
      const [listed] = yield* json("grant", "list", "acme")
      assert.deepInclude(listed, { id, state: "GRANTED" })
      const { approvers } = yield* json("approver", "list")
      assert.deepStrictEqual(
        approvers.map((one: { readonly id: string }) => one.id),
        ["ann", "bob", "cleo"]
      )
    })
  )

  it.effect("sign nothing that they did not agree to, with no key that others can read, and without their root", () =>
    Effect.gen(function* () {
      const { approve, cwd, file, json, operated, propose, run } = yield* Ceremony
      yield* json("tenant", "create", "beta", "--name", "Beta")
      const { id } = yield* propose("beta", "suspension", suspended)
      // nobody is there to agree
      assertRefused(yield* approve("beta", id, "ann"), /Nothing was signed/u)
      writeFileSync(file("wrong"), "another passphrase of some length")
      const wrong = [
        "grant",
        "approve",
        "beta",
        id,
        "--yes",
        "--key",
        file("ann.pem"),
        "--passphrase-file",
        file("wrong")
      ]
      assertRefused(yield* run(...wrong), /passphrase is wrong/u)
      chmodSync(file("cleo.pem"), 0o644)
      assertRefused(yield* approve("beta", id, "cleo", "--yes"), /chmod 600/u)
      chmodSync(file("cleo.pem"), 0o600)
      const { GRANT_ROOT: _root, ...rootless } = operated
      const blind = yield* bursar(["grant", "show", "beta", id], { env: rootless, cwd })
      assertRefused(blind, /GRANT_ROOT is missing/u)
      const [still] = yield* json("grant", "list", "beta")
      assert.deepInclude(still, { id, state: "OPEN", approvals: [] })
      const rejected = yield* json("grant", "reject", "beta", id, "Not now.")
      assert.deepInclude(rejected, { state: "REJECTED", reason: "Not now." })
    })
  )

  it.effect("sign the document that they are shown, whatever hash the database names beside it", () =>
    Effect.gen(function* () {
      const { approve, json, propose, url } = yield* Ceremony
      yield* json("tenant", "create", "gamma", "--name", "Gamma")
      const { hash, id } = yield* propose("gamma", "suspension", suspended)
      const sql = yield* sqlOn(url)
      yield* sql`update grant_proposal set hash = ${"ab".repeat(32)} where proposal_id = ${id}`
      assert.include((yield* approve("gamma", id, "cleo", "--yes")).stdout, "The grant holds.")
      assert.deepInclude(yield* json("grant", "verify"), {
        chain: "gamma",
        number: 1,
        hash,
        adopted: true,
        problem: null
      })
    })
  )

  it.effect("find out whoever writes into the chain behind their backs", () =>
    Effect.gen(function* () {
      const { json, propose, approve, run, url } = yield* Ceremony
      const { id: tenant } = yield* json("tenant", "create", "delta", "--name", "Delta")
      const { id } = yield* propose("delta", "suspension", suspended)
      yield* approve("delta", id, "ann", "--yes")
      const sql = yield* sqlOn(url)
      const changing = sql`update grant_entry set document = replace(document, 'true', 'false') where tenant_id = ${tenant}`
      assert.strictEqual((yield* Effect.flip(changing))._tag, "SqlError")
      // who owns the schema can take the guard away
      yield* sql`alter table grant_entry disable trigger grant_entry_kept`
      yield* changing
      yield* sql`alter table grant_entry enable trigger grant_entry_kept`
      const verified = yield* run("grant", "verify")
      assertRefused(verified, /1 of \d+ chains of grants do not hold/u)
      assert.match(verified.stdout, /delta .*grant 1 of .* does not hold/u)
      const checked = yield* run("check", "--tenant", "delta")
      assertRefused(checked, /1 of \d+ checks found something wrong/u)
      assert.match(checked.stdout, /delta +grants +grant 1 of .* does not hold/u)
      yield* sql`alter table grant_entry disable trigger grant_entry_kept`
      yield* sql`delete from grant_entry where tenant_id = ${tenant}`
      yield* sql`alter table grant_entry enable trigger grant_entry_kept`
    })
  )

  it.effect("confirm all chains at once after one of them was removed, with one passphrase each", () =>
    Effect.gen(function* () {
      const { approve, file, json, propose, run } = yield* Ceremony
      assert.include((yield* run("grant", "adopt")).stdout, "No chain waits")
      const { approvers } = JSON.parse(readFileSync(file("root.json"), "utf8"))
      const removal = yield* propose("fleet", "approvers", {
        approvers: approvers.slice(0, 2),
        quorum: "2",
        quorums: {}
      })
      yield* approve("fleet", removal.id, "bob", "--yes")
      const all = (...more: ReadonlyArray<string>) => json("grant", "adopt", ...more)
      const by = (name: string) => all("--yes", "--key", file(`${name}.pem`), "--passphrase-file", file("passphrase"))
      const shown = yield* run("grant", "adopt", "acme")
      assert.match(shown.stdout, /1\. issuing_account evm\|seed-1, approved by ann, bob/u)
      const gamma = yield* run("grant", "adopt", "gamma")
      assert.match(gamma.stdout, /1\. suspension suspension, approved by cleo \(removed\)/u)
      // nobody is there to agree
      const ann = ["--key", file("ann.pem"), "--passphrase-file", file("passphrase")]
      assertRefused(yield* run("grant", "adopt", ...ann), /Nothing was signed/u)
      const row = (tenant: string, state: string, approved: ReadonlyArray<string>) => ({ tenant, state, approved })
      const rows = (found: ReadonlyArray<ReturnType<typeof row>>) =>
        found.map(({ approved, state, tenant }) => row(tenant, state, approved))
      const open = [row("acme", "OPEN", ["ann"]), row("gamma", "OPEN", ["ann"])]
      assert.deepStrictEqual(rows(yield* by("ann")), open)
      // run again, it signs what is left
      assert.deepStrictEqual(rows(yield* by("ann")), open)
      assertRefused(
        yield* run("grant", "adopt", "--yes", "--key", file("cleo.pem"), "--passphrase-file", file("passphrase")),
        /nobody who may approve/u
      )
      const both = ["ann", "bob"]
      assert.deepStrictEqual(rows(yield* by("bob")), [row("acme", "GRANTED", both), row("gamma", "GRANTED", both)])
      assert.deepStrictEqual(yield* all(), [])
      const reports: ReadonlyArray<{ readonly adopted: boolean }> = yield* json("grant", "verify")
      assert.isTrue(reports.every(({ adopted }) => adopted))
    })
  )
})
