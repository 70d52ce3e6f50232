import { Effect } from "effect"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Stage } from "../run/fuzz.ts"
import { keyProxy, placeholder } from "./keyProxy.ts"

/**
 * What is looked at. Not that whatever its schemas take is accepted: an address that is none fits them. Nor that what is created can be
 * read at once, and is gone once it is deleted: nothing here is deleted.
 */
const checks = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
  "ignored_auth"
].join(",")

const examples = "25"

/** No run has made more calls; there are keys for so many. */
export const schemathesisCallsMost = 12_000

interface Ended {
  readonly code: number
  readonly output: string
}

const run = (program: string, args: ReadonlyArray<string>, cwd: string): Effect.Effect<Ended> =>
  Effect.callback((resume) => {
    const child = spawn(program, args, { cwd })
    const chunks: Array<Buffer> = []
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk))
    child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk))
    const end = (code: number, output: string) => resume(Effect.succeed({ code, output }))
    child.on("error", (error) => end(127, error.message))
    child.on("close", (code) => end(code ?? 1, Buffer.concat(chunks).toString("utf8")))
    return Effect.sync(() => child.kill("SIGTERM"))
  })

/** Has schemathesis, a fuzzer of others' making, look at a service by its OpenAPI document; gives what it finds. */
export const runSchemathesis = Effect.fn("fuzz.runSchemathesis")(function* (
  { service, tenants: [one] }: Stage,
  program: string,
  print: (line: string) => void
) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "bursar-schemathesis-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const url = yield* keyProxy(service.handshake.partner_url, one.caller.partner.keys)
  const { code, output } = yield* run(
    program,
    [
      ...["run", `${url}/openapi.json`, "--header", `Authorization:Bearer ${placeholder}`, "--checks", checks],
      ...["--max-examples", examples, "--seed", "1", "--workers", "4", "--no-color"]
    ],
    folder
  )
  print(output)
  return code === 0 ? [] : [`schemathesis ended with ${code}`]
})
