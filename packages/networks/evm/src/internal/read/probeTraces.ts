import { Effect } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import type { Rpc } from "../rpc/Rpc.ts"
import { isMissingMethod } from "../rpc/NodeAnswer.ts"
import { readHeader } from "./readBlock.ts"

/** Whether the node has a method: any answer but "no such method" says that it does. */
const has = (rpc: Rpc, method: string, params: ReadonlyArray<unknown>): Effect.Effect<boolean, ChainError> =>
  rpc.call("ask for traces", method, params).pipe(
    Effect.as(true),
    Effect.catchTag("NodeRefusal", (refusal) => Effect.succeed(!isMissingMethod(refusal)))
  )

/** Whether the node can trace by any of the methods that are used. */
export const probeTraces = Effect.fn("EvmReader.probeTraces")(function* (
  rpc: Rpc
): Effect.fn.Return<boolean, ChainError> {
  const { hash, number } = yield* readHeader(rpc, "latest")
  const options = { tracer: "callTracer", timeout: `${rpc.timeoutMs}ms` }
  if (yield* has(rpc, "debug_traceBlockByHash", [hash, options])) return true
  if (yield* has(rpc, "trace_block", [`0x${number.toString(16)}`])) return true
  // No transaction need exist: only the method is asked for.
  return yield* has(rpc, "debug_traceTransaction", [hash, options])
})
