import { assert, describe, it } from "@effect/vitest"
import { Console, Effect, PlatformError, Sink, Stdio } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { closeSync, existsSync, openSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { printableLines } from "@bursar/api/wire/printable"
import { printNext, printOnce, printRecord, printRows } from "../src/commands/print.ts"
import { onTestFinished } from "vitest"
import { programAt } from "./support/programAt.ts"

type Printing = ReturnType<typeof printRecord>

/** What is printed. */
const printed = Effect.fnUntraced(function* (print: Printing) {
  const lines: Array<string> = []
  const stdout = () =>
    Sink.forEach((chunk: string | Uint8Array) => Effect.sync(() => void lines.push(`${Buffer.from(chunk)}`)))
  yield* Effect.provide(print, Stdio.layerTest({ stdout }))
  return lines.join("").replace(/\n$/u, "")
})

// a provider that would have an operator read another line than it wrote
const answered = "reason paid\u001b[2K\r\u009b1Astatus SETTLED\nstate APPROVED \u202eDELTTES"

describe("a page of a list", () => {
  it.effect("says how the next one is asked for where it is full, and nothing where it is not", () =>
    Effect.gen(function* () {
      const said: Array<unknown> = []
      const told = { ...globalThis.console, error: (text: unknown) => void said.push(text) }
      const next = (ids: ReadonlyArray<string>, limit: number) =>
        Effect.provideService(
          printNext(
            ids.map((id) => ({ id })),
            limit
          ),
          Console.Console,
          told
        )
      yield* next([], 2)
      yield* next(["a"], 2)
      assert.deepStrictEqual(said, [])
      yield* next(["a", "b"], 2)
      assert.deepStrictEqual(said, ["There may be more: --after b"])
    })
  )
})

describe("what is printed for people", () => {
  it.effect("hides nothing and adds no line, whatever partners and providers have written", () =>
    Effect.gen(function* () {
      const row = { call: "transfer", answered, all: [answered], deep: { answered } }
      const table = yield* printed(printRows(false, [row], ""))
      assert.lengthOf(table.split("\n"), 2)
      const record = yield* printed(printRecord(false, row))
      assert.lengthOf(record.split("\n"), 4)
      for (const text of [table, record]) {
        assert.notMatch(text.replaceAll("\n", ""), /[\p{C}\p{Zl}\p{Zp}]/u)
        assert.include(text, "status SETTLED")
      }
    })
  )

  it.effect("tells apart what looks alike: what nobody sees stands there by its number", () =>
    Effect.gen(function* () {
      const seen = (text: string) => printed(printRecord(false, { text }))
      assert.strictEqual(yield* seen("山田 太郎 ü"), "text  山田 太郎 ü")
      assert.strictEqual(
        yield* seen("1\u31642\ufe0f3\u28004\u00a05\u{e0100}6\u200c7\u{1d159}8\u{13441}\u{13442}"),
        String.raw`text  1\u{3164}2\u{fe0f}3\u{2800}4\u{a0}5\u{e0100}6\u{200c}7\u{1d159}8\u{13441}\u{13442}`
      )
    })
  )

  it.effect(
    "shows by their number spaces that follow a space, or stand at an end: they could fill lines up to one that looks like ours",
    () =>
      Effect.gen(function* () {
        const seen = (text: string) => printed(printRecord(false, { text }))
        assert.strictEqual(yield* seen("a  b   c "), String.raw`text  a \u{20}b \u{20}\u{20}c\u{20}`)
        assert.strictEqual(yield* seen(" "), String.raw`text  \u{20}`)
      })
  )

  it.effect("tells apart a sign that is shown by its number and a text that writes the number", () =>
    Effect.gen(function* () {
      const seen = (text: string) => printed(printRecord(false, { text }))
      assert.strictEqual(yield* seen("12\u202e "), String.raw`text  12\u{202e}\u{20}`)
      assert.strictEqual(yield* seen(String.raw`12\u{202e}\u{20}`), String.raw`text  12\u{5c}u{202e}\u{5c}u{20}`)
      assert.strictEqual(yield* seen(String.raw`a\b \u202e`), String.raw`text  a\b \u202e`)
    })
  )

  it("tells them apart line by line", () => {
    assert.strictEqual(
      printableLines(`a  b\n${String.raw`\u{202e}`}\u202e`),
      `a  b\n${String.raw`\u{5c}u{202e}\u{202e}`}`
    )
  })

  it.effect("is for programs as it is", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(JSON.parse(yield* printed(printRecord(true, { answered }))), { answered })
      assert.deepStrictEqual(JSON.parse(yield* printed(printRows(true, [{ answered }], ""))), [{ answered }])
    })
  )
})

