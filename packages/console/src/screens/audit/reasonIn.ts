import { Schema } from "effect"

const isGiven = Schema.is(Schema.Struct({ request: Schema.Struct({ reason: Schema.String }) }))

/** Why somebody asked for an action, by the values of its record; undefined where no reason was given. */
export const reasonIn = (values: unknown): string | undefined => (isGiven(values) ? values.request.reason : undefined)
