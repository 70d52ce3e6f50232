import { OperatorSessions } from "@bursar/core/port/OperatorSessions"
import { Effect, Layer } from "effect"
import { compareText } from "./byAge.ts"
import { Store } from "./Store.ts"

/** The links and sessions of operators, in memory. */
export const layer = Layer.effect(
  OperatorSessions,
  Effect.map(Store, ({ operatorPasses: passes }) =>
    OperatorSessions.of({
      add: (pass) =>
        Effect.sync(() => {
          for (const [digest, { expiresAt }] of passes) if (expiresAt <= pass.createdAt) passes.delete(digest)
          passes.set(pass.digest, pass)
        }),
      find: (digest) => Effect.sync(() => passes.get(digest)),
      take: (digest, kind) =>
        Effect.sync(() => {
          const pass = passes.get(digest)
          if (pass?.kind !== kind) return undefined
          passes.delete(digest)
          return pass
        }),
      open: (now) =>
        Effect.sync(() =>
          [...passes.values()]
            .filter(({ expiresAt, kind }) => kind === "SESSION" && expiresAt > now)
            .toSorted((one, other) => other.createdAt - one.createdAt || compareText(one.digest, other.digest))
        ),
      endAll: (operator) =>
        Effect.sync(() => {
          for (const [digest, pass] of passes) if (pass.operator === operator) passes.delete(digest)
        })
    })
  )
)
