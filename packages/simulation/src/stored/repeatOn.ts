import { Storage } from "@bursar/core/engine/Storage"
import { Tenants } from "@bursar/core/port/Tenants"
import { Effect, Exit } from "effect"
import { inspect, isDeepStrictEqual } from "node:util"
import { decidedOnce, type Noted, type NotedCommit } from "./noting.ts"

/** What a command comes to: its reply, or the code and words of its refusal. */
const said = (exit: Exit.Exit<unknown, unknown> | undefined): unknown =>
  exit === undefined
    ? "nothing"
    : Exit.match(exit, {
        onSuccess: (reply) => ({ reply }),
        onFailure: (cause) => ({ refused: String(cause) })
      })

const commitAgain = Effect.fnUntraced(function* ({ commands, facts, ids, moment, now, tenantId }: NotedCommit) {
  const storage = yield* Storage
  let taken = 0
  const newId = (): string => ids[taken++] ?? `a ${taken}th id, where there were ${ids.length}`
  const all = commands.map((command) => decidedOnce(command, facts))
  return yield* storage.commit(tenantId, all, { now, newId, momentAfter: () => moment })
})

/**
 * Has another storage write all that one was asked to write, in the same order, and says where they differ: in what a command was
 * answered, or in whether anything was written at all. It ends with the first difference, since those after it follow from it.
 */
export const repeatOn = Effect.fn("simulation.repeatOn")(function* (history: ReadonlyArray<Noted>) {
  const tenants = yield* Tenants
  for (const [index, one] of history.entries()) {
    if (one._tag === "Tenant") {
      yield* tenants.create(one.tenant)
      continue
    }
    const names = one.commands.map(({ name }) => name).join("+")
    const exit = yield* Effect.exit(commitAgain(one))
    if (Exit.isFailure(exit)) {
      if (one.replies === undefined) continue
      return `write ${index}, ${names}: ${String(exit.cause)}`
    }
    for (const [place, reply] of exit.value.entries()) {
      const [before, now] = [said(one.replies?.[place]), said(reply)]
      if (!isDeepStrictEqual(before, now))
        return `write ${index}, ${one.commands[place]?.name}: ${inspect(now, { depth: 9 })} where it was ${inspect(before, { depth: 9 })}`
    }
  }
  return undefined
})
