#!/usr/bin/env node
/**
 * What stands behind `npm start`, `npm test` and the other scripts of package.json: it brings the
 * dependencies in once and then runs everything under the Node that the workspace pins, whichever one
 * started it. Plain Node 18, no dependency.
 *
 *   start [...args]        build the console where it is not built, and run `bursar-dev` from source
 *   test [...args]         build the console where it is not built, then run the tests (the arguments go to vitest): those that
 *                          the arguments name, or all but the long ones
 *   bursar [...args]       run another command of the bursar CLI from source
 *   bench [...args]        run the benchmark
 *   simulate [...args]     run simulated worlds, or one again
 *   fuzz [...args]         make calls of every kind on a running service
 *   soak [...args]         kill parts of a running service, and judge what is left
 *   mutate [...args]       change the domain, and see whether its tests notice
 *   attack [...args]       try every attack of the threat model on a running service
 *   build                  compile every package, and the console
 *   run <tool> [...args]   run a tool of the workspace
 */
import { consoleFolder, isConsoleBuilt } from "./console.mjs"
import { join } from "node:path"
import { environment, ensureInstalled, root } from "./install.mjs"
import { run } from "./run.mjs"

const [command, ...args] = process.argv.slice(2)

const tool = (name, ...toolArgs) => run(name, toolArgs, { cwd: root, env: environment() })

/** A tool that runs our sources in Node: what Node has compiled of them is kept, as it would be half of the time until they run. */
const fromSource = (name, toolArgs, variables = {}) =>
  run(name, toolArgs, {
    cwd: root,
    env: { NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "compiled"), ...environment(), ...variables }
  })

/** A program of ours from source. */
const program = (file, ...programArgs) => fromSource("node", [file, ...programArgs])

/** The console as static files, from the sources of the contract, unless they are there and as new as these. */
const buildConsole = async () => (isConsoleBuilt() ? 0 : tool("vite", "build", consoleFolder, "--logLevel", "error"))

/** Where all checks are run together, one of them must not build while another reads: all was built before. */
const isBuilt = process.env["BURSAR_BUILT"] !== undefined

/** Several checkers of one project check again what they share, for twice the processor time; projects are built side by side all the same. */
const build = async () => (isBuilt ? 0 : (await tool("tsc", "-b", "--checkers", "1")) || (await buildConsole()))

/** `npm start` serves the console. */
const start = async () => (await buildConsole()) || (await program("packages/dev/src/main.ts", ...args))

const commands = {
  start,
  bursar: () => program("packages/cli/src/main.ts", ...args),
  bench: () => tool("node", "packages/cli/bench/main.ts", ...args),
  simulate: () => tool("node", "packages/simulation/src/main.ts", ...args),
  fuzz: () => tool("node", "packages/fuzz/src/main.ts", ...args),
  soak: () => tool("node", "packages/cli/soak/main.ts", ...args),
  mutate: () => tool("node", "scripts/mutate.mjs", ...args),
  build,
  attack: () => fromSource("vitest", ["run", "packages/cli/test/attacks.long.test.ts", ...args], { ATTACK_TABLE: "1" }),
  // Tests run from source, whose types `npm run typecheck` checks; what a browser gets of the console has to be built.
  test: async () => {
    const built = await buildConsole()
    const isChosen = args.some((arg) => arg.startsWith("--project") || !arg.startsWith("-"))
    const chosen = isChosen ? args : ["--project=!long", ...args]
    return built > 128 ? built : (await fromSource("vitest", ["run", ...chosen])) || built
  },
  run: () => tool(...args)
}

if (!Object.hasOwn(commands, command) || (command === "run" && args.length === 0)) {
  console.error(
    "Usage: node scripts/bootstrap.mjs start | test | attack | bursar | bench | simulate | fuzz | soak | mutate | build | run <tool>, then its arguments"
  )
  process.exit(64)
}

process.exitCode = (await ensureInstalled()) || (await commands[command]())
