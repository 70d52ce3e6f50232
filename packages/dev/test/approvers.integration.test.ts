import { Handshake } from "@bursar/cli/config/Handshake"
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { bursar } from "../../cli/test/support/bursar.ts"
import { tempDir } from "../../cli/test/support/tempDir.ts"
import { sqlOn } from "../../cli/test/support/world.ts"
import { start } from "./support/bursarDev.ts"

const flags = (cwd: string) => ["--port", "0", "--operator-port", "0", "--data-dir", join(cwd, ".bursar")]

const startDev = Effect.fnUntraced(function* (cwd: string) {
  const dev = yield* start([...flags(cwd), "--manual-mining"], { cwd })
  yield* dev.prints(/^Bursar is running/u)
  const json = readFileSync(join(cwd, ".bursar/dev.json"), "utf8")
  return { dev, handshake: yield* Schema.decodeUnknownEffect(Schema.fromJsonString(Handshake))(json) }
})

const filesIn = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]))

/** Every chain with its last grant, as it verifies without the service from the root that is found here. */
const chains = Effect.fnUntraced(function* (cwd: string) {
  const { code, stderr, stdout } = yield* bursar(["grant", "verify", "--json"], { cwd })
  assert.strictEqual(code, 0, stderr)
  return stdout
})

it.live(
  "what somebody writes into rows becomes no grant at the next start, and without its approvers nothing starts",
  () =>
    Effect.gen(function* () {
      const cwd = yield* tempDir
      const folder = join(cwd, ".bursar/approvers")
      const first = yield* startDev(cwd)
      const files = filesIn(folder)
      assert.sameMembers(Object.keys(files), ["alice.pem", "bob.pem", "passphrase", "root.json"])
      for (const name of Object.keys(files)) assert.strictEqual(statSync(join(folder, name)).mode & 0o777, 0o600, name)
      const granted = yield* chains(cwd)
      const [demo] = first.handshake.tenants

      const alone = yield* bursar(["tenant", "set", "demo", "--payout-limit", "2000000"], { cwd })
      assert.strictEqual(alone.code, 1)
      assert.match(alone.stderr, /grant approve demo \S+ --key \.bursar\/approvers\/alice\.pem/u)
      const sql = yield* sqlOn(first.handshake.database_url)
      const stolen = yield* sql`update destination set address = '0x00000000000000000000000000000000ABc00001'
        where tenant_id = ${demo?.id} and currency = 'ETH' returning 1`
      assert.lengthOf(stolen, 1)
      yield* sql`insert into signing_key (tenant_id, api_key_id, keyid, public_key, created_at)
        select tenant_id, api_key_id, 'thief', public_key, created_at from signing_key where tenant_id = ${demo?.id}`
      assert.strictEqual(yield* first.dev.kill("SIGTERM"), 0)

      const second = yield* startDev(cwd)
      assert.deepStrictEqual(filesIn(folder), files)
      assert.strictEqual(yield* chains(cwd), granted)
      assert.strictEqual(yield* second.dev.kill("SIGTERM"), 0)

      rmSync(folder, { recursive: true })
      const third = yield* start(flags(cwd), { cwd })
      yield* third.prints(/The approvers of this data directory are gone: put the folder .* back, or begin anew/u)
    }).pipe(Effect.scoped),
  300_000
)
