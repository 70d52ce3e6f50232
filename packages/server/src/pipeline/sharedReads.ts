import { Deferred, Effect, Exit } from "effect"
import type { HttpServerResponse } from "effect/http"
import { type Arrived, callerOf } from "../http/Arrived.ts"
import { perCaller } from "../http/perCaller.ts"

/** What carries a request out and writes its answer. */
type CarryOut = (arrived: Arrived) => Effect.Effect<HttpServerResponse.HttpServerResponse, unknown>

/** Those who wait for the same answer, which nobody has begun to make. */
interface Together {
  /** The first of them, whose request is carried out for all. */
  readonly first: Arrived
  readonly answer: Deferred.Deferred<HttpServerResponse.HttpServerResponse, unknown>
  /** Whether there are others than the first. */
  several: boolean
}

/** The equal requests that are being answered: those who came since the answer was begun wait for the next. */
interface Line {
  next: Together | undefined
  /** Since when an answer is being made, in Unix milliseconds. */
  since: number
}

/** How long an answer may take until others wait for it no more: what keeps one must not keep those who come later. */
const patienceMs = 1_000

/** Whether an answer can be given to several: one whose body can be written once cannot. */
const canBeShared = ({ body }: HttpServerResponse.HttpServerResponse): boolean =>
  body._tag === "Uint8Array" || body._tag === "Empty"

/** Gives way until the event loop has looked once at what has come from outside. */
const letArrive = Effect.andThen(Effect.yieldNow, Effect.yieldNow)

/** What tells callers of one tenant apart: the key, and what it may. */
const whoAsks = perCaller((arrived) => {
  const { keyId, scopes } = callerOf(arrived)
  return `${keyId}|${[...scopes].join()}`
})

/** What tells requests apart that one tenant makes of one endpoint: who asks, and the path and query to the letter. */
const textOf = (arrived: Arrived): string => `${whoAsks(arrived)}|${arrived.request.url}`

/**
 * Lets equal reads share an answer: the same path and query under the same key, with the same rights, of the same state of the tenant. Each has passed its own checks before. A read that
 * comes while an answer is being made waits for the next one, which is begun after it came: so nobody is told less than was stored when they asked. Where that
 * takes long, it is answered by itself.
 */
export const sharedReads = (carryOut: CarryOut): CarryOut => {
  // the object by which a tenant is known is another one once anything of it has changed
  const tenants = new WeakMap<object, Map<string, Line>>()

  const drain = (lines: Map<string, Line>, text: string, line: Line): Effect.Effect<void> =>
    Effect.gen(function* () {
      // what is asked at the same moment goes along
      yield* Effect.yieldNow
      while (line.next !== undefined) {
        const { answer, first, several } = line.next
        line.next = undefined
        line.since = first.clock.currentTimeMillisUnsafe()
        Deferred.doneUnsafe(answer, yield* Effect.exit(Effect.suspend(() => carryOut(first))))
        // where many ask, many ask again as soon as they are answered: they go along, too
        if (several) yield* letArrive
      }
      // at once, before the fiber can give way: who asks from now on begins anew
      lines.delete(text)
    }).pipe(
      Effect.onError((cause) =>
        Effect.sync(() => {
          lines.delete(text)
          if (line.next !== undefined) Deferred.doneUnsafe(line.next.answer, Exit.failCause(cause))
        })
      )
    )

  return (arrived) =>
    Effect.withFiber(({ context }) => {
      const { tenant } = arrived.facts
      if (tenant === null) return carryOut(arrived)
      const lines = tenants.get(tenant) ?? new Map<string, Line>()
      tenants.set(tenant, lines)
      const text = textOf(arrived)
      const known = lines.get(text)
      const now = arrived.clock.currentTimeMillisUnsafe()
      if (known !== undefined && now - known.since > patienceMs) return carryOut(arrived)
      const line = known ?? { next: undefined, since: now }
      const together = line.next ?? { first: arrived, answer: Deferred.makeUnsafe(), several: false }
      together.several = together.first !== arrived
      line.next = together
      if (known === undefined) {
        lines.set(text, line)
        Effect.runForkWith(context)(drain(lines, text, line))
      }
      return Effect.flatMap(Deferred.await(together.answer), (response) =>
        together.first === arrived || canBeShared(response) ? Effect.succeed(response) : carryOut(arrived)
      )
    })
}
