import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { bursar } from "./support/bursar.ts"
import { tempDir } from "./support/tempDir.ts"

const record = (id: number, action: string, status: number | null) => ({
  ...{ id, action_id: action, at: "2027-01-01T00:00:00.000Z", operator: "ada", role: "admin", method: "POST" },
  ...{ route: "/operator/v1/tenants", params: {}, status, request_id: "r", address: "", digest: null, values: null },
  ...{ problem: null, previous_hash: "", hash: "" }
})

// two actions, both carried out: each has a record before and one after
const log = [
  record(4, "00000000-0000-4000-8000-00000000000b", 201),
  record(3, "00000000-0000-4000-8000-00000000000b", null),
  record(2, "00000000-0000-4000-8000-00000000000a", 201),
  { ...record(1, "00000000-0000-4000-8000-00000000000a", null), problem: "Its values cannot be read: somebody." }
]

const service = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<ReturnType<typeof createServer>>((resolve) => {
        const server = createServer((request, response) => {
          const query = new URL(request.url ?? "", "http://x").searchParams
          const before = Number(query.get("before") ?? 1e9)
          const entries = log.filter(({ id }) => id < before).slice(0, Number(query.get("limit") ?? 50))
          response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ entries }))
        }).listen(0, "127.0.0.1", () => resolve(server))
      })
  ),
  (server) => Effect.sync(() => (server.close(), server.closeAllConnections()))
)

describe("the audit log, page by page as the command says", () => {
  it.live("tells which record somebody made unreadable, also where its action was finished", () =>
    Effect.gen(function* () {
      const server = yield* service
      const cwd = yield* tempDir
      const env = {
        BURSAR_OPERATOR_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        OPERATOR_TOKEN: "t".repeat(43)
      }
      const all = yield* bursar(["audit", "list"], { env, cwd })
      assert.strictEqual(all.code, 0, all.stderr)
      assert.include(all.stdout, "Its values cannot be read", all.stdout)
    })
  )
})
