import { Effect, Schedule } from "effect"
import { createHmac, randomBytes } from "node:crypto"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { make as makeRpc, type Rpc, toHex } from "@bursar/simulator-evm/Rpc"
import type { Hex } from "@bursar/simulator-evm/Faucet"
import { spawn } from "@bursar/simulator-kit/SupervisedProcess"
import { genesisOf } from "./gethGenesis.ts"

/** A real geth whose blocks are made when a test says so, as a consensus client would make them. */
export interface Geth {
  readonly rpcUrl: string
  readonly rpc: Rpc
  readonly version: string
  /** Makes a block of all that waits; two blocks below it are final. */
  readonly mine: Effect.Effect<void>
  /** The same, with what the consensus layer pays in it, in gwei: as validators withdraw. */
  readonly minePaying: (payments: ReadonlyArray<{ readonly to: Hex; readonly gwei: bigint }>) => Effect.Effect<void>
  /** Takes the newest blocks away. What was in them is forgotten, in the pool as well. */
  readonly rewind: (depth: number) => Effect.Effect<void>
}

interface Sent {
  readonly from: Hex
  readonly nonce: Hex
}

interface Head {
  readonly hash: Hex
  readonly number: Hex
  readonly timestamp: Hex
}

/** A block as the Engine API hands it over. */
interface Payload {
  readonly blockHash: Hex
  readonly transactions: ReadonlyArray<Hex>
}

const none = `0x${"0".repeat(64)}`
const finalDepth = 2

/** How often a block is built anew while it lacks something that waits: geth fills it in the background and tells nobody when. */
const buildsMax = 40

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")

