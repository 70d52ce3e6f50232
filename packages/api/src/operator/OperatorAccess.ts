import { Schema } from "effect"
import { Timestamp } from "../wire/Timestamp.ts"
import { operatorCredentials, operatorRoles } from "./Operator.ts"

/** Somebody who may use the operator interface, as the configuration says. */
export const KnownOperator = Schema.Struct({
  name: Schema.String,
  role: Schema.Literals(operatorRoles),
  credential: Schema.Literals(operatorCredentials).annotate({ description: "How the person proves who it is." }),
  expires_at: Schema.NullOr(Timestamp).annotate({
    description: "When the token is refused; null if it does not expire."
  })
}).annotate({ identifier: "KnownOperator" })

/** Everybody who may use the operator interface. */
export const KnownOperatorList = Schema.Struct({
  operators: Schema.Array(KnownOperator),
  shared_token: Schema.Boolean.annotate({
    description: "Whether a token is shared: whoever has it is an administrator, under the name that they give."
  })
}).annotate({ identifier: "KnownOperatorList" })

/** A session of an operator's browser. */
export const BrowserSession = Schema.Struct({
  id: Schema.String.annotate({ description: "The digest of its secret; it lets nobody in." }),
  operator: Schema.String,
  role: Schema.Literals(operatorRoles),
  credential: Schema.Literals(operatorCredentials),
  is_own: Schema.Boolean.annotate({ description: "Whether you are asking with it." }),
  created_at: Timestamp,
  expires_at: Timestamp
}).annotate({ identifier: "BrowserSession" })
/** A session of an operator's browser. */
export type BrowserSession = typeof BrowserSession.Type

/** The sessions that are open, newest first. */
export const BrowserSessionList = Schema.Struct({ sessions: Schema.Array(BrowserSession) }).annotate({
  identifier: "BrowserSessionList"
})
