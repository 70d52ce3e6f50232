import { Schema } from "effect"

/** A command cannot go on; `message` says why and what to do, for the person at the terminal. */
export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", { message: Schema.String }) {}
