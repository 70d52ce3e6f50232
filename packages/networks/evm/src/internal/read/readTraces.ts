import { Effect, Schema } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import { readFrames } from "./callTracer.ts"
import type { CallBounds, Rpc } from "../rpc/Rpc.ts"
import { moveTracer, readMoves } from "./moveTracer.ts"
import {
  decoded,
  inconsistent,
  isLostState,
  isMissingMethod,
  isMissingTracer,
  NodeRefusal,
  toChainError
} from "../rpc/NodeAnswer.ts"
import { type NodeTraits, ownTracers } from "../rpc/NodeTraits.ts"
import { ParityTraces, readEntries } from "./parityTraces.ts"
import { boundsFor } from "./traceBounds.ts"
import type { Traced } from "./Traced.ts"
import { tryTracer } from "./tryTracer.ts"
import {
  type FullBlock,
  Hash,
  Header,
  type PlacedTransaction,
  type Receipt,
  same,
  type Transaction,
  understood
} from "../rpc/wire.ts"

/**
 * What is known of the calls of a transaction: what they moved, why that cannot be told, or undefined where nothing was asked.
 * `contradicts`: the trace and the transaction differ in who paid how much to whom, so neither is believed.
 */
export type Trace = { readonly traced: Traced } | { readonly unread: string; readonly contradicts?: true } | undefined

type Traces = ReadonlyArray<Trace>

/** The gas of a transaction that runs no code. */
const plainGas = 21_000n

/**
 * Whether contracts can have sent coin in the transaction. Not if it failed, and not if it has no calldata and used exactly what
 * a plain transfer uses: a call with value costs 9,000 more, a creation 32,000, a SELFDESTRUCT 5,000, and refunds give back a
 * fifth at most. Of a kind that is not known nothing is said here: its balances are compared.
 */
export const mayForward = (transaction: PlacedTransaction, receipt: Receipt): boolean => {
  const known = understood(transaction)
  return (
    known !== undefined && receipt.status === "0x1" && !(known.input === "0x" && BigInt(receipt.gasUsed) === plainGas)
  )
}

const malformed = "its trace is malformed, or has a call that cannot be or of a kind that is not known"

const traceOf = (traced: Traced | undefined): Trace => (traced === undefined ? { unread: malformed } : { traced })

/** Everything that the ways of asking need. */
interface Asked {
  readonly rpc: Rpc
  readonly doing: string
  readonly block: FullBlock
  readonly wanted: ReadonlyArray<boolean>
  readonly bounds: CallBounds
}

type Read = (asked: Asked) => Effect.Effect<Traces, ChainError | NodeRefusal>

/** A tracer, and how its answer for a transaction is read. */
interface Tracer {
  readonly tracer: string
  readonly read: (answer: unknown) => Traced | undefined
}

const moves: Tracer = { tracer: moveTracer, read: readMoves }
const frames: Tracer = { tracer: "callTracer", read: readFrames }

const tracing = ({ tracer }: Tracer, { timeoutMs }: Asked["bounds"]) => ({ tracer, timeout: `${timeoutMs}ms` })

/** An entry of `debug_traceBlockByHash`. Older nodes do not say the transaction: then its place alone does. */
const BlockTraces = Schema.Array(
  Schema.Struct({
    txHash: Schema.optional(Schema.NullOr(Hash)),
    result: Schema.optional(Schema.Unknown),
    error: Schema.optional(Schema.NullOr(Schema.String))
  })
)

const byBlockHash = (tracer: Tracer): Read =>
  Effect.fnUntraced(function* ({ block, doing, bounds, rpc, wanted }) {
    const question = [block.hash, tracing(tracer, bounds)]
    const answer = yield* rpc.call(doing, "debug_traceBlockByHash", question, bounds)
    const entries = yield* decoded(rpc.network, doing, BlockTraces, answer)
    if (entries.length !== block.transactions.length) {
      return yield* inconsistent(
        rpc.network,
        doing,
        `${entries.length} traces for ${block.transactions.length} transactions`
      )
    }
    return yield* Effect.forEach(entries, ({ error, result, txHash }, index) => {
      if (typeof txHash === "string" && !same(txHash, block.transactions[index]?.hash ?? "")) {
        return Effect.fail(inconsistent(rpc.network, doing, `trace ${index} is of transaction ${txHash}`))
      }
      if (wanted[index] !== true) return Effect.succeed(undefined)
      return Effect.succeed<Trace>(
        typeof error === "string" ? { unread: `the node could not trace it: ${error}` } : traceOf(tracer.read(result))
      )
    })
  })

