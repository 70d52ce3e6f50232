import { spawn, spawnSync } from "node:child_process"
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"

const scripts = join(import.meta.dirname, "..")

/** Stands in for npx: it writes down that it was called, and leaves what an install would leave. */
const fakeNpx = `#!/bin/sh
echo "$@" >> "$INSTALLS"
[ -z "$FAIL_INSTALL" ] || exit 3
mkdir -p node_modules/.bin
ln -sf "${process.execPath}" node_modules/.bin/node
`

describe("the bootstrap", () => {
  let root: string
  let environment: NodeJS.ProcessEnv

  const manifest = (content: object) => writeFileSync(join(root, "package.json"), JSON.stringify(content))
  const installs = () =>
    existsSync(environment.INSTALLS!) ? readFileSync(environment.INSTALLS!, "utf8").trim().split("\n") : []
  const bootstrap = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = environment) =>
    spawnSync(process.execPath, ["scripts/bootstrap.mjs", ...args], { cwd: root, env, encoding: "utf8" })

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "bursar-bootstrap-"))
    const bin = join(root, "machine")
    mkdirSync(bin)
    writeFileSync(join(bin, "npx"), fakeNpx)
    chmodSync(join(bin, "npx"), 0o755)
    cpSync(scripts, join(root, "scripts"), { recursive: true })
    writeFileSync(join(root, "pnpm-lock.yaml"), "lockfile\n")
    writeFileSync(join(root, "pnpm-workspace.yaml"), "workspace\n")
    manifest({ packageManager: "pnpm@1.2.3" })
    environment = {
      PATH: [bin, process.env.PATH].join(delimiter),
      INSTALLS: join(root, "installs.log")
    }
  })

  afterEach(() => rmSync(root, { recursive: true, force: true }))

  it("installs from the lockfile with the pinned pnpm before the first command, and never again", () => {
    for (const _ of [1, 2, 3]) assert.strictEqual(bootstrap(["run", "node", "-e", ""]).status, 0)
    assert.strictEqual(installs().length, 1)
    assert.match(installs()[0]!, /^--yes --prefer-offline pnpm@1\.2\.3 install --frozen-lockfile/)
  })

  it("installs again when the lockfile or a dependency changes, and not when a script does", () => {
    bootstrap(["run", "node", "-e", ""])
    manifest({ packageManager: "pnpm@1.2.3", scripts: { a: "b" } })
    bootstrap(["run", "node", "-e", ""])
    assert.strictEqual(installs().length, 1)
    manifest({ packageManager: "pnpm@1.2.3", dependencies: { a: "1.0.0" } })
    bootstrap(["run", "node", "-e", ""])
    assert.strictEqual(installs().length, 2)
    writeFileSync(join(root, "pnpm-lock.yaml"), "another\n")
    bootstrap(["run", "node", "-e", ""])
    assert.strictEqual(installs().length, 3)
  })

  it("takes up an install that failed, and says so with its exit code", () => {
    const failed = bootstrap(["run", "node", "-e", ""], { ...environment, FAIL_INSTALL: "1" })
    assert.strictEqual(failed.status, 3)
    assert.include(failed.stderr, "Dependencies could not be installed")
    assert.strictEqual(bootstrap(["run", "node", "-e", ""]).status, 0)
    assert.strictEqual(installs().length, 2)
  })

  it("passes on the arguments and the exit code", () => {
    const ended = bootstrap(["run", "node", "-e", "process.exit(Number(process.argv[1]))", "7"])
    assert.strictEqual(ended.status, 7)
  })

  it("refuses an unknown command before it installs anything", () => {
    assert.strictEqual(bootstrap(["toString"]).status, 64)
    assert.deepStrictEqual(installs(), [])
  })

  it("passes a signal on once, however often it comes, and waits for the child to end", async () => {
    const child = `
      let signals = 0
      process.on("SIGTERM", () => { signals += 1; console.log("signals", signals) })
      process.on("SIGINT", () => process.exit(signals))
      process.stdin.resume()
      console.log("ready")
    `
    const started = spawn(process.execPath, ["scripts/bootstrap.mjs", "run", "node", "-e", child], {
      cwd: root,
      env: environment
    })
    const code = await new Promise((resolve) => {
      started.stdout.on("data", (data: Buffer) => {
        if (data.includes("ready")) {
          started.kill("SIGTERM")
          started.kill("SIGTERM")
        }
        // A signal of another kind, sent after both, comes last: by then a second SIGTERM would have been counted.
        if (data.includes("signals 1")) {
          started.kill("SIGTERM")
          started.kill("SIGINT")
        }
      })
      started.on("exit", resolve)
    })
    assert.strictEqual(code, 1)
  })
})
