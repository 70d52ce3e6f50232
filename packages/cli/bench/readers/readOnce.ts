import { makeEvmReader } from "@bursar/evm/Reader"
import { Effect, Redacted } from "effect"

/** Reads one block of ethereum and prints the most memory that the process held meanwhile, and how long it took. */
const [url = "", hash = ""] = process.argv.slice(2)
const chain = makeEvmReader({ network: "ethereum", rpcUrl: Redacted.make(url), contracts: [], timeoutMs: 300_000 })
const kib = 1_024
const before = process.resourceUsage().maxRSS
const started = performance.now()
await Effect.runPromise(chain.block(hash))
process.stdout.write(
  JSON.stringify({
    peakMiB: (process.resourceUsage().maxRSS - before) / kib,
    tookMs: performance.now() - started
  })
)
