import * as EvmDevnet from "@bursar/simulator-evm/EvmDevnet"
import { canonicalTokens } from "@bursar/simulator-evm/tokens"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { makeReplay } from "./replay.ts"

/** What reading the largest block takes. */
export interface Largest {
  readonly transactions: number
  readonly gas: number
  /** What the node says of it, in bytes. */
  readonly bytes: number
  /** The most memory that a process held which reads it, beyond what it held before, in MiB. */
  readonly peakMiB: number
  readonly tookMs: number
}

/** Calldata of each transaction in bytes: zeros, at ten gas each by EIP-7623. */
const calldataBytes = 400_000
const gasEach = 5_000_000
const transactions = 95

/** Reads the block in a process of its own, which tells its peak. */
const inChild = (url: string, hash: string) =>
  Effect.callback<{ readonly peakMiB: number; readonly tookMs: number }>((resume) => {
    const file = fileURLToPath(new URL("./readOnce.ts", import.meta.url))
    execFile(process.execPath, [...process.execArgv, file, url, hash], (error, stdout) => {
      // it prints that and nothing else
      resume(
        error === null ? Effect.succeed(JSON.parse(stdout) as { peakMiB: number; tookMs: number }) : Effect.die(error)
      )
    })
  })

/** A block of ethereum near 400 million gas that is full of calldata, the most that such a block can hold. */
export const largest = Effect.gen(function* () {
  const { anvil, faucet } = yield* EvmDevnet.make({ network: "ethereum" })
  yield* faucet.rpc("evm_setBlockGasLimit", ["0x17d78400"])
  yield* faucet.setAutomine(false)
  const data = `0x${"00".repeat(calldataBytes)}`
  const [token] = canonicalTokens.ethereum
  for (let n = 0; n < transactions; n++)
    yield* faucet.rpc("eth_sendTransaction", [
      { from: anvil.fundedAddress, to: token?.address, data, gas: `0x${gasEach.toString(16)}` }
    ])
  yield* faucet.mine(1)
  const block = yield* faucet.rpc<{
    readonly hash: string
    readonly gasUsed: string
    readonly transactions: ReadonlyArray<string>
  }>("eth_getBlockByNumber", ["latest", false])
  const { bytes, url } = yield* makeReplay(anvil.rpcUrl)
  // the first reading fills the replay, so that the second is not slowed by the node
  yield* inChild(url, block.hash)
  const read = yield* inChild(url, block.hash)
  return {
    transactions: block.transactions.length,
    gas: Number(block.gasUsed),
    bytes: bytes(),
    ...read
  } satisfies Largest
}).pipe(Effect.scoped)
