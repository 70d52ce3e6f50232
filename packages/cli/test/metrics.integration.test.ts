import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Running, start } from "./support/bursar.ts"
import { environmentFor } from "./support/environmentFor.ts"
import { soon } from "./support/until.ts"
import { environmentOf, migratedDatabase, secrets } from "./support/world.ts"

const textAt = (url: string) => Effect.promise(async () => (await fetch(url)).text())

/** What a process shows, once it shows this too. */
const shown = Effect.fnUntraced(function* ({ says }: Running, line: string) {
  const { annotations } = yield* says("metrics.started")
  const url = `${annotations["at"]}/metrics`
  const text = yield* soon(`${line} at ${url}`, textAt(url), (found) => found.includes(line))
  return { url, text }
})

it.live("a worker and a signer show their metrics where they are told to, and nothing else", () =>
  Effect.gen(function* () {
    const { url } = yield* migratedDatabase
    // nothing listens there: the worker has something to tell at once
    const env = { ...environmentOf(url, { ethereum: "http://127.0.0.1:1" }), METRICS_PORT: "0" }
    const signer = yield* start(["sign"], { env: environmentFor("sign", env) })
    yield* signer.says("signer.started")
    const worker = yield* start(["work"], { env: environmentFor("work", env) })
    const ofWorker = yield* shown(worker, '\nbursar_watch_healthy{network="ethereum"} 0\n')
    const ofSigner = yield* shown(signer, "\nbursar_signer_audit_broken 0\n")
    for (const { text, url: at } of [ofWorker, ofSigner]) {
      assert.match(at, /^http:\/\/127\.0\.0\.1:/u)
      for (const secret of Object.values(secrets)) assert.notInclude(text, secret)
      const { status } = yield* Effect.promise(() => fetch(new URL("/", at)))
      assert.strictEqual(status, 404)
    }
    assert.strictEqual(yield* worker.kill("SIGTERM"), 0)
    assert.strictEqual(yield* signer.kill("SIGTERM"), 0)
  }).pipe(Effect.scoped)
)
