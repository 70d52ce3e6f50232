import { assert, it } from "@effect/vitest"
import { serverRefusal } from "../src/serverVersion.ts"

it("a server that is older than promised is refused in one line that names both versions", () => {
  assert.strictEqual(
    serverRefusal(150_004, "15.4 (Debian 15.4-1)"),
    "Bursar needs PostgreSQL 16 or newer; this server is PostgreSQL 15.4 (Debian 15.4-1)."
  )
})

it("the oldest promised server and every newer one is taken", () => {
  assert.isUndefined(serverRefusal(160_000, "16.0"))
  assert.isUndefined(serverRefusal(180_004, "18.4"))
})
