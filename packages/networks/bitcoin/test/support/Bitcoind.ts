import { Context, Effect, Layer, Schedule } from "effect"
import { spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as BitcoinDevnet from "@bursar/simulator-bitcoin/BitcoinDevnet"
import { realNode } from "@bursar/testkit/fixtures/realNode"
import type { RpcServer } from "@bursar/simulator-bitcoin/RpcServer"
import { makeFaultProxy } from "./faultProxy.ts"
import { type Rpc, rpcTo } from "./Rpc.ts"

/** A regtest node that answers, and its faults if it has any. */
export class Bitcoind extends Context.Service<
  Bitcoind,
  {
    readonly rpcUrl: string
    readonly rpc: Rpc
    readonly devnet: BitcoinDevnet.BitcoinDevnet | undefined
    /** What makes the node at `rpcUrl` misbehave, where that can be done. */
    readonly faults: RpcServer | undefined
  }
>()("@bursar/bitcoin/test/Bitcoind") {}

/** The node of the devnet. */
export const devnetLayer = Layer.effect(
  Bitcoind,
  Effect.map(BitcoinDevnet.make(), (devnet) =>
    Bitcoind.of({ rpcUrl: devnet.rpcUrl, rpc: rpcTo(devnet.rpcUrl), devnet, faults: devnet.faults })
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

/**
 * Starts a node on regtest, or what these arguments say instead, until the scope closes; gives the address of its RPC, which does not answer
 * yet.
 */
export const launchBitcoind = Effect.fnUntraced(function* (binary: string, more: ReadonlyArray<string> = []) {
  const dataDir = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "bursar-bitcoind-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  )
  const port = yield* freePort
  const rpc = ["-server", "-rpcbind=127.0.0.1", "-rpcallowip=127.0.0.1", "-rpcuser=u", "-rpcpassword=p"]
  const args = [
    "-chain=regtest",
    ...rpc,
    `-rpcport=${port}`,
    `-datadir=${dataDir}`,
    "-listen=0",
    "-printtoconsole=0",
    ...more
  ]
  yield* Effect.acquireRelease(
    Effect.sync(() => spawn(binary, args, { stdio: "ignore" })),
    (child) =>
      Effect.callback<void>((resume) => {
        if (child.exitCode !== null) return resume(Effect.void)
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGTERM")
      })
  )
  return `http://u:p@127.0.0.1:${port}`
})

/** Starts a node as {@link launchBitcoind} does, and waits until it answers. */
export const startBitcoind = Effect.fnUntraced(function* (binary: string, more: ReadonlyArray<string> = []) {
  const url = yield* launchBitcoind(binary, more)
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

/** What the suites may do beyond the ordinary with {@link coreLayer}: a lagging node is a second one, which only a binary gives. */
export const coreFaults = binary === undefined ? ([] as const) : (["faults"] as const)

/** Bitcoin Core, or what takes its place: the one at BITCOIND_URL, or one that is started from BITCOIND. */
export const coreLayer = Layer.effect(
  Bitcoind,
  Effect.gen(function* () {
    const rpcUrl = given ?? (yield* startBitcoind(binary ?? "", ["-txindex=1"]))
    const rpc = rpcTo(rpcUrl)
    if (binary === undefined) return Bitcoind.of({ rpcUrl, rpc, devnet: undefined, faults: undefined })
    const faults = yield* makeFaultProxy(rpcUrl, yield* startBitcoind(binary, ["-txindex=1"]))
    return Bitcoind.of({ rpcUrl: faults.url, rpc, devnet: undefined, faults })
  })
)
