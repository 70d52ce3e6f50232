import * as Writer from "@bursar/core/engine/Writer"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { layer as layerPostgres } from "@bursar/postgres"
import { adjust } from "@bursar/testkit/fixtures/commands"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { createHash } from "node:crypto"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { bursar } from "./support/bursar.ts"
import { tempDir } from "./support/tempDir.ts"
import { openTenant, operatorOn, partnerOn, untilLetIn } from "./support/tenant.ts"
import { confirmations, openWorld, secrets, serve } from "./support/world.ts"

const ether = 10n ** 18n

/** A service with a node, two tenants that are owed something, a wallet with coins of each, and a published snapshot. */
const openProof = Effect.gen(function* () {
  const { databaseUrl, devnet, env: settings } = yield* openWorld("ethereum")
  const server = yield* serve(settings)
  const operator = yield* operatorOn(server.operatorUrl)
  const services = yield* Layer.build(
    Writer.layer.pipe(Layer.provideMerge(layerPostgres({ url: Redacted.make(databaseUrl), maxConnections: 2 })))
  )
  const tenants = yield* Effect.forEach(["acme", "globex"], (slug) => openTenant(operator, slug))
  for (const [at, { id }] of tenants.entries()) {
    const owed = adjust(BigInt(at + 1) * ether, "ETH", { against: "chain:ethereum:payouts" })
    yield* Effect.provide(
      Effect.flatMap(Writer.Writer, ({ submit }) => submit(TenantId(id), owed)),
      services
    )
    const { address } = yield* operator.payouts.createWallet({
      params: { tenant_id: id },
      payload: { network: "ethereum" }
    })
    yield* devnet.faucet.rpc("anvil_setBalance", [address, `0x${(BigInt(at + 1) * ether).toString(16)}`])
  }
  // reserves are read as of a final block
  yield* devnet.faucet.mine(confirmations)
  const cwd = yield* tempDir
  const env = { BURSAR_OPERATOR_URL: server.operatorUrl, OPERATOR_TOKEN: secrets.OPERATOR_TOKEN }
  const run = (...args: ReadonlyArray<string>) => bursar(["solvency", ...args], { env, cwd })
  const json = (...args: ReadonlyArray<string>) =>
    Effect.map(run(...args, "--json"), (ended) => {
      assert.deepInclude(ended, { code: 0, stderr: "" }, args.join(" "))
      return JSON.parse(ended.stdout)
    })
  /** Verifies without the service and without its settings, as somebody else does. */
  const offline = (...args: ReadonlyArray<string>) => bursar(["solvency", "verify", ...args], { cwd })
  const write = (name: string, value: unknown): string => {
    const file = join(cwd, name)
    writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value))
    return file
  }

  writeFileSync(join(cwd, "bank.pdf"), "what the bank says")
  const bank = { place: "bank", provider: "Bank of Examples", currency: "EUR", amount: "0.77", file: "bank.pdf" }
  const statements = write("statements.json", [{ ...bank, as_of: "2026-11-23T11:00:00Z" }])
  const taken = yield* json("snapshot", "--environment", "SANDBOX", "--statements", statements)
  const { digest, id } = taken.snapshot
  const partner = yield* partnerOn(server.partnerUrl, tenants[0]?.key ?? "")
  yield* untilLetIn(partner)
  const before = yield* Effect.exit(partner.solvency.proof({ query: {} }))
  const published = yield* run("publish", id)
  assert.deepInclude(published, { code: 0, stderr: "" })
  return { before, cwd, digest, id, json, offline, partner, run, server, taken, tenants, write }
})

class Proof extends Context.Service<Proof, Effect.Success<typeof openProof>>()("test/SolvencyProof") {
  static readonly layer = Layer.effect(Proof, openProof)
}

