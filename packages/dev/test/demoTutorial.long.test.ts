import { Handshake } from "@bursar/cli/config/Handshake"
import * as SupervisedProcess from "@bursar/simulator-kit/SupervisedProcess"
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { randomInt } from "node:crypto"
import { createServer } from "node:net"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { patience } from "../../cli/test/support/bursar.ts"
import { start } from "./support/bursarDev.ts"
import { descendants } from "../../cli/test/support/descendants.ts"
import { tempDir } from "../../cli/test/support/tempDir.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))

/** Below the ports that systems give to connections: between the look and its use, no other test's connection takes it. */
const [firstPort, endOfPorts] = [10_000, 30_000]

/** A port that nobody listens on. */
const freePort = Effect.callback<number, Error>((resume) => {
  const port = randomInt(firstPort, endOfPorts)
  const server = createServer()
  server.once("error", (error) => resume(Effect.fail(error)))
  server.listen(port, "127.0.0.1", () => void server.close(() => resume(Effect.succeed(port))))
}).pipe(Effect.retry({ times: 20 }))

/** Where the reader's receiver listens: on another port in a test, as something may listen on that of the page. */
const receiverPort = "4100"

const page = readFileSync(join(root, "docs/tutorial/ten-minutes.md"), "utf8")

/** The program of the guide to reconciliation. */
const [statement = ""] = Array.from(
  readFileSync(join(root, "docs/guides/reconciliation.md"), "utf8").matchAll(/```ts\n(.*?)```/gsu),
  ([, code]) => code
)

/** A block of code, and the end of the words before it. */
interface Block {
  readonly language: string
  readonly code: string
  readonly before: string
}

