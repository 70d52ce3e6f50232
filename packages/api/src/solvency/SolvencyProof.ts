import { Schema } from "effect"
import { DocumentSignature, HashText, Liability, SolvencySnapshot, UnitsText } from "./SolvencySnapshot.ts"
import { DecimalText } from "../wire/Money.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { Uuid } from "../wire/Uuid.ts"

const SignedUnits = Schema.String.check(Schema.isPattern(/^(?:0|-?[1-9]\d{0,38})$/u))

/** What a tenant's leaf is made of, in base units. */
export const SolvencyParts = Schema.Struct({
  available: SignedUnits,
  held: SignedUnits,
  customers: SignedUnits.annotate({ description: "On the fiat accounts of your customers." }),
  converting: SignedUnits.annotate({ description: "Given for conversions that are not done." }),
  own_addresses: SignedUnits.annotate({
    description: "On addresses whose keys you hold: credited, and not owed to you by the service."
  })
}).annotate({ identifier: "SolvencyParts" })
/** What a tenant's leaf is made of. */
export type SolvencyParts = typeof SolvencyParts.Type

/** A tenant's leaf in the tree of a currency, with what shows that it is there. */
export const SolvencyLeaf = Schema.Struct({
  currency: Schema.String,
  decimals: Schema.Int,
  amount: DecimalText,
  units: UnitsText.annotate({ description: "The amount in base units, as it stands in the leaf." }),
  parts: SolvencyParts,
  posting: Schema.Int.annotate({ description: "The last posting of your ledger that is counted." }),
  salt: HashText,
  index: Schema.Int.annotate({ description: "The place of the leaf, counted from 0." }),
  path: Schema.Array(Schema.Struct({ hash: HashText, units: UnitsText })).annotate({
    description: "What stands beside each node on the way to the root, the lowest first."
  }),
  tree: Liability.annotate({ description: "The tree of the currency, as it was published." })
}).annotate({ identifier: "SolvencyLeaf" })
/** A tenant's leaf in the tree of a currency. */
export type SolvencyLeaf = typeof SolvencyLeaf.Type

/** What a tenant is owed by a published snapshot, and what shows that it was counted. */
export const SolvencyProof = Schema.Struct({
  format: Schema.String,
  service: Schema.String,
  snapshot_id: Uuid,
  tenant_id: Uuid,
  taken_at: Timestamp,
  published_at: Timestamp,
  digest: HashText.annotate({ description: "Of the public document of the snapshot." }),
  signature: DocumentSignature.annotate({ description: "Of the service, over the digest." }),
  commitment: HashText,
  leaves: Schema.Array(SolvencyLeaf).annotate({
    description: "One for each currency in which you are owed something."
  }),
  document: Schema.NullOr(SolvencySnapshot).annotate({
    description:
      "The public document of the snapshot, if you asked for it. Without it nothing ties your leaves to the digest."
  })
}).annotate({ identifier: "SolvencyProof" })
/** What a tenant is owed by a published snapshot, and what shows that it was counted. */
export type SolvencyProof = typeof SolvencyProof.Type
