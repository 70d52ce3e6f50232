import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { programAt } from "./support/programAt.ts"
import { tempDir } from "./support/tempDir.ts"

const main = programAt(new URL("../src/main.ts", import.meta.url))

const settings = {
  ...{ ip_allowlist: [], tenant_ceiling_per_minute: null, credit_sources: [], credit_historical: false },
  ...{ address_proof_required: false, signatures_required: [], hold_on_issuance: false, hold_on_import: false },
  ...{ hold_on_arrival: false, withdrawals_enabled: true, withdrawal_limit_usd: "1", withdrawal_window_hours: 24 },
  ...{ withdrawal_review_usd: null, destination_cooling_hours: 0, slippage_bps: 0, payouts_enabled: true },
  ...{ payouts_off_on: [], payout_limit_usd: "1", payout_daily_limit_usd: "1", payout_new_address_limit_usd: "1" },
  ...{ payout_review_usd: "1", payout_minimums: {}, adjustment_review_usd: "1" }
}

const tenant = {
  ...{ id: "01a22817-cbda-71fb-b322-5bd072af73f9", slug: "demo", name: "Demo", kind: "SANDBOX", status: "ACTIVE" },
  ...{ settings, created_at: "2026-11-29T16:16:17.882Z" }
}

const line = "posting,line\n1,0\n"

/** A service that has begun to answer an export, and never ends. */
const service = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
    const server = createServer((request, response) => {
      if (request.url?.includes("/export") === true) {
        response.writeHead(200, { "content-type": "text/csv; charset=utf-8", "x-export-through": "9" })
        return void response.write(line)
      }
      response.writeHead(200, { "content-type": "application/json" })
      return void response.end(JSON.stringify({ tenants: [tenant], unreadable: [] }))
    }).listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo // it listens
      resume(
        Effect.succeed({ url: `http://127.0.0.1:${port}`, close: () => (server.closeAllConnections(), server.close()) })
      )
    })
  }),
  ({ close }) => Effect.sync(close)
)

/** Exports from it, and sends a signal once there is something to lose. */
const stopped = Effect.fnUntraced(function* (
  signal: "SIGINT" | "SIGTERM",
  begun: (out: string) => boolean,
  ...more: ReadonlyArray<string>
) {
  const { url } = yield* service
  const env = { ...process.env, BURSAR_OPERATOR_URL: url, OPERATOR_TOKEN: "t".repeat(43) }
  return yield* Effect.callback<{ readonly code: number | null; readonly out: string; readonly errors: string }>(
    (resume) => {
      const [out, errors] = [[] as Array<string>, [] as Array<string>]
      const child = spawn(process.execPath, [main, "export", "--tenant", "demo", "--format", "csv", ...more], { env })
      child.stdout.on("data", (text) => out.push(String(text)))
      child.stderr.on("data", (text) => errors.push(String(text)))
      const look = setInterval(() => {
        if (!begun(out.join(""))) return
        clearInterval(look)
        child.kill(signal)
      }, 20)
      child.on("close", (code) => {
        clearInterval(look)
        resume(Effect.succeed({ code, out: out.join(""), errors: errors.join("") }))
      })
    }
  )
})

describe("an export that is stopped half way", () => {
  it.live("is no success: nobody takes half of the books for all of them", () =>
    Effect.gen(function* () {
      for (const [signal, expected] of [
        ["SIGTERM", 143],
        ["SIGINT", 130]
      ] as const) {
        const { code, errors, out } = yield* stopped(signal, (text) => text !== "")
        assert.deepStrictEqual([out, code], [line, expected], errors)
        assert.include(errors, "It was stopped: this is not all of it.")
      }
    })
  )

  it.live("says where its file is, if there is one", () =>
    Effect.gen(function* () {
      const file = join(yield* tempDir, "book.csv")
      const ended = yield* stopped("SIGTERM", () => existsSync(`${file}.part`), "--out", file)
      assert.strictEqual(ended.code, 143, ended.errors)
      assert.include(ended.errors, `What is there is in ${file}.part.`)
      const nowhere = yield* stopped("SIGTERM", () => false, "--out", "/nonexistent/book.csv")
      assert.strictEqual(nowhere.code, 1, nowhere.errors)
      assert.notInclude(nowhere.errors, "What is there")
    })
  )
})
