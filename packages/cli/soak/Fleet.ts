import { Effect, Scope } from "effect"
import { createServer, type AddressInfo } from "node:net"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Running, start, startProgram } from "../test/support/bursar.ts"
import { environmentFor, type Variables } from "../test/support/environmentFor.ts"
import { programAt } from "../test/support/programAt.ts"
import { environmentOf } from "../test/support/world.ts"
import type { Database } from "./Database.ts"
import type { Gate } from "./Gate.ts"
import { ann, bob } from "./operators.ts"
import { outsideVariable } from "./outside/outsideVariable.ts"

type Role = "serve" | "sign" | "work"

/** A process of the service, which is started again as soon as it is gone. */
export interface Member {
  readonly role: Role
  /** Its way to the database. */
  readonly gate: Gate
  readonly pid: () => number
  /** Kills it with SIGKILL and waits until the next of its kind listens. */
  readonly kill: Effect.Effect<void>
  /** Sets its clock off by so many milliseconds, for a while. */
  readonly misset: (offMs: number, ms: number) => Effect.Effect<void>
}

/** `bursar serve` and `bursar work`, whose providers are the soak's own. */
const withProviders = programAt(new URL("./outside/member.ts", import.meta.url))

const shiftedClock = import.meta.resolve("./shiftedClock.ts")

const freePort = Effect.callback<number>((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    // a TCP server that listens has an AddressInfo
    const { port } = server.address() as AddressInfo
    server.close(() => resume(Effect.succeed(port)))
  })
})

/** What each says once it does its work, or once it waits to. */
const ready: Readonly<Record<Role, RegExp>> = {
  serve: /"server\.started"/u,
  sign: /"signer\.started"/u,
  work: /"worker\.started"/u
}

const member = Effect.fnUntraced(function* (role: Role, gate: Gate, env: Variables) {
  const scope = yield* Effect.scope
  const clockFile = join(mkdtempSync(join(tmpdir(), "bursar-soak-clock-")), "offset")
  writeFileSync(clockFile, "0")
  const clock = { CLOCK_FILE: clockFile, NODE_OPTIONS: `--import=${shiftedClock}` }
  const begin = Effect.gen(function* () {
    const surroundings = { env: { ...environmentFor(role, env), ...clock } }
    const starting = role === "sign" ? start([role], surroundings) : startProgram(withProviders, [role], surroundings)
    const running: Running = yield* Effect.provideService(starting, Scope.Scope, scope)
    yield* running.prints(ready[role])
    return running
  })
  let now = yield* begin
  const setOff = (offMs: number) =>
    Effect.sync(() => {
      writeFileSync(clockFile, String(offMs))
      process.kill(now.pid, "SIGUSR2")
    })
  const one: Member = {
    role,
    gate,
    pid: () => now.pid,
    kill: Effect.gen(function* () {
      yield* now.kill("SIGKILL")
      now = yield* begin
    }).pipe(Effect.orDie),
    misset: (offMs, ms) =>
      Effect.acquireUseRelease(
        setOff(offMs),
        () => Effect.sleep(ms),
        () => setOff(0)
      )
  }
  return one
})

/** What a service deals with: the node of its network, and where its providers are asked. */
interface Dealing {
  readonly rpcUrl: string
  readonly outsideUrl: string
}

/** Two servers, two workers and a signer on a database, each by a way of its own. Servers keep their ports over deaths. */
export const openFleet = Effect.fn("soak.openFleet")(function* (database: Database, { outsideUrl, rpcUrl }: Dealing) {
  const { OPERATOR_TOKEN: _shared, ...environment } = environmentOf("", { ethereum: rpcUrl })
  const common = {
    ...environment,
    OPERATORS: `${ann.entry},${bob.entry}`,
    [outsideVariable]: outsideUrl,
    // the books are compared with chain, custodian and bank all the time: what goes wrong has to look like no loss
    RECONCILE_SECONDS: "1"
  }
  const keys = mkdtempSync(join(tmpdir(), "bursar-soak-signer-"))
  const open = Effect.fnUntraced(function* (role: Role, more: Variables = {}) {
    const { gate, url } = yield* database.openWay
    return yield* member(role, gate, {
      ...common,
      SIGNER: `unix:${join(keys, "socket")}`,
      SIGNER_STORE: join(keys, "store"),
      DATABASE_URL: url,
      ...more
    })
  })
  const ports = yield* Effect.all([freePort, freePort, freePort, freePort])
  const [one, two, operatorOne, operatorTwo] = ports
  const signer = yield* open("sign")
  const members = yield* Effect.all(
    [
      open("serve", { PORT: String(one), OPERATOR_PORT: String(operatorOne) }),
      open("serve", { PORT: String(two), OPERATOR_PORT: String(operatorTwo) }),
      open("work"),
      open("work")
    ],
    { concurrency: 4 }
  )
  return {
    members: [signer, ...members],
    partnerUrls: [`http://127.0.0.1:${one}`, `http://127.0.0.1:${two}`] as const,
    operatorUrl: `http://127.0.0.1:${operatorOne}`
  }
})
