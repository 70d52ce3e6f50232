import type { ReadHint } from "@bursar/core/port/ProviderHint"
import { Effect, Schema } from "effect"
import type { Random } from "../kernel/Random.ts"
import type { Faults } from "./Faults.ts"

const Hint = Schema.Struct({ what: Schema.Literals(["applicant", "account", "transfer"]), about: Schema.String })

const hintJson = Schema.fromJsonString(Hint)

/** What a provider tells: there is news of something. */
export type Hint = typeof Hint.Type

/** What providers tell the service of their own accord. */
export interface Hints {
  /** Tells something after a while, again and again until it is heard; now and then twice. */
  readonly tell: (provider: string, hint: Hint, inMs: number) => void
  /** Gives the way to the service: nothing is told before there is one. */
  readonly through: (post: (path: string, body: string) => Effect.Effect<boolean>) => void
}

/** Reads what a provider tells. Nothing here signs: that webhooks are trusted by their signatures alone is tested with real providers. */
export const readHint: ReadHint = ({ body }) =>
  Effect.map(Schema.decodeUnknownEffect(hintJson)(new TextDecoder().decode(body)), (hint) => ({
    _tag: "Hint" as const,
    ...hint
  })).pipe(Effect.orElseSucceed(() => ({ _tag: "Untrusted" as const, reason: "it is no hint" })))

const againMs = 4_000

/** The webhooks of providers. */
export const makeHints = (random: Random, faults: Faults, start: (effect: Effect.Effect<unknown>) => void): Hints => {
  let post: ((path: string, body: string) => Effect.Effect<boolean>) | undefined
  const told = (provider: string, hint: Hint): Effect.Effect<void> =>
    Effect.suspend(() => {
      const sent = post?.(`/providers/${provider}/webhook`, Schema.encodeSync(hintJson)(hint)) ?? Effect.succeed(false)
      const again = Effect.delay(
        Effect.suspend(() => told(provider, hint)),
        againMs
      )
      return Effect.flatMap(sent, (heard) => (heard ? Effect.void : again))
    })
  return {
    tell: (provider, hint, inMs) => {
      for (let times = faults.strikes("provider.tells_twice") ? 2 : 1; times > 0; times--) {
        const late = faults.strikes("provider.tells_late") ? random.below(30_000) : 0
        start(Effect.delay(told(provider, hint), Math.max(0, inMs) + late))
      }
    },
    through: (way) => {
      post = way
    }
  }
}
