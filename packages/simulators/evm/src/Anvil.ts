import { Effect } from "effect"
import type { Scope } from "effect"
import { existsSync } from "node:fs"
import { mkdir, readFile } from "node:fs/promises"
import { dirname } from "node:path"
import { DevnetError } from "@bursar/simulator-kit/DevnetError"
import { file } from "@bursar/simulator-kit/files"
import { spawn } from "@bursar/simulator-kit/SupervisedProcess"
import type { SupervisedProcess } from "@bursar/simulator-kit/SupervisedProcess"
import { anvilBinary } from "./anvilBinary.ts"
import { chainIds } from "./EvmNetwork.ts"
import type { EvmNetwork } from "./EvmNetwork.ts"

/** How a local EVM node is to behave. */
export interface AnvilOptions {
  readonly network: EvmNetwork
  /** Another chain id than that of the network: for a network of a name of its own. */
  readonly chainId?: number
  /** A fixed port; 0 or absent takes a free one. */
  readonly port?: number
  /** Seconds between blocks; absent means a block as soon as a transaction arrives. */
  readonly blockTimeSeconds?: number
  /** Where the chain is loaded from at start and saved to at stop and every few seconds; absent means memory only. */
  readonly stateFile?: string
  /** Blocks an epoch has: `safe` trails the head by one epoch and `finalized` by two. Default 1. */
  readonly slotsInEpoch?: number
}

/** A running local EVM node. */
export interface Anvil {
  readonly network: EvmNetwork
  readonly chainId: number
  /** JSON-RPC over HTTP; the same address speaks WebSocket. */
  readonly rpcUrl: string
  readonly port: number
  /** Private key of an account that holds 10,000 coins at genesis. It is public knowledge: for local use only. */
  readonly fundedKey: `0x${string}`
  readonly fundedAddress: `0x${string}`
  readonly process: SupervisedProcess
}

/** Seconds between saves of the state, which matter only if anvil itself is killed: it saves at every clean stop. */
const saveEverySeconds = 60

/**
 * How many blocks back a network in memory can be traced, read and reorganised. Any limit keeps anvil from writing older
 * states to the home directory and leaving them there.
 */
const statesInMemoryMax = 1000

/** The same for a network with a state file, whose every save holds all these states. */
const statesSavedMax = 128

// Account 0 of anvil's well-known mnemonic "test test … junk".
const fundedKey = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
const fundedAddress = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"

/** Makes the state file's directory, and refuses a file whose end is missing because its last save was cut short. */
const prepareStateFile = Effect.fnUntraced(function* (stateFile: string) {
  yield* file(`create ${dirname(stateFile)}`, () => mkdir(dirname(stateFile), { recursive: true }))
  if (!existsSync(stateFile)) return
  const text = yield* file(`read ${stateFile}`, () => readFile(stateFile))
  if (text.toString("latin1", text.length - 1) === "}") return
  return yield* new DevnetError({
    code: "file_failed",
    message: `${stateFile} is damaged: its last save was cut short`,
    hint: "Start over with fresh data; a chain that lost its end no longer fits what was recorded about it."
  })
})

/**
 * Starts anvil with the network's real chain id and stops it with the scope.
 *
 * **Details**
 *
 * Verified on 1.7.1: `safe` = latest − slotsInEpoch and `finalized` = latest − 2 × slotsInEpoch, never below 0.
 * Supported: `eth_getBlockReceipts` by hash, number and `{ blockHash }` (null for an unknown hash), `eth_getLogs` by
 * `blockHash` (error -32000 "unknown block" for an unknown one), `debug_traceBlockByHash`, `debug_traceBlockByNumber`
 * and `debug_traceTransaction` with `callTracer`, `trace_block`, `anvil_reorg`, `anvil_setCode`, `anvil_setBalance`,
 * `anvil_mine`, `evm_mine`, `evm_setAutomine`. With `callTracer` it may stand still for good while it mines: see `answerCalls`.
 */
export const make = Effect.fn("Anvil.make")(function* (
  options: AnvilOptions
): Effect.fn.Return<Anvil, DevnetError, Scope.Scope> {
  const chainId = options.chainId ?? chainIds[options.network]
  const { stateFile } = options
  if (stateFile !== undefined) {
    yield* prepareStateFile(stateFile)
  }
  const process = yield* spawn({
    command: yield* anvilBinary,
    args: [
      ...["--host", "127.0.0.1", "--port", String(options.port ?? 0), "--chain-id", String(chainId)],
      ...["--accounts", "2", "--color", "never", "--slots-in-an-epoch", String(options.slotsInEpoch ?? 1)],
      ...(options.blockTimeSeconds === undefined
        ? []
        : ["--block-time", String(options.blockTimeSeconds), "--mixed-mining"]),
      ...["--prune-history", String(stateFile === undefined ? statesInMemoryMax : statesSavedMax)],
      ...(stateFile === undefined
        ? []
        : ["--state", stateFile, "--state-interval", String(saveEverySeconds), "--preserve-historical-states"])
    ],
    // Anvil lets the environment move the address it listens on.
    env: { ANVIL_IP_ADDR: "127.0.0.1" },
    stopSignal: "SIGINT",
    graceMs: 10_000
  })
  const port = yield* process.waitForLine((line) => {
    const match = /^Listening on 127\.0\.0\.1:(\d+)$/u.exec(line.trim())
    return match === null ? undefined : Number(match[1])
  }, "20 seconds")
  return {
    network: options.network,
    chainId,
    rpcUrl: `http://127.0.0.1:${port}`,
    port,
    fundedKey,
    fundedAddress,
    process
  }
})
