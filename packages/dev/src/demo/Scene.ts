import type { Effect } from "effect"
import type { SceneFailed } from "./SceneFailed.ts"
import type { World } from "./World.ts"

/** Says that a scene has come to a stage, such as `detected`, and what there is to say of it. */
export type Reached = (stage: string) => Effect.Effect<void>

/** One line of the story and of its summary. */
export interface Scene {
  readonly name: string
  /** Gives in a few words what came of it; further lines are shown below the chapter. */
  readonly play: (world: World, reached: Reached) => Effect.Effect<string, SceneFailed>
}

/** Scenes about one thing, which play together or one after the other. */
export interface Chapter {
  readonly title: string
  /** What happens here and why, in a sentence or two. */
  readonly words: string
  readonly scenes: ReadonlyArray<Scene>
}
