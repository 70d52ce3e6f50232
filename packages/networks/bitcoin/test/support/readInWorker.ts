import { makeBitcoinReader } from "@bursar/bitcoin"
import { Effect, Redacted } from "effect"
import { parentPort, workerData } from "node:worker_threads"

// The test that starts this worker gives it these.
const { hash, url } = workerData as { readonly hash: string; readonly url: string }

const chain = makeBitcoinReader({ rpcUrl: Redacted.make(url), chain: "regtest" })
const { transfers } = await Effect.runPromise(chain.block(hash))
// A port between threads has no origin.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage(transfers.map(({ to, units }) => [to, units]))