const blocks: ReadonlyArray<Block> = Array.from(
  page.matchAll(/(?<before>[^`]*(?:`[^`\n]+`[^`]*)*)```(?<language>\w+)\n(?<code>.*?)```/gsu),
  ({ groups }) => ({
    language: groups?.["language"] ?? "",
    code: groups?.["code"] ?? "",
    before: (groups?.["before"] ?? "").replaceAll("\n", " ")
  })
)

/** The name under which the words before a program tell to save it. */
const fileOf = ({ before }: Block): string | undefined =>
  /Save this as +`(?<file>[^`]+)`: *$/u.exec(before)?.groups?.["file"]

const commands = blocks.filter(({ language }) => language === "sh")
const programs = blocks.filter(({ language }) => language === "ts")
const isThird = ({ before }: Block): boolean => before.includes("in a third terminal")

/** Where the tutorial is followed: the repository, but for what the reader writes and what the service keeps. */
const openFolder = Effect.gen(function* () {
  const folder = yield* tempDir
  for (const name of ["package.json", "scripts", "node_modules"]) symlinkSync(join(root, name), join(folder, name))
  mkdirSync(join(folder, "examples/partner"), { recursive: true })
  symlinkSync(join(root, "examples/partner/node_modules"), join(folder, "examples/partner/node_modules"))
  return folder
})

/** A shell in which the reader types, line after line, until one fails. What it has started ends with it. */
const shell = Effect.fnUntraced(function* (cwd: string, env: Readonly<Record<string, string>>, lines: string) {
  const bash = yield* SupervisedProcess.spawn({
    command: "bash",
    args: ["-e", "-o", "pipefail", "-c", lines],
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env },
    stopSignal: "SIGTERM",
    graceMs: 5_000
  })
  yield* Effect.addFinalizer(() =>
    Effect.flatMap(descendants(bash.pid), (started) =>
      Effect.forEach(started, (one) => Effect.ignore(Effect.try(() => process.kill(one, "SIGKILL"))), { discard: true })
    )
  )
  return bash
})

it("the tutorial has no program that is not saved, and no command that is not run", () => {
  assert.deepStrictEqual(programs.map(fileOf), [
    "examples/partner/receiver.ts",
    "examples/partner/deposit.ts",
    "examples/partner/payout.ts"
  ])
  assert.lengthOf(commands, 12)
  assert.lengthOf(commands.filter(isThird), 1)
  assert.lengthOf(page.split(receiverPort), 4)
  assert.strictEqual(commands[0]?.code, "npm start\n")
})

it.live(
  "the tutorial, word by word, takes a deposit, pays what is signed, and hears of all of it",
  () =>
    Effect.gen(function* () {
      const cwd = yield* openFolder
      const port = String(yield* freePort)
      // The first command starts the service. Here it takes free ports, which the others find as they do anyway.
      const dataDir = join(cwd, ".bursar")
      const approvers = join(dataDir, "approvers")
      const here = (text: string) => text.replaceAll(receiverPort, port).replaceAll(".bursar/approvers", approvers)
      const dev = yield* start(["--port", "0", "--operator-port", "0", "--data-dir", dataDir], { cwd })
      yield* dev.prints(/^Bursar is running/u)
      const json = readFileSync(join(dataDir, "dev.json"), "utf8")
      const handshake = yield* Schema.decodeUnknownEffect(Schema.fromJsonString(Handshake))(json)
      // `npm run bursar` works in the repository, and the service's files are not there.
      const env = {
        BURSAR_OPERATOR_URL: handshake.operator_url,
        OPERATOR_TOKEN: handshake.operator_token,
        DATABASE_URL: handshake.database_url,
        GRANT_ROOT: join(approvers, "root.json")
      }
      for (const program of programs) writeFileSync(join(cwd, fileOf(program) ?? ""), here(program.code))

      const third = commands.findIndex(isThird)
      const settings = yield* shell(
        cwd,
        env,
        commands
          .slice(1, third)
          .map(({ code }) => here(code))
          .join("\n")
      )
      assert.strictEqual(yield* settings.exited, 0, yield* settings.output)
      const receiver = yield* shell(cwd, env, here(commands[third]?.code ?? ""))
      const hears = (line: string) =>
        receiver.waitForLine((text) => (text.endsWith(` ${line}`) ? text : undefined), patience)
      yield* receiver.waitForLine((text) => (text === "listening" ? text : undefined), patience)

      const rest = commands.slice(third + 1).map(({ code }) => here(code))
      const [forged, deposit, unsigned, payout, reorg, raise, approve, check] = rest
      // One terminal: what a command has set, later ones find.
      const first = yield* shell(cwd, env, [forged, deposit, unsigned].join("\necho\n"))
      assert.strictEqual(yield* first.exited, 0, yield* first.output)
      const said = yield* first.output
      assert.include(said, '"problem":"headers_missing"')
      assert.include(said, "registered 0x9858EfFD232B4033E47d90003D41EC34EcaEda94")
      assert.match(said, /"tx_hash":"0x[0-9a-f]{64}"/u)
      assert.include(said, '"code":"signature_missing"')
      for (const stage of ["detected", "confirmed", "settled"]) yield* hears(`deposit.${stage} 25 USDT_ETH`)

      const twice = yield* shell(cwd, env, `${payout}\n${payout}`)
      assert.strictEqual(yield* twice.exited, 0, yield* twice.output)
      const ids = Array.from((yield* twice.output).matchAll(/^([0-9a-f-]{36}) ACCEPTED$/gmu), ([, id]) => id)
      assert.lengthOf(ids, 2, yield* twice.output)
      assert.strictEqual(ids[0], ids[1])
      assert.lengthOf((yield* twice.output).match(/^SETTLED [0-9a-f]{64}$/gmu) ?? [], 2)
      assert.lengthOf((yield* twice.output).match(/^the chain says PROVEN$/gmu) ?? [], 2)
      yield* hears("chain_payout.settled 12.5 USDT_TRON")

      writeFileSync(join(cwd, "examples/partner/statement.ts"), statement)
      const read = yield* shell(cwd, env, "npx node --env-file=.bursar/partner.env examples/partner/statement.ts")
      assert.strictEqual(yield* read.exited, 0, yield* read.output)
      // two portions of demo money, less the payout and its fee
      assert.match(yield* read.output, /^closing 99987\.4875$/mu)

      const control = `CONTROL=${handshake.networks.ethereum.control_url}\n`
      const end = yield* shell(cwd, env, `${control}${reorg}`)
      assert.strictEqual(yield* end.exited, 0, yield* end.output)
      yield* hears("deposit.reorged 25 USDT_ETH")
      const raised = yield* shell(cwd, env, raise ?? "")
      assert.strictEqual(yield* raised.exited, 1, yield* raised.output)
      assert.include(yield* raised.output, "Nothing has changed yet: this takes a grant.")
      const approved = yield* shell(cwd, env, approve ?? "")
      assert.strictEqual(yield* approved.exited, 0, yield* approved.output)
      const signed = yield* approved.output
      assert.lengthOf(signed.match(/payout_limit_usd: 1000000 → 2000000/gu) ?? [], 2, signed)
      assert.match(signed, /1 more must approve\.[^]*The grant holds\./u)
      const checked = yield* shell(cwd, env, check ?? "")
      assert.strictEqual(yield* checked.exited, 0, yield* checked.output)
      assert.match(yield* checked.output, /checks passed/u)
      assert.notInclude(yield* receiver.output, "rror")
    }),
  240_000
)