const id = "019845e1-682f-7b02-a706-3b2422d13aec"

const outcome = {
  ...{ tenant_id: id, tenant: "acme" },
  happened: { id: 1, kind: "payout.settled", resource_id: id, occurred_at: "2027-01-01T00:00:00.000Z", data: {} }
}

describe("what cannot be printed", () => {
  it.skipIf(!existsSync("/dev/full"))(
    "is told in our words, also by a command that runs on",
    { timeout: 20_000 },
    async () => {
      const server = createServer((_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.write(`event: happened\ndata: ${JSON.stringify(outcome)}\n\n`)
      })
      await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
      const { port } = server.address() as AddressInfo // it listens
      const main = programAt(new URL("../src/main.ts", import.meta.url))
      const full = openSync("/dev/full", "w")
      const env = { ...process.env, BURSAR_OPERATOR_URL: `http://127.0.0.1:${port}`, OPERATOR_TOKEN: "t".repeat(43) }
      const child = spawn(process.execPath, [main, "operation", "tail"], { env, stdio: ["ignore", full, "pipe"] })
      onTestFinished(() => void child.kill("SIGKILL"))
      const errors: Array<string> = []
      child.stderr?.on("data", (text) => errors.push(String(text)))
      const code = await new Promise<number | null>((resolve) => void child.on("close", resolve))
      closeSync(full)
      server.closeAllConnections()
      server.close()
      assert.strictEqual(code, 1, errors.join(""))
      assert.include(errors.join(""), "no space left on device")
      assert.notMatch(errors.join(""), /Unhandled|node:internal/u)
    }
  )

  it.skipIf(!existsSync("/dev/full"))("is told, and is a failure: a secret is shown once", { timeout: 20_000 }, () => {
    const main = programAt(new URL("../src/main.ts", import.meta.url))
    const full = openSync("/dev/full", "w")
    const { status, stderr } = spawnSync(process.execPath, [main, "operator", "token", "ada", "operator", "--json"], {
      encoding: "utf8",
      stdio: ["ignore", full, "pipe"]
    })
    closeSync(full)
    assert.strictEqual(status, 1)
    assert.include(stderr, "no space left on device")
  })

  it.effect("tells what was made and what to do where it is shown once", () =>
    Effect.gen(function* () {
      const full = PlatformError.systemError({
        _tag: "Unknown",
        module: "Stdio",
        method: "stdout",
        description: "no space left on device"
      })
      const print = printOnce(true, { id, secret: "s" }, "The endpoint 7 was made.")
      const { message } = yield* Effect.flip(Effect.provide(print, Stdio.layerTest({ stdout: () => Sink.fail(full) })))
      assert.match(message, /no space left on device\n.*lost\. The endpoint 7 was made\./u)
    })
  )

  it("is told to nobody where the reader has closed the pipe, as head does", { timeout: 20_000 }, async () => {
    const main = programAt(new URL("../src/main.ts", import.meta.url))
    const program = spawn(process.execPath, [main, "operator", "token", "ada", "operator", "--json"], {
      stdio: ["ignore", "pipe", "pipe"]
    })
    program.stdout.destroy()
    let said = ""
    program.stderr.on("data", (chunk) => (said += String(chunk)))
    const [status] = await once(program, "close")
    assert.deepStrictEqual([status, said], [141, ""])
  })
})