layer(Proof.layer, { excludeTestServices: true })("bursar solvency", (it) => {
  it.effect("takes a snapshot that the keys of wallets sign for, with the hash of each statement", () =>
    Effect.gen(function* () {
      const { before, id, json, run, taken } = yield* Proof
      assert.strictEqual(before._tag, "Failure", "partners see nothing that is not published")
      assert.deepStrictEqual(taken.document.unread, [])
      assert.lengthOf(taken.document.reserves, 2)
      for (const { proof } of taken.document.reserves) assert.strictEqual(proof.format, "EIP-191")
      const [{ file, sha256 }] = taken.document.statements
      const expected = createHash("sha256").update("what the bank says").digest("hex")
      assert.deepStrictEqual([file, sha256], ["bank.pdf", expected])
      const [listed] = yield* json("list")
      assert.deepInclude(listed, { id, environment: "SANDBOX", covered: true })
      assert.isString(listed.published_at)
      // there are no other tenants
      const again = yield* run("snapshot")
      assert.match(again.stdout, /^environment +SANDBOX$/mu)
      assert.match(again.stdout, /^ETH +3 +3 +0 +0 +0 +0 +yes$/mu)
      assert.match(again.stdout, /bursar solvency publish [0-9a-f-]{36}$/mu)
      const missing = yield* run("snapshot", "--statements", "nowhere.json")
      assert.deepStrictEqual([missing.code, missing.stderr], [1, "nowhere.json cannot be read.\n"])
    })
  )

  it.effect(
    "verifies a tenant's own proof from a file and from a URL, with a digest that was published elsewhere",
    () =>
      Effect.gen(function* () {
        const { cwd, digest, offline, partner, server, tenants, write } = yield* Proof
        const [mine] = tenants
        const answer = yield* partner.solvency.proof({ query: { document: true } })
        const file = write("answer.json", answer)
        const right = yield* offline(file, "--tenant", mine?.id ?? "", "--digest", digest)
        assert.deepInclude(right, { code: 0, stderr: "" })
        assert.match(right.stdout, /^ETH +1 +1 +2$/mu)
        assert.match(right.stdout, /^Verified\.$/mu)
        const url = `${server.partnerUrl}/v1/solvency?document=true`
        const read = yield* bursar(["solvency", "verify", url, "--with-key", "--tenant", mine?.id ?? "", "--json"], {
          cwd,
          env: { BURSAR_API_KEY: mine?.key ?? "" }
        })
        assert.deepInclude(JSON.parse(read.stdout), { ok: true, digest, findings: [] })
        assert.strictEqual(read.code, 0)

        const lowered = structuredClone(answer) as { leaves: ReadonlyArray<{ units: string }> } // it is written into
        for (const leaf of lowered.leaves) leaf.units = "1"
        const { code, stderr, stdout } = yield* offline(write("lowered.json", lowered), "--tenant", mine?.id ?? "")
        assert.deepStrictEqual([code, stdout], [1, ""])
        assert.match(stderr, /^NOT verified\.\nETH: The parts do not come to/u)
      })
  )

  it.effect("verifies the whole document with all leaves, and says what of either was tampered with", () =>
    Effect.gen(function* () {
      const { cwd, id, json, offline, run, write } = yield* Proof
      const [document, leaves] = [join(cwd, "document.json"), join(cwd, "leaves.jsonl")]
      assert.strictEqual((yield* run("document", id, "--out", document)).code, 0)
      assert.strictEqual((yield* run("leaves", id, "--out", leaves)).code, 0)
      assert.strictEqual(statSync(leaves).mode & 0o777, 0o600)
      assert.deepInclude(yield* offline(document, "--leaves", leaves), { code: 0, stderr: "" })
      assert.deepInclude(yield* json("verify", id), { ok: true, audited: true })

      const text = readFileSync(document, "utf8")
      const [one, other] = JSON.parse(text).reserves
      const swapped = JSON.parse(text)
      swapped.reserves[0].proof = { ...one.proof, signature: other.proof.signature }
      const [, ...hidden] = readFileSync(leaves, "utf8").split("\n")
      const refused = yield* offline(
        write("swapped.json", swapped),
        "--leaves",
        write("hidden.jsonl", hidden.join("\n"))
      )
      assert.strictEqual(refused.code, 1)
      assert.match(refused.stderr, /is not that of its key\.$/mu)
      assert.match(refused.stderr, /^The leaves of ETH are not one after the other\.$/mu)
    })
  )
})
