import { Effect } from "effect"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { kindOfName } from "../generate/kinds.ts"
import type { Stage } from "../run/fuzz.ts"
import type { Interface } from "../run/watch.ts"
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

/** What is looked at of an interface, and with what. */
interface Looking {
  readonly url: string
  /** Of which each call has one. */
  readonly keys: ReadonlyArray<string>
  /** What is said of parameters, of which it would never find a right one. */
  readonly known: Readonly<Record<string, string>>
  /** Paths that are not looked at. */
  readonly leftOut: ReadonlyArray<string>
}

const lookingAt = (to: Interface, { service: { handshake }, tenants: [one] }: Stage): Looking => {
  const { id: tenantId, keys, known } = one.caller.partner
  return to === "partners"
    ? { url: handshake.partner_url, keys, known: {}, leftOut: [] }
    : {
        url: handshake.operator_url,
        keys: [handshake.operator_token],
        known: {
          "path.tenant_id": tenantId,
          ...Object.fromEntries(
            Object.entries(kindOfName).flatMap(([name, kind]) =>
              [...known.all(kind)].slice(0, 1).map((id) => [`path.${name}`, id])
            )
          )
        },
        // its answer never ends
        leftOut: ["/operator/v1/stream"]
      }
}

/** Has schemathesis, a fuzzer of others' making, look at an interface of a service by its OpenAPI document; gives what it finds. */
export const runSchemathesis = Effect.fn("fuzz.runSchemathesis")(function* (
  stage: Stage,
  to: Interface,
  { print, program }: { readonly program: string; readonly print: (line: string) => void }
) {
  const { keys, known, leftOut, url: at } = lookingAt(to, stage)
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "bursar-schemathesis-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const said = Object.entries(known).map(([name, value]) => `${JSON.stringify(name)} = ${JSON.stringify(value)}`)
  writeFileSync(join(folder, "schemathesis.toml"), ["[parameters]", ...said, ""].join("\n"))
  const url = yield* keyProxy(at, keys)
  const { code, output } = yield* run(
    program,
    [
      ...["run", `${url}/openapi.json`, "--header", `Authorization:Bearer ${placeholder}`, "--checks", checks],
      ...["--max-examples", examples, "--seed", "1", "--workers", "4", "--no-color"],
      ...leftOut.flatMap((path) => ["--exclude-path", path])
    ],
    folder
  )
  print(output)
  return code === 0 ? [] : [`schemathesis of ${to} ended with ${code}`]
})
