import { Effect, Schema } from "effect"
import type { Gain, Transfer } from "@bursar/core/port/Chain"
import { checksummed } from "../../Address.ts"
import type { Rpc } from "../rpc/Rpc.ts"
import { traceBytesMax } from "./traceBounds.ts"
import { isAddress, Quantity } from "../rpc/wire.ts"

const Balances = Schema.Record(Schema.String, Schema.Struct({ balance: Schema.optional(Schema.NullOr(Quantity)) }))

/** The answer of geth's `prestateTracer` in diff mode: accounts before, and what of them has changed. */
const Diff = Schema.Struct({ pre: Balances, post: Balances })

const isDiff = Schema.is(Diff)

const tracer = {
  tracer: "prestateTracer",
  tracerConfig: { diffMode: true, disableCode: true, disableStorage: true }
}

/** What each address gained, from what its balance was and became; undefined where the answer is none of that tracer. */
const gainsIn = (answer: unknown): ReadonlyMap<string, bigint> | undefined => {
  if (!isDiff(answer)) return undefined
  const gained = new Map<string, bigint>()
  for (const [address, { balance }] of Object.entries(answer.post)) {
    if (!isAddress(address)) return undefined
    if (typeof balance !== "string") continue
    const before = answer.pre[address]?.balance ?? "0x0"
    gained.set(checksummed(address), BigInt(balance) - BigInt(before))
  }
  return gained
}

/**
 * The coin that addresses have gained by a transaction beyond what is `read` of it, by their balances before and after; null where
 * the node cannot tell.
 */
export const unreadGains = (
  rpc: Rpc,
  txHash: string,
  read: ReadonlyArray<Transfer>
): Effect.Effect<ReadonlyArray<Gain> | null> =>
  rpc
    .call(`compare balances across ${txHash}`, "debug_traceTransaction", [txHash, tracer], {
      timeoutMs: rpc.timeoutMs,
      bytesMax: traceBytesMax
    })
    .pipe(
      Effect.map((answer) => {
        const gained = gainsIn(answer)
        if (gained === undefined) return null
        const explained = new Map<string, bigint>()
        const add = (address: string, units: bigint) => explained.set(address, (explained.get(address) ?? 0n) + units)
        for (const { contract, from, to, units } of read) {
          if (contract !== null) continue
          add(to, units)
          if (from !== null) add(from, -units)
        }
        return [...gained]
          .map(([to, units]): Gain => ({ to, contract: null, units: units - (explained.get(to) ?? 0n) }))
          .filter(({ units }) => units > 0n)
      }),
      Effect.orElseSucceed(() => null)
    )