const byHeight: Read = Effect.fnUntraced(function* ({ block, doing, bounds, rpc, wanted }) {
  const answer = yield* rpc.call(doing, "trace_block", [block.number], bounds)
  const entries = yield* decoded(rpc.network, doing, ParityTraces, answer)
  if (entries.some(({ blockHash }) => !same(blockHash, block.hash))) {
    return yield* inconsistent(rpc.network, doing, `another block stands at height ${Number(block.number)}`)
  }
  const listed = Map.groupBy(entries, ({ transactionHash }) => transactionHash?.toLowerCase())
  // A reward is of no transaction.
  listed.delete(undefined)
  if (block.transactions.some(({ hash }, index) => wanted[index] === true && !listed.has(hash.toLowerCase()))) {
    return yield* inconsistent(rpc.network, doing, "the traces are incomplete")
  }
  return block.transactions.map(({ hash }, index) =>
    wanted[index] === true ? traceOf(readEntries(listed.get(hash.toLowerCase()) ?? [])) : undefined
  )
})

const byTransaction = (tracer: Tracer): Read =>
  Effect.fnUntraced(function* ({ block, bounds, doing, rpc, wanted }) {
    const one = (hash: string) =>
      rpc.call(doing, "debug_traceTransaction", [hash, tracing(tracer, bounds)], bounds).pipe(
        Effect.map((answer): Trace => traceOf(tracer.read(answer))),
        Effect.catchIf(
          (error) => error._tag === "NodeRefusal" && error.exceeds !== undefined,
          ({ detail }) => Effect.succeed<Trace>({ unread: detail })
        )
      )
    const traces = yield* Effect.forEach(
      block.transactions,
      ({ hash }, index): Effect.Effect<Trace, ChainError | NodeRefusal> =>
        wanted[index] === true ? one(hash) : Effect.succeed(undefined),
      { concurrency: rpc.callsMax }
    )
    // These traces do not say the block. If it still stands at its height, they were made in it.
    const answer = yield* rpc.call(doing, "eth_getBlockByNumber", [block.number, false])
    const { hash } = yield* decoded(rpc.network, doing, Header, answer)
    if (!same(hash, block.hash)) {
      return yield* inconsistent(rpc.network, doing, `another block stands at height ${Number(block.number)}`)
    }
    return traces
  })

/**
 * The ways to ask for traces, the best first. Each gives the same transfers the same places. `needs` is the method, `tracer` whether
 * it needs a node that runs tracers of others.
 */
const ways = [
  { name: "moves of the block", needs: "debug_traceBlockByHash", tracer: true, read: byBlockHash(moves) },
  { name: "moves by transaction", needs: "debug_traceTransaction", tracer: true, read: byTransaction(moves) },
  { name: "calls of the block", needs: "debug_traceBlockByHash", tracer: false, read: byBlockHash(frames) },
  { name: "trace_block", needs: "trace_block", tracer: false, read: byHeight },
  { name: "calls by transaction", needs: "debug_traceTransaction", tracer: false, read: byTransaction(frames) }
] as const

/** How a trace differs from its transaction in who paid how much to whom. */
const contradiction = (transaction: Transaction, receipt: Receipt, traced: Traced): string | undefined => {
  if (!same(traced.from, transaction.from)) return `its trace has another sender, ${traced.from}`
  // The address of a contract that was made stands in the receipt, outside of what its root proves.
  const to = transaction.to ?? receipt.contractAddress ?? ""
  if (!same(traced.to ?? "", to)) return `its trace has another receiver, ${traced.to}`
  return traced.value === BigInt(transaction.value) ? undefined : "its trace has another value"
}

const checked = (transaction: PlacedTransaction, receipt: Receipt, trace: Trace): Trace => {
  const known = understood(transaction)
  if (trace === undefined || !("traced" in trace) || known === undefined) return trace
  const wrong = contradiction(known, receipt, trace.traced)
  if (wrong !== undefined) return { unread: wrong, contradicts: true }
  // Only what succeeded is traced, and that it did is proved by the root of the receipts.
  return trace.traced.failed ? { unread: "its trace says that it failed" } : trace
}

