import { realNode } from "@bursar/testkit/fixtures/realNode"
import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** LocalStack signs digests as KMS does. */
export const localStack = realNode("KMS_ENDPOINT", "LOCALSTACK")

/** moto encrypts as KMS does; a digest it would hash once more. */
export const moto = realNode("MOTO_SERVER")

interface Program {
  readonly command: ReadonlyArray<string>
  readonly port: number
  /** Is answered once the program is up. */
  readonly health: string
  /** How it is asked, where not by GET. */
  readonly asking?: RequestInit
  readonly env?: Readonly<Record<string, string>>
}

const freePort = Effect.callback<number>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0)))
  })
})

const isUp = (url: string, asking: RequestInit | undefined) =>
  Effect.promise((signal) =>
    fetch(url, { ...asking, signal }).then(
      ({ ok }) => ok,
      () => false
    )
  )

/** Runs a program in a folder of its own until the scope closes, and gives its URL once it answers. */
const start = Effect.fnUntraced(function* ({
  asking,
  command: [command = "", ...args],
  env = {},
  health,
  port
}: Program) {
  const folder = mkdtempSync(join(tmpdir(), "bursar-kms-"))
  const said: Array<string> = []
  const child = spawn(command, args, {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], TMPDIR: folder, ...env },
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"]
  })
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => said.push(chunk.toString()))
  let hasEnded = false
  const ended = new Promise<void>((resolve) => {
    const end = (): void => {
      hasEnded = true
      resolve()
    }
    child.once("exit", end)
    child.once("error", end)
  })
  yield* Effect.addFinalizer(() =>
    Effect.promise(async () => {
      child.kill("SIGKILL")
      await ended
      rmSync(folder, { recursive: true, force: true })
    })
  )
  const url = `http://127.0.0.1:${port}`
  while (!(yield* isUp(`${url}${health}`, asking))) {
    if (hasEnded) return yield* Effect.die(new Error(`${command} ended: ${said.join("").slice(-2_000)}`))
    yield* Effect.sleep("200 millis")
  }
  return url
})

/** LocalStack loads KMS when it is first asked something of it, which takes long on a busy machine: until then it is not up. */
const listKeys: RequestInit = {
  method: "POST",
  headers: {
    "content-type": "application/x-amz-json-1.1",
    "x-amz-target": "TrentService.ListKeys",
    authorization:
      "AWS4-HMAC-SHA256 Credential=test/20260101/eu-central-1/kms/aws4_request, SignedHeaders=host, Signature=none"
  },
  body: "{}"
}

/** The URL of LocalStack with KMS alone: of the one that KMS_ENDPOINT names, or of one that is started. */
export const localStackUrl: Effect.Effect<string, never, Scope.Scope> = Effect.flatMap(freePort, (port) => {
  const { found = "" } = localStack
  const env = {
    GATEWAY_LISTEN: `127.0.0.1:${port}`,
    SERVICES: "kms",
    DISABLE_EVENTS: "1",
    SKIP_SSL_CERT_DOWNLOAD: "1",
    DNS_ADDRESS: "0"
  }
  return /^https?:/u.test(found)
    ? Effect.succeed(found)
    : start({ command: [found, "-m", "localstack.runtime.main"], env, health: "/", asking: listKeys, port })
})

/** The URL of a moto server that is started. */
export const motoUrl: Effect.Effect<string, never, Scope.Scope> = Effect.flatMap(freePort, (port) =>
  start({ command: [moto.found ?? "", "-H", "127.0.0.1", "-p", String(port)], health: "/moto-api/", port })
)
