import { Schema } from "effect"
import { Timestamp } from "../wire/Timestamp.ts"

/** A provider that the service is configured with, and how it did lately. */
export const OperatorProvider = Schema.Struct({
  name: Schema.String,
  does: Schema.Literals(["custody", "fiat", "identity"]),
  environment: Schema.Literals(["LIVE", "SANDBOX"]),
  takes_new: Schema.Boolean.annotate({ description: "False for one that is asked about earlier orders alone." }),
  place: Schema.NullOr(Schema.String).annotate({
    description: "What it is called in reconciliation and in stops; null for a provider that keeps no money."
  }),
  stopped: Schema.NullOr(Schema.Struct({ reason: Schema.String, by: Schema.String, at: Timestamp })),
  recent: Schema.NullOr(
    Schema.Struct({
      operations: Schema.Int,
      settled: Schema.Int,
      failed: Schema.Int.annotate({ description: "Failed or returned." }),
      unresolved: Schema.Int
    })
  ).annotate({
    description: "How its newest operations of the last 24 hours stand, at most 200; null for an identity provider."
  })
}).annotate({ identifier: "OperatorProvider" })
/** A provider that the service is configured with. */
export type OperatorProvider = typeof OperatorProvider.Type

/** Every provider. */
export const ProviderList = Schema.Struct({ providers: Schema.Array(OperatorProvider) }).annotate({
  identifier: "ProviderList"
})
