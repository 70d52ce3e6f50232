import { AuditSeals } from "@bursar/core/port/AuditSeals"
import { Effect, Layer } from "effect"
import { Store } from "./Store.ts"

/** The seals of what operators did, in memory. */
export const layer = Layer.effect(
  AuditSeals,
  Effect.map(Store, ({ auditSeals }) => {
    const inOrder = () => [...auditSeals.values()].toSorted((one, other) => one.number - other.number)
    return AuditSeals.of({
      add: (seal) =>
        Effect.sync(() => {
          if (!auditSeals.has(seal.number)) auditSeals.set(seal.number, seal)
        }),
      after: (number, limit) =>
        Effect.sync(() =>
          inOrder()
            .filter((seal) => seal.number > number)
            .slice(0, limit)
        ),
      last: Effect.sync(() => inOrder().at(-1))
    })
  })
)
