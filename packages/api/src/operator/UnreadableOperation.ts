import { Schema } from "effect"
import { Timestamp } from "../wire/Timestamp.ts"
import { Uuid } from "../wire/Uuid.ts"

/** An operation that cannot be read, such as one of a kind or status that only a newer release knows. */
export const UnreadableOperation = Schema.Struct({
  id: Uuid,
  tenant_id: Uuid,
  tenant: Schema.String.annotate({ description: "The tenant's slug." }),
  kind: Schema.String.annotate({ description: "As it is stored." }),
  status: Schema.String.annotate({ description: "As it is stored." }),
  created_at: Timestamp,
  problem: Schema.String.annotate({ description: "Why it cannot be read." })
}).annotate({ identifier: "UnreadableOperation" })

/** Operations that a list lacks because they cannot be read. */
export const UnreadableOperations = Schema.Array(UnreadableOperation).annotate({
  description:
    "Operations of the list that this server cannot read, in the same order. Upgrade it if a newer release has written them."
})
