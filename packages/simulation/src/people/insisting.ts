import { Effect } from "effect"
import { readAnswer } from "./answer.ts"
import type { AtWork } from "./AtWork.ts"

/** Sends something until it is taken. */
export const makeInsist = ({ post, random }: Pick<AtWork, "post" | "random">, pauseMs: number) =>
  Effect.fnUntraced(function* (path: string, key: string, body: string) {
    for (;;) {
      const reply = yield* post(path, key, body)
      if (reply !== "broken" && reply.status < 300) return readAnswer(reply.body)
      yield* Effect.sleep(1_000 + random.below(pauseMs))
    }
  })