/** Learns from a refusal what the node has not: a method, or that it runs no tracer but its own. */
const learn = (
  traits: NodeTraits,
  refusal: NodeRefusal,
  { needs, tracer }: (typeof ways)[number]
): Effect.Effect<boolean> => {
  if (isMissingMethod(refusal)) return Effect.as(traits.missing.note(needs), true)
  if (!tracer || !isMissingTracer(refusal)) return Effect.succeed(false)
  // When it has such tracers again it may be another node.
  traits.tracer = "untried"
  return Effect.as(traits.missing.note(ownTracers), true)
}

/**
 * Tries our tracer before anything is believed that it says. What told wrong once is not tried again. A refusal that does not say
 * that there are no such tracers (a limit of the rate, a block not known yet) teaches nothing: it is tried again for the next block.
 */
const tried = (rpc: Rpc, traits: NodeTraits): Effect.Effect<boolean, ChainError> =>
  tryTracer(rpc).pipe(
    Effect.map((sound) => {
      traits.tracer = sound ? "sound" : "unsound"
      return sound
    }),
    Effect.catchTag("NodeRefusal", (refusal) =>
      isMissingMethod(refusal) || isMissingTracer(refusal) || refusal.exceeds !== undefined
        ? Effect.as(traits.missing.note(ownTracers), false)
        : Effect.succeed(false)
    )
  )

/** Whether a way can be gone at all. */
const isOpen = Effect.fnUntraced(function* (
  traits: NodeTraits,
  { needs, tracer }: (typeof ways)[number],
  trial: ReturnType<typeof tried>
) {
  if (yield* traits.missing.has(needs)) return false
  if (!tracer) return true
  if (traits.tracer === "unsound" || (yield* traits.missing.has(ownTracers))) return false
  return traits.tracer === "sound" || (yield* trial)
})

/**
 * The calls of each transaction of a block in which contracts may have sent coin, in the best way that the node has; where an
 * answer is too large or takes too long, the next way. A transaction of which no trace can be had or understood is `unread`, and
 * keeps no other from being read. Fails with `NodeRefusal` when the node has no way at all, or does not keep the state any more
 * (`isLostState`), which no other way of asking brings back.
 */
export const readTraces = Effect.fn("EvmReader.readTraces")(function* (
  rpc: Rpc,
  traits: NodeTraits,
  block: FullBlock,
  receipts: ReadonlyArray<Receipt | undefined>
): Effect.fn.Return<Traces, ChainError | NodeRefusal> {
  const doing = `trace block ${block.hash}`
  const wanted = block.transactions.map((transaction, index) => {
    const receipt = receipts[index]
    return receipt !== undefined && mayForward(transaction, receipt)
  })
  if (!wanted.includes(true)) return []
  const asked: Asked = { rpc, doing, block, wanted, bounds: boundsFor(rpc, receipts) }
  const beyond: Array<string> = []
  const trial = yield* Effect.cached(tried(rpc, traits))
  for (const way of ways) {
    if (!(yield* isOpen(traits, way, trial))) continue
    const traces = yield* way.read(asked).pipe(
      Effect.catchTag("NodeRefusal", (refusal): Effect.Effect<undefined, ChainError | NodeRefusal> => {
        if (isLostState(refusal)) return Effect.fail(refusal)
        if (refusal.exceeds !== undefined) beyond.push(refusal.detail)
        else
          return Effect.flatMap(learn(traits, refusal, way), (learned) =>
            learned ? Effect.succeed(undefined) : Effect.fail(toChainError(rpc.network)(refusal))
          )
        return Effect.succeed(undefined)
      })
    )
    if (traces !== undefined)
      return traces.map((trace, index) => {
        const [transaction, receipt] = [block.transactions[index], receipts[index]]
        return transaction === undefined || receipt === undefined ? trace : checked(transaction, receipt, trace)
      })
  }
  // A block-wide answer beyond its bounds, by a node that has no other way.
  const detail = beyond.at(-1)
  if (detail !== undefined) return wanted.map((one) => (one ? { unread: detail } : undefined))
  // Asked anew next time: the node may have been given the methods by then.
  for (const { needs } of ways) traits.missing.forget(needs)
  traits.missing.forget(ownTracers)
  traits.tracer = "untried"
  return yield* new NodeRefusal({
    doing,
    code: -32601,
    detail:
      "the node has no debug_traceBlockByHash, trace_block or debug_traceTransaction, so coin that contracts send cannot be" +
      " seen; use a node with traces, or set traces to off to go without"
  })
})
