import { Schema } from "effect"
import { Network } from "../wire/Network.ts"
import { Uuid } from "../wire/Uuid.ts"

/** The network whose addresses are to be issued. */
export const PrepareIssuing = Schema.Struct({ network: Network }).annotate({
  identifier: "PrepareIssuing",
  examples: [{ network: "ethereum" }]
})

/** The account that addresses of a family of networks are issued from, as a grant of the kind `issuing_account` names it. */
export const OperatorIssuingAccount = Schema.Struct({
  family: Schema.String.annotate({ description: "The networks on which one key has one address." }),
  seed_id: Uuid,
  account_key: Schema.String.annotate({
    description: "The public side: an extended public key, on stellar the account's address."
  }),
  next_index: Schema.Int.annotate({ description: "The index of the next address; 0 if none was issued." }),
  granted: Schema.NullOr(Schema.Boolean).annotate({
    description: "Whether the newest grant names this account; null if the service has no root of grants."
  })
}).annotate({ identifier: "OperatorIssuingAccount" })
