import { Effect } from "effect"
import type { Chapter, Scene } from "../Scene.ts"
import { SceneFailed } from "../SceneFailed.ts"

const checker: Scene = {
  name: "checker",
  play: ({ operator }) =>
    Effect.gen(function* () {
      const { ok, invariants } = yield* operator.health
        .check({ query: {} })
        .pipe(Effect.mapError(({ message }) => new SceneFailed({ message: `the checker did not run: ${message}` })))
      if (ok) return `${invariants.length} rules checked over every row: nothing is wrong`
      const wrong = invariants.flatMap(({ first_wrong, invariant }) =>
        first_wrong === null ? [] : [`${invariant}: ${first_wrong}`]
      )
      return yield* new SceneFailed({ message: wrong.join("; ") })
    })
}

/** The checker over all that has happened. */
export const books: Chapter = {
  title: "Books",
  words: "The checker derives everything again from the entries of the ledger, and names the first row that is wrong.",
  scenes: [checker]
}
