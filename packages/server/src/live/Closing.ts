import { Context, Effect } from "effect"

/** Ends when the server begins to close: what would last as long as its client stops then, and nothing waits for it. */
export const Closing = Context.Reference<Effect.Effect<void>>("@bursar/server/live/Closing", {
  defaultValue: () => Effect.never
})
