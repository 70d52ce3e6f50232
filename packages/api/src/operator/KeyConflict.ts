import { Schema } from "effect"
import { Timestamp } from "../wire/Timestamp.ts"
import { Uuid } from "../wire/Uuid.ts"

/** Something of a tenant that an update of the database found to need a key of another tenant, who keeps it. */
export const KeyConflict = Schema.Struct({
  what: Schema.Literals(["WALLET", "ACCOUNT", "ADDRESS", "XPUB"]).annotate({
    description:
      "An ADDRESS or XPUB was retired, and nothing more is credited there. A WALLET or ACCOUNT stays as it is: look into it."
  }),
  tenant_id: Uuid,
  id: Schema.String.annotate({ description: "The id of the address, wallet or key that lost its key." }),
  network: Schema.String.annotate({ description: "A network, or a family of networks." }),
  text: Schema.String.annotate({ description: "The address, or the extended public key." }),
  kept_by: Uuid.pipe(Schema.annotateEncoded({ description: "The tenant who keeps the key." })),
  found_at: Timestamp
}).annotate({ identifier: "KeyConflict" })
/** Something of a tenant that lost its key to another tenant. */
export type KeyConflict = typeof KeyConflict.Type

/** What lost its key to another tenant, newest first. */
export const KeyConflictList = Schema.Struct({
  conflicts: Schema.Array(KeyConflict),
  next_cursor: Schema.NullOr(Schema.String)
}).annotate({
  identifier: "KeyConflictList"
})
