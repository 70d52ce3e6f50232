import { Effect, Schedule } from "effect"
import { createSocket } from "node:dgram"

/** java-tron's backup protocol: the node's own priority, the address of the other master, and the interval of keep-alives. */
export const backup = { priority: 8, member: "127.0.0.2", keepAliveMs: 200 } as const

/** A keep-alive of another master with a higher priority: its type, then `BackupMessage` (core/Discover.proto). */
const keepAlive = Uint8Array.of(5, 0x08, 1, 0x10, backup.priority + 1)

/**
 * Pauses and resumes the block production of a node on 127.0.0.1 by the port of its backup protocol. The node produces no block while it
 * receives keep-alives of another master. Starts resumed; lasts until the scope closes.
 */
export const makeProductionSwitch = Effect.fnUntraced(function* (port: number) {
  const socket = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createSocket>>((done) => {
      const bound = createSocket("udp4")
      bound.bind(0, backup.member, () => done(Effect.succeed(bound)))
    }),
    (bound) =>
      Effect.callback<void>((done) => {
        bound.close(() => done(Effect.void))
      })
  )
  let isPaused = false
  const sendKeepAlive = Effect.sync(() => {
    if (isPaused) socket.send(keepAlive, port, "127.0.0.1")
  })
  yield* Effect.forkScoped(Effect.repeat(sendKeepAlive, Schedule.spaced(backup.keepAliveMs)))
  return {
    pause: Effect.andThen(
      Effect.sync(() => void (isPaused = true)),
      sendKeepAlive
    ),
    resume: Effect.sync(() => void (isPaused = false))
  }
})
