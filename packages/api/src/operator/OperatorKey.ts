import { Schema } from "effect"
import { text } from "../wire/Text.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { Uuid } from "../wire/Uuid.ts"

/** A key to grant: a bundle, scopes by name (`transfers:*` included), or both. One that could do nothing is refused. */
export const CreateKey = Schema.Struct({
  label: text(200),
  bundle: Schema.optionalKey(text(64)),
  scopes: Schema.optionalKey(Schema.Array(text(64)).check(Schema.isMaxLength(50))),
  expires_at: Schema.optionalKey(
    Timestamp.annotate({ description: "From then on it opens nothing. Without it, it does not expire." })
  )
}).annotate({ identifier: "CreateKey", examples: [{ label: "deposit intake", bundle: "deposits" }] })
/** A key to grant. */
export type CreateKey = typeof CreateKey.Type

const fields = {
  id: Schema.String.annotate({ description: "The eight characters of the id, which are part of the key." }),
  prefix: Schema.String,
  label: Schema.String,
  scopes: Schema.Array(Schema.String),
  sealed: Schema.Boolean.annotate({
    description: "Whether the service has sealed what the key may do. A key without a seal opens nothing."
  }),
  expires_at: Schema.NullOr(Timestamp),
  created_at: Timestamp,
  revoked_at: Schema.NullOr(Timestamp)
}

/** A key, without the key. */
export const OperatorKey = Schema.Struct(fields).annotate({ identifier: "OperatorKey" })
/** A key, without the key. */
export type OperatorKey = typeof OperatorKey.Type

/** What somebody has seen that a key may do who has it sealed. */
export const sealQuery = {
  scopes: Schema.optionalKey(text(4_000)).annotate({
    description:
      "The scopes that you have seen, in any order, with commas. If the key has others by now, nothing is sealed (`state_conflict`). Without it, whatever scopes stand there are sealed."
  }),
  expires_at: Schema.optionalKey(Schema.Union([Schema.Literal("never"), Timestamp])).annotate({
    description:
      "Until when you have seen that it works, or `never` where that has no end. If it is another moment by now, nothing is sealed (`state_conflict`)."
  })
}

/** A key just made; `key` is shown here and never again. */
export const OperatorKeyCreated = Schema.Struct({
  ...fields,
  key: Schema.String,
  proposal_id: Schema.NullOr(Uuid).annotate({
    description:
      "The grant that people have to approve before the key opens anything; null where the service goes by no grants."
  })
}).annotate({ identifier: "OperatorKeyCreated" })
/** A key just made. */
export type OperatorKeyCreated = typeof OperatorKeyCreated.Type

/** The keys of a tenant. */
export const OperatorKeyList = Schema.Struct({ keys: Schema.Array(OperatorKey) }).annotate({
  identifier: "OperatorKeyList"
})
/** The keys of a tenant. */
export type OperatorKeyList = typeof OperatorKeyList.Type
