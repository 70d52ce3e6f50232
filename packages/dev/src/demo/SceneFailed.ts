import { Data } from "effect"

/** A step of the story did not come out; the message is all that a person needs to act. */
export class SceneFailed extends Data.TaggedError("SceneFailed")<{ readonly message: string }> {}
