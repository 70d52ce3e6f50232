import { Effect, Schema, Semaphore } from "effect"
import { Progress } from "./Entry.ts"
import type { Progress as Counters, Register } from "./Register.ts"
import type { SignerDisk } from "./SignerDisk.ts"
import type { StoreUnusable } from "./StoreUnusable.ts"

const Seen = Schema.Struct({
  /** The store that it belongs to. */
  store: Schema.String,
  /** How often a person had said that the database was restored: what was seen before the last time may have been given up. */
  restorations: Schema.Int,
  tenants: Schema.Array(Schema.Struct({ tenantId: Schema.String, ...Progress.fields }))
})

const json = Schema.fromJsonString(Schema.toCodecJson(Seen))

const decode = Schema.decodeSync(json)

const encode = Schema.encodeSync(json)

/** Remembers how far tenants had come, the highest that was ever seen, and ends when it is on the disk. */
export type See = (tenants: Iterable<readonly [tenantId: string, now: Counters]>) => Effect.Effect<void, StoreUnusable>

/**
 * Reads how far tenants had come from the small file beside the log, into the register. It is no part of the log, which would grow for ever by it. A file
 * that is old, lost or broken only lets the signer see less.
 */
export const openSeen = Effect.fnUntraced(function* (
  disk: SignerDisk,
  store: string,
  register: Register
): Effect.fn.Return<See> {
  const turn = yield* Semaphore.make(1)
  const read = Effect.gen(function* () {
    const text = yield* disk.readBeside
    const seen = text === undefined ? undefined : yield* Effect.try({ try: () => decode(text), catch: String })
    return seen?.store === store && seen.restorations === register.restorations() ? seen.tenants : []
  }).pipe(
    Effect.catch((error) =>
      Effect.as(
        Effect.annotateLogs(Effect.logWarning("signer.seen_unreadable"), {
          reason: typeof error === "string" ? error : error.reason
        }),
        []
      )
    )
  )
  for (const { tenantId, ...now } of yield* read) register.see(tenantId, now)
  let written: string | undefined
  const keep = Effect.suspend(() => {
    const tenants = Array.from(register.progressOfAll(), ([tenantId, now]) => ({ tenantId, ...now }))
    const text = encode({ store, restorations: register.restorations(), tenants })
    if (text === written) return Effect.void
    return Effect.tap(disk.replaceBeside(text), () =>
      Effect.sync(() => {
        written = text
      })
    )
  })
  return (tenants) =>
    Effect.suspend(() => {
      for (const [tenantId, now] of tenants) register.see(tenantId, now)
      return turn.withPermit(keep)
    }).pipe(Effect.uninterruptible)
})
