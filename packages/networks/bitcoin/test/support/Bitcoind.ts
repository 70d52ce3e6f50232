import { Context, Effect, Layer, Schedule } from "effect"
import { spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as BitcoinDevnet from "@bursar/devnet/bitcoin/BitcoinDevnet"
import { realNode } from "@bursar/testkit/fixtures/realNode"
import { type Rpc, rpcTo } from "./Rpc.ts"

/** A regtest node that answers, and its faults if it has any. */
export class Bitcoind extends Context.Service<
  Bitcoind,
  {
    readonly rpcUrl: string
    readonly rpc: Rpc
    readonly devnet: BitcoinDevnet.BitcoinDevnet | undefined
  }
>()("@bursar/bitcoin/test/Bitcoind") {}

/** The node of the devnet. */
export const devnetLayer = Layer.effect(
  Bitcoind,
  Effect.map(BitcoinDevnet.make(), (devnet) =>
    Bitcoind.of({ rpcUrl: devnet.rpcUrl, rpc: rpcTo(devnet.rpcUrl), devnet })
  )
)

const freePort = Effect.callback<number>((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    // A TCP server that listens has an AddressInfo.
    const { port } = server.address() as AddressInfo
    server.close(() => resume(Effect.succeed(port)))
  })
})

const started = Effect.fnUntraced(function* (binary: string) {
  const dataDir = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "bursar-bitcoind-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  )
  const port = yield* freePort
  const options = ["-regtest", "-server", "-listen=0", "-txindex=1", "-printtoconsole=0", "-rpcbind=127.0.0.1"]
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(
        binary,
        [
          ...options,
          `-datadir=${dataDir}`,
          `-rpcport=${port}`,
          "-rpcallowip=127.0.0.1",
          "-rpcuser=u",
          "-rpcpassword=p"
        ],
        { stdio: "ignore" }
      )
    ),
    (child) =>
      Effect.callback<void>((resume) => {
        if (child.exitCode !== null) return resume(Effect.void)
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGTERM")
      })
  )
  const url = `http://u:p@127.0.0.1:${port}`
  yield* rpcTo(url)("getblockcount").pipe(
    Effect.retry({ schedule: Schedule.spaced("100 millis"), times: 300 }),
    Effect.orDie
  )
  return url
})

const given = realNode("BITCOIND_URL").found
const binary = realNode("BITCOIND").found
const either = realNode("BITCOIND", "BITCOIND_URL")

/** Why the tests do not run against Bitcoin Core, if they do not; follows its name. */
export const skipReason = either.found === undefined ? either.skipped : undefined

/** Bitcoin Core, or what takes its place: the one at BITCOIND_URL, or one that is started from BITCOIND. */
export const coreLayer = Layer.effect(
  Bitcoind,
  Effect.gen(function* () {
    const rpcUrl = given ?? (yield* started(binary ?? ""))
    return Bitcoind.of({ rpcUrl, rpc: rpcTo(rpcUrl), devnet: undefined })
  })
)
