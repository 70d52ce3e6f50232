import { Agendas } from "@bursar/core/port/Agendas"
import { Effect, Layer } from "effect"
import { Store } from "./Store.ts"

/** What the processes of the worker have to do, in memory. */
export const layer = Layer.effect(
  Agendas,
  Effect.gen(function* () {
    const { agenda } = yield* Store
    return Agendas.of({
      due: (topic, now, limit) =>
        Effect.sync(() =>
          [...agenda.values()]
            .filter((item) => item.topic === topic && item.dueAt <= now)
            .toSorted((one, other) => one.dueAt - other.dueAt)
            .slice(0, limit)
        ),
      hasten: (topic, key, now) =>
        Effect.sync(() => {
          for (const [place, item] of agenda) {
            const named = item.topic === topic && (item.key === key || item.key.startsWith(`${key}|`))
            if (named && item.dueAt > now) agenda.set(place, { ...item, dueAt: now })
          }
        })
    })
  })
)
