import { generateSigningKey } from "@bursar/api/signature/Ed25519"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { bursar } from "./support/bursar.ts"
import { trySignature } from "./support/signing.ts"
import { tempDir } from "./support/tempDir.ts"
import { openTenant, operatorOn, partnerOn, untilLetIn } from "./support/tenant.ts"
import { until } from "./support/until.ts"
import { environmentOf, migratedDatabase, secrets, serve } from "./support/world.ts"

it.live(
  "a partner's public key is registered at the terminal, its signatures are taken, and after its revocation no more",
  () =>
    Effect.gen(function* () {
      const { url } = yield* migratedDatabase
      const [server, cwd] = [yield* serve(environmentOf(url)), yield* tempDir]
      const operator = yield* operatorOn(server.operatorUrl)
      const { id } = yield* openTenant(operator, "acme")
      const granted = yield* operator.keys.create({
        params: { tenant_id: id },
        payload: { label: "payouts", bundle: "chain_payouts" }
      })
      yield* untilLetIn(yield* partnerOn(server.partnerUrl, granted.key))
      const { keyid, privateJwk, publicJwk } = yield* generateSigningKey
      const check = trySignature(server.partnerUrl, granted.key, privateJwk)
      assert.deepInclude(yield* check, { verified: false, code: "signature_key_unknown", keyid })

      const env = { BURSAR_OPERATOR_URL: server.operatorUrl, OPERATOR_TOKEN: secrets.OPERATOR_TOKEN }
      const run = (...args: ReadonlyArray<string>) => bursar(["signing-key", ...args], { env, cwd })
      writeFileSync(join(cwd, "public.json"), JSON.stringify(publicJwk))
      writeFileSync(join(cwd, "private.json"), JSON.stringify(privateJwk))
      for (const file of ["private.json", "nothing.json"]) {
        const { code, stderr, stdout } = yield* run("add", "acme", granted.id, join(cwd, file))
        assert.deepStrictEqual([code, stdout], [1, ""])
        assert.include(stderr, file)
        assert.notInclude(stderr, privateJwk.d)
      }
      const added = yield* run("add", "acme", granted.id, join(cwd, "public.json"), "--json")
      assert.deepInclude(JSON.parse(added.stdout), { keyid, api_key_id: granted.id, revoked_at: null })
      assert.deepInclude(yield* check, { verified: true, code: null, keyid })

      const revoked = yield* run("revoke", "acme", keyid)
      assert.strictEqual(revoked.code, 0, revoked.stderr)
      const late = yield* until("the revocation", check, ({ verified }) => !verified)
      assert.strictEqual(late.code, "signature_key_unknown")
      const listed = yield* run("list", "acme")
      assert.match(listed.stdout, new RegExp(`^${keyid} +${granted.id} +\\S+ +\\S+Z$`, "mu"))
    }).pipe(Effect.scoped),
  120_000
)
