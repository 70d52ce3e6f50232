import { Effect, type Scope } from "effect"
import { rmSync, statSync } from "node:fs"
import { createServer, connect, type Server } from "node:net"
import { StoreUnusable } from "./StoreUnusable.ts"

const isAnswered = (path: string) =>
  Effect.callback<boolean>((resume) => {
    const socket = connect(path)
    socket.once("connect", () => {
      socket.destroy()
      resume(Effect.succeed(true))
    })
    socket.once("error", () => resume(Effect.succeed(false)))
  })

const listening = (path: string) =>
  Effect.callback<Server, StoreUnusable>((resume) => {
    const server = createServer((socket) => socket.destroy())
    server.once("error", (error) =>
      resume(Effect.fail(new StoreUnusable({ reason: `the store cannot be locked (${error.message}).` })))
    )
    server.listen(path, () => resume(Effect.succeed(server.unref())))
  })

/** What tells one file of a path from the next. */
const fileAt = (path: string): bigint | undefined => statSync(path, { bigint: true, throwIfNoEntry: false })?.ino

/** A store that is held. */
export interface Lock {
  /** Whether it still is: of two that start in the same moment, or where somebody takes the lock's file away, only the last one holds it. */
  readonly isHeld: () => boolean
}

/** Holds a store for this process alone until the scope closes. The system lets go of it when the process dies, however that ends. */
export const lockStore = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<Lock, StoreUnusable, Scope.Scope> {
  if (yield* isAnswered(path)) return yield* new StoreUnusable({ reason: "another signer uses this store." })
  rmSync(path, { force: true })
  yield* Effect.acquireRelease(listening(path), (server) => Effect.sync(() => server.close()))
  const own = fileAt(path)
  return { isHeld: () => own !== undefined && fileAt(path) === own }
})
