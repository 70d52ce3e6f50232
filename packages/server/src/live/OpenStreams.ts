import { Context, Effect, Layer, type Scope } from "effect"
import { LivePace } from "./LivePace.ts"

/** The streams that are open in this process, by operator: each costs a connection. */
export class OpenStreams extends Context.Service<
  OpenStreams,
  {
    readonly isFull: (operator: string) => boolean
    /** Counts one more of an operator until the scope closes. */
    readonly open: (operator: string) => Effect.Effect<void, never, Scope.Scope>
  }
>()("@bursar/server/live/OpenStreams") {
  static readonly layer = Layer.effect(
    OpenStreams,
    Effect.map(LivePace, ({ streamsMax, streamsPerOperatorMax }) => {
      const open = new Map<string, number>()
      const countOf = (operator: string) => open.get(operator) ?? 0
      const add = (operator: string, more: number) =>
        Effect.sync(() => {
          const count = countOf(operator) + more
          if (count === 0) open.delete(operator)
          else open.set(operator, count)
        })
      return OpenStreams.of({
        isFull: (operator) =>
          countOf(operator) >= streamsPerOperatorMax ||
          [...open.values()].reduce((sum, count) => sum + count, 0) >= streamsMax,
        open: (operator) => Effect.acquireRelease(add(operator, 1), () => add(operator, -1))
      })
    })
  )
}
