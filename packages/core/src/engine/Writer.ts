import { Cause, Clock, Context, Deferred, Effect, Exit, Layer, Option, Schema } from "effect"
import { Storage } from "./Storage.ts"
import { isUnstorable, StorageError, type TenantUnknown } from "./StorageError.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import type { Command } from "./Command.ts"
import { monotonicIds, RandomBytes } from "./Ids.ts"
import type { Refusal } from "../base/Refusal.ts"
import type { Timestamp } from "../base/Timestamp.ts"

/** The tenant's queue is full: the command was not taken and may be sent again later. */
export class Overloaded extends Schema.TaggedError<Overloaded>()("Overloaded", { tenantId: Schema.String }) {}

/** Why a command has no reply. Only a Refusal is an answer; after the others the command may be sent again. */
export type SubmitError = Refusal | StorageError | TenantUnknown | Overloaded

/** The most commands that one commit takes. */
export const batchCommandsMax = 500

/** The most records that the commands of one commit may ask for, unless it is a single command. */
export const batchReadsMax = 8_000

/** The most commands that may wait for one tenant. */
export const queueCommandsMax = 20_000

/** How far a tenant's time may run ahead of the clock before the commits of one writer begin a millisecond apart, in milliseconds. */
const unpacedLeadMs = 10

/** Longer than a millisecond: a timer may end a little early. */
const paceMs = 2

/**
 * The one way to change a tenant's state. Commands of a tenant that arrive while a commit is in flight wait and are
 * committed together (natural batching, no timer); where the storage cannot store what one of them writes, or cannot read
 * what it reads, the others are committed without it. A command that has been taken is carried out even if its sender is interrupted.
 */
export class Writer extends Context.Service<
  Writer,
  {
    readonly submit: <A>(tenantId: TenantId, command: Command<A>) => Effect.Effect<A, SubmitError>
  }
>()("@bursar/core/engine/Writer") {}

interface Waiting {
  readonly command: Command<unknown>
  readonly reply: Deferred.Deferred<unknown, SubmitError>
}

/** A tenant has a queue for as long as its fiber drains it. */
interface TenantQueue {
  waiting: Array<Waiting>
}

const takeBatch = (queue: TenantQueue): ReadonlyArray<Waiting> => {
  let reads = 0
  let count = 0
  for (const { command } of queue.waiting) {
    reads += command.reads.length
    if (count > 0 && (count === batchCommandsMax || reads > batchReadsMax)) break
    count += 1
  }
  const batch = queue.waiting.slice(0, count)
  queue.waiting = queue.waiting.slice(count)
  return batch
}

/** The writer over a storage. */
export const layer = Layer.effect(
  Writer,
  Effect.gen(function* () {
    const storage = yield* Storage
    const newIdAt = monotonicIds(yield* RandomBytes)
    const scope = yield* Effect.scope
    const queues = new Map<TenantId, TenantQueue>()
    /** When this writer began what changed a tenant last, by a clock that never stands while time passes, and the moment of that. */
    const last = new Map<TenantId, { readonly began: bigint; readonly moment: Timestamp }>()

    /**
     * Each commit takes a tenant's time on by a millisecond at least: where they take less, it would run ahead of the clock without end. What comes
     * meanwhile is committed together. It does not wait until the clock has come there: another's may be seconds ahead, and simulated time may stand.
     */
    const pace = Effect.fnUntraced(function* (tenantId: TenantId) {
      const own = last.get(tenantId)
      if (own === undefined || own.moment - (yield* Clock.currentTimeMillis) <= unpacedLeadMs) return
      const passed = (yield* Clock.monotonicTimeNanos) - own.began
      if (passed > 0n && passed < 1_000_000n) yield* Effect.sleep(paceMs)
    })

    const commit = Effect.fnUntraced(function* (
      tenantId: TenantId,
      batch: ReadonlyArray<Waiting>
    ): Effect.fn.Return<void> {
      yield* pace(tenantId)
      const now = yield* Clock.currentTimeMillis
      const began = yield* Clock.monotonicTimeNanos
      let moment = now
      // what is written later has a later moment, so that no list that is read on from a moment or a row lacks it; only where no time at all has
      // passed, as in a world whose time is simulated, do two share the present one
      const momentAfter = (lastAt: Timestamp): Timestamp => {
        const own = last.get(tenantId)
        const isSame = lastAt === now && own?.began === began && own.moment === now
        moment = isSame ? now : Math.max(now, lastAt + 1)
        return moment
      }
      const exit = yield* Effect.exit(
        storage.commit(
          tenantId,
          batch.map(({ command }) => command),
          { now, newId: () => newIdAt(now), momentAfter }
        )
      )
      // certainly nothing is written then: halves, in order, until only the command that is at fault fails
      if (batch.length > 1 && Exit.isFailure(exit) && Option.exists(Cause.findErrorOption(exit.cause), isUnstorable)) {
        const half = Math.ceil(batch.length / 2)
        yield* commit(tenantId, batch.slice(0, half))
        return yield* commit(tenantId, batch.slice(half))
      }
      if (Exit.isSuccess(exit) && exit.value.some(Exit.isSuccess)) last.set(tenantId, { began, moment })
      batch.forEach(({ reply }, index) => {
        const answer: Exit.Exit<unknown, SubmitError> = Exit.isSuccess(exit)
          ? (exit.value[index] ?? Exit.die(new Error("the storage gave fewer replies than there were commands")))
          : exit
        Deferred.doneUnsafe(reply, answer)
      })
    })

    const drain = Effect.fnUntraced(function* (tenantId: TenantId, queue: TenantQueue) {
      while (queue.waiting.length > 0) yield* commit(tenantId, takeBatch(queue))
      queues.delete(tenantId)
    })

    const enqueue = (tenantId: TenantId, waiting: Waiting): Effect.Effect<void, Overloaded | StorageError> =>
      Effect.suspend((): Effect.Effect<void, Overloaded | StorageError> => {
        const running = queues.get(tenantId)
        if (running !== undefined) {
          if (running.waiting.length >= queueCommandsMax) return Effect.fail(new Overloaded({ tenantId }))
          running.waiting.push(waiting)
          return Effect.void
        }
        // nothing is begun in a scope that is closed
        if (scope.state._tag === "Closed")
          return Effect.fail(new StorageError({ doing: "commit", cause: new Error("the writer is closed") }))
        const queue: TenantQueue = { waiting: [waiting] }
        queues.set(tenantId, queue)
        // from the start, as the scope may be closed before it has begun
        return Effect.asVoid(Effect.forkIn(drain(tenantId, queue), scope, { uninterruptible: true }))
      })

    return Writer.of({
      submit: <A>(tenantId: TenantId, command: Command<A>) =>
        Effect.uninterruptibleMask((restore) => {
          const reply = Deferred.makeUnsafe<unknown, SubmitError>()
          return Effect.andThen(enqueue(tenantId, { command, reply }), restore(Deferred.await(reply)))
        }).pipe(
          // the reply to a command is what its own decider made
          Effect.map((answer) => answer as A)
        )
    })
  })
)
