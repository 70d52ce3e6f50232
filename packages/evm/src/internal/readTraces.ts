import { Effect } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import type { CallFrame } from "./CallFrame.ts"
import { BlockTraces, frameOf } from "./callTracer.ts"
import type { EvmRpc } from "./EvmRpc.ts"
import { decoded, inconsistent, isMissingMethod, NodeRefusal, toChainError, unreachable } from "./NodeAnswer.ts"
import { ParityTraces, treesOf } from "./parityTraces.ts"
import { type FullBlock, Header, type Receipt, same, type Transaction } from "./wire.ts"

/** One call for each transaction, undefined where there is nothing to trace. */
type Roots = ReadonlyArray<CallFrame | undefined>

/** The gas of a transaction that runs no code. */
const plainGas = 21_000n

/**
 * Whether contracts can have sent coin in the transaction. Not if it failed, and not if it has no calldata and used exactly what
 * a plain transfer uses: a call with value costs 9,000 more, a creation 32,000, a SELFDESTRUCT 5,000, and refunds give back a
 * fifth at most.
 */
export const mayForward = (transaction: Transaction, receipt: Receipt): boolean =>
  receipt.status === "0x1" && !(transaction.input === "0x" && BigInt(receipt.gasUsed) === plainGas)

const tracer = (rpc: EvmRpc) => ({ tracer: "callTracer", timeout: `${rpc.timeoutMs}ms` })

const rooted = (rpc: EvmRpc, doing: string, value: unknown): Effect.Effect<CallFrame, ChainError> => {
  const frame = frameOf(value)
  return frame === undefined
    ? Effect.fail(inconsistent(rpc.network, doing, "a trace is malformed or of a kind that is not known"))
    : Effect.succeed(frame)
}

type Read = (
  rpc: EvmRpc,
  doing: string,
  block: FullBlock,
  wanted: ReadonlyArray<boolean>
) => Effect.Effect<Roots, ChainError | NodeRefusal>

const byBlockHash: Read = Effect.fnUntraced(function* (rpc, doing, block) {
  const answer = yield* rpc.call(doing, "debug_traceBlockByHash", [block.hash, tracer(rpc)])
  const entries = yield* decoded(rpc.network, doing, BlockTraces, answer)
  if (entries.length !== block.transactions.length) {
    return yield* inconsistent(
      rpc.network,
      doing,
      `${entries.length} traces for ${block.transactions.length} transactions`
    )
  }
  return yield* Effect.forEach(entries, ({ error, result, txHash }, index) => {
    if (typeof error === "string")
      return Effect.fail(unreachable(rpc.network, doing, `transaction ${index} could not be traced: ${error}`))
    if (typeof txHash === "string" && !same(txHash, block.transactions[index]?.hash ?? "")) {
      return Effect.fail(inconsistent(rpc.network, doing, `trace ${index} is of transaction ${txHash}`))
    }
    return rooted(rpc, doing, result)
  })
})

const byHeight: Read = Effect.fnUntraced(function* (rpc, doing, block) {
  const answer = yield* rpc.call(doing, "trace_block", [block.number])
  const entries = yield* decoded(rpc.network, doing, ParityTraces, answer)
  if (entries.some(({ blockHash }) => !same(blockHash, block.hash))) {
    return yield* inconsistent(rpc.network, doing, `another block stands at height ${Number(block.number)}`)
  }
  const trees = treesOf(entries)
  if (trees === undefined || trees.size !== block.transactions.length) {
    return yield* inconsistent(rpc.network, doing, "the traces are malformed or incomplete")
  }
  return block.transactions.map(({ hash }) => trees.get(hash.toLowerCase()))
})

const byTransaction: Read = Effect.fnUntraced(function* (rpc, doing, block, wanted) {
  const roots = yield* Effect.forEach(
    block.transactions,
    ({ hash }, index) =>
      wanted[index] === true
        ? Effect.flatMap(rpc.call(doing, "debug_traceTransaction", [hash, tracer(rpc)]), (answer) =>
            rooted(rpc, doing, answer)
          )
        : Effect.succeed(undefined),
    { concurrency: rpc.callsMax }
  )
  // These traces do not say the block. If it still stands at its height, they were made in it.
  const answer = yield* rpc.call(doing, "eth_getBlockByNumber", [block.number, false])
  const { hash } = yield* decoded(rpc.network, doing, Header, answer)
  if (!same(hash, block.hash)) {
    return yield* inconsistent(rpc.network, doing, `another block stands at height ${Number(block.number)}`)
  }
  return roots
})

const methods = [
  ["debug_traceBlockByHash", byBlockHash],
  ["trace_block", byHeight],
  ["debug_traceTransaction", byTransaction]
] as const

/** Why a trace cannot be of a transaction that succeeded. */
const mismatch = (transaction: Transaction, root: CallFrame | undefined): string | undefined => {
  if (root === undefined) return "is missing"
  if (root.failed) return "says that it failed"
  if (!same(root.from, transaction.from)) return `has another sender, ${root.from}`
  if (typeof transaction.to === "string" && !same(root.to ?? "", transaction.to))
    return `has another receiver, ${root.to}`
  return root.value === BigInt(transaction.value) ? undefined : "has another value"
}

/**
 * The call that each transaction of a block was, where contracts may have sent coin in it. By `debug_traceBlockByHash`, or by
 * `trace_block` or `debug_traceTransaction` where the node lacks the former (`missing` remembers what it lacks). Fails with
 * `NodeRefusal` when it has none of them.
 */
export const readTraces = Effect.fn("EvmChain.readTraces")(function* (
  rpc: EvmRpc,
  missing: Set<string>,
  block: FullBlock,
  receipts: ReadonlyArray<Receipt>
): Effect.fn.Return<Roots, ChainError | NodeRefusal> {
  const doing = `trace block ${block.hash}`
  const wanted = block.transactions.map((transaction, index) => {
    const receipt = receipts[index]
    return receipt !== undefined && mayForward(transaction, receipt)
  })
  if (!wanted.includes(true)) return []
  for (const [method, read] of methods) {
    if (missing.has(method)) continue
    const roots = yield* read(rpc, doing, block, wanted).pipe(
      Effect.catchTag("NodeRefusal", (refusal) => {
        if (!isMissingMethod(refusal)) return Effect.fail(toChainError(rpc.network)(refusal))
        missing.add(method)
        return Effect.succeed(undefined)
      })
    )
    if (roots === undefined) continue
    for (const [index, transaction] of block.transactions.entries()) {
      const wrong = wanted[index] === true ? mismatch(transaction, roots[index]) : undefined
      if (wrong !== undefined)
        return yield* inconsistent(rpc.network, doing, `the trace of transaction ${index} ${wrong}`)
    }
    return roots.map((root, index) => (wanted[index] === true ? root : undefined))
  }
  // Asked anew next time: the node may have been given the methods by then.
  for (const [method] of methods) missing.delete(method)
  return yield* new NodeRefusal({
    doing,
    code: -32601,
    detail:
      "the node has no debug_traceBlockByHash, trace_block or debug_traceTransaction, so coin that contracts send cannot be" +
      " seen; use a node with traces, or set traces to off to go without"
  })
})