/** Calls the Engine API, each with a token of its own. */
const engineTo = (url: string, secret: Buffer) => {
  const token = () => {
    const content = `${base64url({ alg: "HS256", typ: "JWT" })}.${base64url({ iat: Math.floor(Date.now() / 1000) })}`
    return `${content}.${createHmac("sha256", secret).update(content).digest("base64url")}`
  }
  return <A>(method: string, params: ReadonlyArray<unknown>) =>
    Effect.promise(async (signal) => {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${token()}` },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
        signal
      })
      // The node is ours: a method's result has the type its documentation says.
      const reply = (await response.json()) as { readonly result?: A; readonly error?: { readonly message: string } }
      if (reply.result === undefined) throw new Error(`${method}: ${reply.error?.message}`)
      return reply.result
    })
}

type Engine = ReturnType<typeof engineTo>

const choose = (engine: Engine, head: string, final: string, attributes: object | null) =>
  engine<{ readonly payloadId: Hex | null }>("engine_forkchoiceUpdatedV3", [
    { headBlockHash: head, safeBlockHash: final, finalizedBlockHash: final },
    attributes
  ])

const makeMine = (rpc: Rpc, engine: Engine) => {
  const finalBelow = Effect.fnUntraced(function* (number: number) {
    const final = yield* rpc<Head>("eth_getBlockByNumber", [toHex(Math.max(0, number - finalDepth)), false])
    return final.hash
  })
  return Effect.fnUntraced(function* (withdrawals: ReadonlyArray<object>) {
    const head = yield* rpc<Head>("eth_getBlockByNumber", ["latest", false])
    const number = Number(head.number)
    // The genesis has time 0; from then on each block is later than the one before.
    const timestamp = Math.max(Math.floor(Date.now() / 1000), Number(head.timestamp) + 1)
    const final = yield* finalBelow(number)
    const build = Effect.gen(function* () {
      const { payloadId } = yield* choose(engine, head.hash, final, {
        timestamp: toHex(timestamp),
        // Another each time: a block that replaces one must not be the same.
        prevRandao: `0x${randomBytes(32).toString("hex")}`,
        suggestedFeeRecipient: "0x00000000000000000000000000000000c01bba5e",
        withdrawals,
        parentBeaconBlockRoot: none
      })
      const { pending } = yield* rpc<{ readonly pending: Hex }>("txpool_status")
      if (BigInt(pending) > 0n) yield* Effect.sleep("20 millis")
      const { executionPayload } = yield* engine<{ readonly executionPayload: Payload }>("engine_getPayloadV3", [
        payloadId
      ])
      return { payload: executionPayload, isWhole: BigInt(executionPayload.transactions.length) >= BigInt(pending) }
    })
    const { payload } = yield* Effect.repeat(build, { until: ({ isWhole }) => isWhole, times: buildsMax })
    yield* engine("engine_newPayloadV3", [payload, [], none])
    yield* choose(engine, payload.blockHash, yield* finalBelow(number + 1), null)
    yield* rpc("eth_blockNumber").pipe(
      Effect.repeat({
        until: (latest) => Number(latest) > number,
        schedule: Schedule.spaced("5 millis")
      })
    )
  }, Effect.orDie)
}

/** Starts a geth on free ports until the scope closes, with the tokens and contracts of the devnet in its genesis. */
export const makeGeth = Effect.fn("Geth.make")(function* (binary: string, rich: Hex) {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "bursar-geth-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  )
  const secret = randomBytes(32)
  const [data, genesis, jwt] = [join(folder, "data"), join(folder, "genesis.json"), join(folder, "jwt.hex")]
  yield* Effect.promise(() => writeFile(genesis, JSON.stringify(genesisOf(rich))))
  yield* Effect.promise(() => writeFile(jwt, secret.toString("hex")))
  const stored = ["--datadir", data, "--state.scheme", "hash"]
  const command = { command: binary, stopSignal: "SIGINT", graceMs: 10_000 } as const
  const initialised = yield* spawn({ ...command, args: ["init", ...stored, genesis] })
  const code = yield* initialised.exited
  if (code !== 0) return yield* Effect.die(new Error(yield* initialised.output))
  const process = yield* spawn({
    ...command,
    args: [
      ...[...stored, "--gcmode", "archive", "--syncmode", "full", "--networkid", "1"],
      // logs are found without the index, which takes more than half of its time to keep
      "--history.logs.disable",
      ...["--ipcdisable", "--nodiscover", "--maxpeers", "0", "--port", "0", "--nat", "none", "--rpc.txfeecap", "0"],
      ...["--http", "--http.addr", "127.0.0.1", "--http.port", "0", "--http.api", "eth,net,web3,debug,txpool"],
      ...["--authrpc.addr", "127.0.0.1", "--authrpc.port", "0", "--authrpc.jwtsecret", jwt]
    ]
  })
  const portOf = (auth: boolean) =>
    process.waitForLine((line) => {
      const match = /HTTP server started\s+endpoint=127\.0\.0\.1:(\d+) auth=(true|false)/u.exec(line)
      return match !== null && match[2] === String(auth) ? `http://127.0.0.1:${match[1]}` : undefined
    }, "60 seconds")
  const rpcUrl = yield* portOf(false)
  const rpc = makeRpc(rpcUrl)
  const mine = makeMine(rpc, engineTo(yield* portOf(true), secret))
  const version = yield* rpc<string>("web3_clientVersion")
  const geth: Geth = {
    rpcUrl,
    rpc,
    version,
    mine: mine([]),
    minePaying: (payments) =>
      mine(
        payments.map(({ gwei, to }, index) => ({
          index: toHex(index),
          validatorIndex: toHex(7),
          address: to,
          amount: toHex(gwei)
        }))
      ),
    rewind: (depth) =>
      Effect.gen(function* () {
        const number = Number(yield* rpc("eth_blockNumber"))
        const dropped = yield* Effect.forEach(
          Array.from({ length: depth }, (_, index) => toHex(number - index)),
          (height) =>
            rpc<{ readonly transactions: ReadonlyArray<Sent> }>("eth_getBlockByNumber", [height, true]).pipe(
              Effect.map(({ transactions }) => transactions)
            )
        )
        yield* rpc("debug_setHead", [toHex(number - depth)])
        // The pool follows the chain in its own time: until then it takes what was dropped for spent.
        yield* Effect.forEach(dropped.flat(), ({ from, nonce }) =>
          rpc<Hex>("eth_getTransactionCount", [from, "pending"]).pipe(
            Effect.repeat({ until: (next) => BigInt(next) <= BigInt(nonce), schedule: Schedule.spaced("5 millis") })
          )
        )
      }).pipe(Effect.orDie)
  }
  return geth
})
